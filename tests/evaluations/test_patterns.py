"""Patterns of users, held to a time limit."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.errors import EvaluationError
from trajectory.evaluations import patterns
from trajectory.evaluations.patterns import matches


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a?){40}a{40}$", "((a*)*)*$", "(?=(a+)+$)"])
def test_a_pattern_that_explodes_is_no_verdict(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.5)
    patterns._matches_apart.cache_clear()
    start = time.perf_counter()
    with pytest.raises(EvaluationError, match=r"takes more than 0\.5 s on a text of 45 characters"):
        matches(pattern, "a" * 44 + "!")
    assert time.perf_counter() - start < 5


def test_a_slow_pattern_on_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.5)
    patterns._matches_apart.cache_clear()
    with pytest.raises(EvaluationError, match="takes more than"):
        matches("a*a*a*b", "a" * 20_000)


@pytest.mark.parametrize(
    ("pattern", "text", "full", "found"),
    [
        ("(ab|cd)+", "xabcdx", False, True),
        ("(ab|cd)+", "xabcdx", True, False),
        ("(ab|cd)+", "abcd", True, True),
        ("a+b*", "aab", True, True),
        ("é(ü|ö)+", "éüö", True, True),
        ("(?i:(a|bb)+)", "ABB", True, True),
    ],
)
def test_the_verdict_is_that_of_re(pattern: str, text: str, full: bool, found: bool) -> None:  # noqa: FBT001
    assert matches(pattern, text, full=full) is found


@pytest.mark.filterwarnings("ignore::FutureWarning")
@given(st.text("ab(|)*+?[]{}12", max_size=8), st.text("ab", max_size=6))
def test_every_pattern_that_compiles_can_be_weighed(pattern: str, text: str) -> None:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError):
        return
    nested, number = patterns._repeats(pattern)
    assert number >= 0
    if not nested:
        assert matches(pattern, text) is (compiled.search(text) is not None)
