"""Patterns of users, held to a time limit."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluations.turns import tool, turn, verdict
from tests.sets import call
from trajectory import ArgumentPolicy, ToolCall, patterns
from trajectory.errors import EvaluationError
from trajectory.evaluations import Outcome
from trajectory.matching import match_trajectory
from trajectory.patterns import PatternTimeout, matches, most_steps

FEW = 50_000_000


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.5)


EXPLODING = [
    ("(a+)+$", 44),
    ("(a|aa)+$", 44),
    ("(a?){40}a{40}$", 44),
    ("((a*)*)*$", 44),
    ("(?=(a+)+$)", 44),
    ("a?" * 40 + "a" * 45, 44),
    ("a*a*a*a*a*b", 2_000),
    ("a{0,900}a{0,900}a{0,900}a{0,900}b", 2_000),
    (".*.*.*.*=.*", 3_000),
    ("a*a*b", 20_000),
    (r"\w+@", 1_000_000),
    (r"(a+)(?:\1)+b$", 4_000),
]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("pattern", "length"), EXPLODING)
def test_a_pattern_that_takes_too_long_is_no_verdict(pattern: str, length: int) -> None:
    start = time.perf_counter()
    with pytest.raises(PatternTimeout, match=rf"takes more than 0\.5 s on a text of {length + 1} characters"):
        matches(pattern, "a" * length + "!")
    assert time.perf_counter() - start < 5


@pytest.mark.usefixtures("impatient")
def test_after_one_that_took_too_long_the_next_is_tried() -> None:
    for _ in range(2):
        with pytest.raises(PatternTimeout):
            matches("(a+)+$", "a" * 44 + "!")
        assert matches("(a+)+!$", "a" * 44 + "!")


SLOW = {"type": "object", "properties": {"text": {"pattern": "(a+)+$"}}}
HOSTILE = {"text": "a" * 44 + "!"}


@pytest.mark.usefixtures("impatient")
def test_a_pattern_in_a_schema_is_no_verdict_for_rules() -> None:
    with pytest.raises(PatternTimeout):
        verdict("response_schema", turn(), turn(json.dumps(HOSTILE)), json_schema=SLOW)
    made = turn("", [call("f", **HOSTILE)], tools=[tool("f", SLOW)])
    with pytest.raises(PatternTimeout):
        verdict("valid_arguments", turn(), made)
    assert verdict("response_schema", turn(), turn('{"text": "aa"}'), json_schema=SLOW).outcome is Outcome.PASSED


@pytest.mark.usefixtures("impatient")
def test_a_matcher_whose_pattern_takes_too_long_accepts_nothing_and_says_so() -> None:
    policy = ArgumentPolicy(matchers=True)
    stated = ToolCall(name="f", arguments={"text": {"$jsonSchema": {"pattern": "(a+)+$"}}})
    made = ToolCall(name="f", arguments=HOSTILE)
    found = match_trajectory([stated], [made], arguments=policy)
    assert not found.passed
    assert "cannot be carried out: PatternTimeout" in str(found.steps[0].differences[0].hint)


@pytest.mark.usefixtures("impatient")
def test_on_whatever_thread() -> None:
    came: list[object] = []

    def try_it(text: str) -> None:
        try:
            came.append(matches("(a+)+$", text))
        except EvaluationError as problem:
            came.append(type(problem))

    threads = [threading.Thread(target=try_it, args=(text,)) for text in ("aa", "b", "a" * 44 + "!", "aaa")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, came)) == sorted(map(str, [True, False, PatternTimeout, True]))


def test_a_process_that_was_killed_is_started_again() -> None:
    assert matches("(a+)+$", "aa" * 20)
    process = patterns._BESIDE._process
    assert process is not None
    process.kill()
    process.wait()
    assert matches("(a+)+$", "aa" * 20)


def test_an_interrupt_leaves_no_answer_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(patterns, "_exchange", interrupted)
        with pytest.raises(KeyboardInterrupt):
            matches("(a+)+$", "a" * 40)
    assert matches("(b+)+$", "b" * 40)


@pytest.mark.parametrize(
    ("pattern", "text", "full", "found"),
    [
        ("(ab|cd)+", "xabcdx", False, True),
        ("(ab|cd)+", "xabcdx", True, False),
        ("(ab|cd)+", "abcd", True, True),
        ("a+b*", "aab", True, True),
        ("é(ü|ö)+", "éüö", True, True),
        ("(?i:(a|bb)+)", "ABB", True, True),
        ("(x+x+)+\ud800\n", "xx\ud800\n", True, True),
    ],
)
@pytest.mark.parametrize("padding", [0, 200])
def test_the_verdict_is_that_of_re(pattern: str, text: str, full: bool, found: bool, padding: int) -> None:  # noqa: FBT001
    assert matches(pattern, text + "\n" * (0 if full else padding), full=full) is found


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        (r"\bshipped\b", 100_000),
        (r"(?i)order #?\d{4,10} .* shipped", 300),
        (r"^\{.*\}$", 500),
        (r"[\w.+-]+@[\w-]+\.[\w.]+", 50),
        ("yes|confirm|ok", 5_000),
        ("(?:a(?:b(?:c)?)?)?", 1_000),
    ],
)
def test_usual_patterns_need_no_process(pattern: str, length: int) -> None:
    assert most_steps(pattern, length) <= FEW


@pytest.mark.parametrize(("pattern", "length"), EXPLODING)
def test_the_estimate_is_on_the_safe_side(pattern: str, length: int) -> None:
    assert most_steps(pattern, length) > FEW


@pytest.mark.filterwarnings("ignore::FutureWarning")
@given(st.text("ab(|)*+?[]{}12", max_size=8), st.text("ab", max_size=6))
def test_every_pattern_that_compiles_can_be_weighed(pattern: str, text: str) -> None:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError):
        return
    assert most_steps(pattern, len(text)) > 0
    assert matches(pattern, text) is (compiled.search(text) is not None)
