"""The gate: exact arithmetic, and nothing that turns green by accident."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.evaluations import Outcome
from trajectory.gate import Gate, GateVerdict, ThreadScore, decide

P, F, E, S = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED
RATES = st.decimals(0, 1, allow_nan=False, places=6) | st.sampled_from([Decimal(r) for r in ("0", "0.7", "0.9", "1")])
OUTCOMES = st.lists(st.sampled_from(Outcome), max_size=60)


def scores(*outcomes: Outcome, **facts: Any) -> list[ThreadScore]:
    return [ThreadScore(f"t{number}", outcome, **facts) for number, outcome in enumerate(outcomes, start=1)]


def gated(rate: str, *outcomes: Outcome, max_errors: int = 0, selected: int | None = None) -> GateVerdict:
    ended = scores(*outcomes)
    return decide(Gate(Decimal(rate), max_errors), ended, selected=len(ended) if selected is None else selected)


# --------------------------------------------------------------------------------------------------------------- rate


@given(RATES, OUTCOMES)
def test_the_rate_is_computed_exactly(rate: Decimal, outcomes: list[Outcome]) -> None:
    verdict = decide(Gate(rate, max_errors=len(outcomes)), scores(*outcomes), selected=len(outcomes))
    passed, evaluated = outcomes.count(P), len(outcomes) - outcomes.count(S)
    assert verdict.evaluated == evaluated
    has_verdicts = passed + outcomes.count(F) > 0  # errors alone are none, however many are tolerated
    assert verdict.passed == (has_verdicts and passed >= Fraction(rate) * evaluated)


@given(RATES, st.integers(0, 10**30))
def test_what_is_required_is_the_least_that_is_enough(rate: Decimal, evaluated: int) -> None:
    required = Gate(rate).required(evaluated)
    assert required >= Fraction(rate) * evaluated > required - 1


@pytest.mark.parametrize(
    ("rate", "evaluated", "required"),
    [("0.7", 10, 7), ("0.7", 3, 3), ("0.1", 30, 3), ("0.29", 100, 29), ("0.57", 100, 57), ("1", 5, 5), ("0", 5, 0)],
)
def test_what_floats_would_get_wrong(rate: str, evaluated: int, required: int) -> None:
    assert Gate(Decimal(rate)).required(evaluated) == required


@given(RATES, OUTCOMES)
def test_one_more_pass_never_hurts(rate: Decimal, outcomes: list[Outcome]) -> None:
    gate = Gate(rate, max_errors=3)
    if decide(gate, scores(*outcomes), selected=len(outcomes)).passed:
        assert decide(gate, scores(*outcomes, P), selected=len(outcomes) + 1).passed


def test_errors_never_count_as_passes() -> None:
    assert not gated("0.6", P, E, max_errors=1).passed
    assert gated("0.5", P, E, max_errors=1).passed


def test_the_reason_names_the_numbers() -> None:
    assert gated("0.8", P, F, F, S).reasons == ("1 of 3 threads passed, 3 must",)


# ------------------------------------------------------------------------------------------- what fails a gate anyway


@pytest.mark.parametrize(
    ("outcomes", "max_errors", "reasons"),
    [
        ([P, P, E], 0, ("1 thread could not be evaluated, at most 0 allowed",)),
        ([P, E, E], 1, ("2 threads could not be evaluated, at most 1 allowed",)),
        ([P, E, E], 2, ()),
    ],
)
def test_errors_beyond_those_allowed(outcomes: list[Outcome], max_errors: int, reasons: tuple[str, ...]) -> None:
    assert gated("0.1", *outcomes, max_errors=max_errors).reasons == reasons


@pytest.mark.parametrize("outcomes", [(), (S,), (S, S)])
@pytest.mark.parametrize("rate", ["0", "0.5", "1"])
def test_nothing_evaluated_is_never_a_pass(rate: str, outcomes: tuple[Outcome, ...]) -> None:
    assert gated(rate, *outcomes).reasons == ("nothing was evaluated",)


@pytest.mark.parametrize("outcomes", [(E,), (E, E), (E, S)])
def test_errors_alone_are_never_a_pass_whatever_is_tolerated(outcomes: tuple[Outcome, ...]) -> None:
    reasons = gated("0", *outcomes, max_errors=9).reasons
    assert reasons == ("nothing was evaluated: no thread came to a verdict",)


@pytest.mark.parametrize("outcome", [F, E, S])
def test_must_pass_counts_whatever_the_rate(outcome: Outcome) -> None:
    ended = [*scores(P, P), ThreadScore("vital", outcome, must_pass=True)]
    verdict = decide(Gate(Decimal("0.1"), max_errors=1), ended, selected=3)
    assert verdict.reasons == (f"thread 'vital' must pass, and its outcome is {outcome}",)
    assert verdict.tolerated == ()


def test_a_run_that_was_cut_short_is_never_a_pass() -> None:
    assert gated("0.5", P, P, selected=3).reasons == ("the run was cut short: 2 of 3 threads came to an end",)


def test_what_the_caller_found_counts() -> None:
    verdict = decide(Gate(), scores(P), selected=1, breaches=["the budget ran out"])
    assert verdict.reasons == ("the budget ran out",)
    assert not verdict.passed


def test_all_reasons_are_given() -> None:
    assert len(gated("1", P, F, E, selected=9).reasons) == 3


# ----------------------------------------------------------------------------------------------- tolerated and worst


def test_the_worst_thread_comes_first() -> None:
    bad = [ThreadScore("a", F, 4, 1), ThreadScore("b", P, 4, 0), ThreadScore("c", E, 4, 4), ThreadScore("d", F, 4, 2)]
    verdict = decide(Gate(Decimal("0.1"), max_errors=1), bad, selected=4)
    assert [score.thread_id for score in verdict.not_passed] == ["c", "d", "a"]
    assert verdict.tolerated == verdict.not_passed


def test_a_gate_that_fails_tolerates_nothing() -> None:
    assert gated("1", P, F).tolerated == ()


# ------------------------------------------------------------------------------------------------------------ warnings


@pytest.mark.parametrize(
    ("rate", "passes", "warnings"),
    [
        ("0.9", 5, ("a pass rate of 0.9 over 5 threads means all of them",)),
        ("0.9", 1, ("a pass rate of 0.9 over 1 thread means all of them",)),
        ("0.9", 10, ()),
        ("1", 5, ()),
        ("0", 5, ("the gate is off: a pass rate of 0 lets every thread fail",)),
    ],
)
def test_a_rate_that_cannot_mean_what_it_says(rate: str, passes: int, warnings: tuple[str, ...]) -> None:
    assert gated(rate, *[P] * passes).warnings == warnings


def warnings(*ended: ThreadScore) -> tuple[str, ...]:
    return decide(Gate(), ended, selected=len(ended)).warnings


def test_threads_with_nothing_to_check_are_named() -> None:
    few = warnings(*scores(P, P, nothing_to_check=True))
    assert few == ("nothing to check in t1, t2: no call could have broken the match mode",)
    many = warnings(*scores(*[P] * 7, nothing_to_check=True))
    assert many == ("nothing to check in t1, t2, t3, t4, t5 and 2 more: no call could have broken the match mode",)


def test_a_thread_that_turned_green_is_flaky() -> None:
    assert warnings(ThreadScore("a", P, earlier=(F, E))) == ("a is flaky: failed, then error, then passed",)


def test_a_thread_that_came_to_the_same_every_time_is_not() -> None:
    assert warnings(ThreadScore("a", F, earlier=(F, F))) == ()


def test_ids_are_shown_in_printable_characters() -> None:
    ended = ThreadScore("a\x1b[31m\n", P, nothing_to_check=True, earlier=(F,))
    assert all(text.isprintable() for text in warnings(ended))
