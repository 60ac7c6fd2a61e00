"""Tokens and money: what is known to be too much fails, what may be too much is not known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evaluations.turns import replayed, turn, verdict
from trajectory.chosen_rules import read_rules
from trajectory.conversation import Usage
from trajectory.errors import EvaluationError
from trajectory.evaluations import Outcome

P, F = Outcome.PASSED, Outcome.FAILED


def used(*usages: Usage | None) -> Any:
    return replayed(*(turn("x").model_copy(update={"usage": usage}) for usage in usages))


FULL = Usage(100, 20, cost_usd=0.5)


@pytest.mark.parametrize(
    ("rule", "settings", "outcome"),
    [
        ("tokens", {"max": 120}, P),
        ("tokens", {"max": 119}, F),
        ("tokens", {"max_input": 100}, P),
        ("tokens", {"max_input": 99}, F),
        ("tokens", {"max_output": 19}, F),
        ("tokens", {"max_thread": 240}, P),
        ("tokens", {"max_thread": 239}, F),
        ("tokens", {"max": 120, "max_thread": 239}, F),
        ("money", {"max_usd": 0.5}, P),
        ("money", {"max_usd": 0.49}, F),
        ("money", {"max_usd_thread": 1.0}, P),
        ("money", {"max_usd_thread": 0.99}, F),
    ],
)
def test_limits(rule: str, settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict(rule, used(FULL, FULL), **settings).outcome is outcome


@pytest.mark.parametrize(("most", "outcome"), [(0.3, P), (0.2999999, F)])
def test_sums_of_cents_are_compared_as_people_add_them(most: float, outcome: Outcome) -> None:
    cents = used(*[Usage(1, 1, cost_usd=0.1)] * 3)
    assert verdict("money", cents, max_usd_thread=most).outcome is outcome


def test_no_token_is_rounded_away() -> None:
    many = used(Usage(2_000_000_000, 1))
    assert verdict("tokens", many, max=2_000_000_000).outcome is F
    assert verdict("tokens", many, max=2_000_000_001).outcome is P


def test_the_reason_names_turns_and_numbers() -> None:
    found = verdict("tokens", used(FULL, Usage(2000, 1)), max=150, max_thread=2000)
    assert found.reason == (
        "turn 2: 2,001 tokens, at most 150 allowed; the thread: 2,121 tokens, at most 2,000 allowed"
    )


@pytest.mark.parametrize(
    ("rule", "settings", "usages"),
    [
        ("tokens", {"max": 500}, [None]),
        ("tokens", {"max": 500}, [Usage(input_tokens=100)]),
        ("tokens", {"max": 500}, [Usage(1, 1, tokens_complete=False)]),
        ("tokens", {"max_thread": 500}, [FULL, None]),
        ("money", {"max_usd": 5.0}, [Usage(100, 20)]),
        ("money", {"max_usd_thread": 5.0}, [FULL, Usage(1, 1)]),
    ],
)
def test_what_may_be_too_much_is_not_known(rule: str, settings: dict[str, Any], usages: list[Usage | None]) -> None:
    with pytest.raises(EvaluationError, match="does not report all of its"):
        verdict(rule, used(*usages), **settings)


def test_what_is_known_to_be_too_much_fails_even_if_more_is_not_known() -> None:
    found = verdict("tokens", used(FULL, None), max_thread=100)
    assert found.outcome is F
    assert found.reason == "the thread: at least 120 tokens, at most 100 allowed"


@pytest.mark.parametrize(
    ("rule", "stated"),
    [("tokens", {}), ("money", {}), ("tokens", {"max": 0}), ("money", {"max_usd": 0}), ("money", {"max": 1})],
)
def test_settings_that_cannot_be(rule: str, stated: dict[str, Any]) -> None:
    assert read_rules([{rule: stated}])[1]
