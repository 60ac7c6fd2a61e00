"""A thread and a gate in words."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sets import call, conversation
from trajectory.evaluations import Outcome, ThreadResult, TurnResult
from trajectory.gate import Gate, ThreadScore, decide
from trajectory.report import explain_thread, headline, percent, summary_line

P, F, E, S = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED


def turn(number: int, outcome: Outcome | None, query: str = "hi", **facts: Any) -> TurnResult:
    return TurnResult(number, conversation("t", [(query, [])]).traces[0], outcome, **facts)


def result(*outcomes: Outcome | None, surplus: int = 0, **facts: Any) -> ThreadResult:
    turns = tuple(
        turn(number, outcome, reason="out of paper" if outcome is E else "")
        for number, outcome in enumerate(outcomes, start=1)
    )
    extra = conversation("t", [(f"more {number}", [call("add"), call("su\nb")]) for number in range(surplus)]).traces
    return ThreadResult("t", turns, surplus=extra, **facts)


# ------------------------------------------------------------------------------------------------------------ headline


@pytest.mark.parametrize(
    ("thread", "line"),
    [
        (result(P), "1 turn as expected"),
        (result(P, P), "2 turns as expected"),
        (result(F), "turn 1 of 1 differs"),
        (result(P, F), "turn 2 of 2 differs"),
        (result(F, P, F), "turns 1, 3 of 3 differ"),
        (result(*[F] * 9), "turns 1, 2, 3, 4, 5 and 4 more of 9 differ"),
        (result(P, surplus=1), "1 recorded turn too many"),
        (result(F, surplus=2), "turn 1 of 1 differs; 2 recorded turns too many"),
        (result(F, E, None), "no verdict: turn 2 of 3: out of paper"),
        (result(), "nothing to evaluate: the thread has no traces"),
        (result(S, S), "nothing to evaluate: no turn states an expectation"),
        (result(surplus=2), "2 recorded turns too many"),
    ],
)
def test_the_headline(thread: ThreadResult, line: str) -> None:
    assert headline(thread) == line


def test_a_reason_is_one_short_line_in_the_headline() -> None:
    long = ThreadResult("t", (turn(1, E, reason="two\nlines\x1b" + "x" * 5000),))
    assert headline(long).isprintable()
    assert len(headline(long)) < 300
    assert headline(long).endswith("...")


# --------------------------------------------------------------------------------------------------------- explanation


def test_turns_without_a_verdict() -> None:
    dead = ThreadResult(
        "t",
        (turn(1, P), turn(2, E, reason="the agent raised ValueError: no", details=("at x.py:1",)), turn(3, None)),
        notes=("closing the session went wrong",),
    )
    assert explain_thread(dead).splitlines() == [
        "no verdict: turn 2 of 3: the agent raised ValueError: no",
        "thread t",
        "",
        "turn 2 of 3 (trace turn-1)",
        "user: hi",
        "no verdict: the agent raised ValueError: no",
        "  at x.py:1",
        "",
        "turn 3 of 3: not run",
        "note: closing the session went wrong",
    ]


def test_surplus_turns_are_shown_up_to_a_few() -> None:
    lines = explain_thread(result(P, surplus=7)).splitlines()
    assert lines[3:7] == ["turn 2 (trace turn-1) is in the recording only", "user: more 0", "+ add", "+ su\\u000ab"]
    assert lines[-1] == "... and 2 more recorded turns"
    assert explain_thread(result(P, surplus=6)).endswith("... and 1 more recorded turn")


@given(st.text(max_size=2000), st.text(max_size=400))
def test_nothing_that_a_user_wrote_breaks_the_lines(query: str, reason: str) -> None:
    hostile = ThreadResult(query, (turn(1, E, query, reason=reason, details=(query,), notes=(query,)),), notes=(query,))
    for line in explain_thread(hostile).split("\n"):
        assert line.isprintable()


def test_long_texts_are_wrapped_and_cut() -> None:
    lines = explain_thread(ThreadResult("t", (turn(1, F, "word " * 100, notes=("note " * 50,)),))).splitlines()
    assert max(map(len, lines)) <= 80
    assert any("(500 characters)" in line for line in lines)


# ------------------------------------------------------------------------------------------------------------- summary


@given(st.integers(0, 10**40), st.integers(1, 10**40))
def test_a_percentage_never_flatters(part: int, whole: int) -> None:
    share = Fraction(min(part, whole), whole)
    written = Fraction(percent(share).removesuffix(" %"))
    assert 0 <= share * 100 - written < Fraction(1, 10)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(1), "100 %"),
        (Fraction(0), "0 %"),
        (Fraction(7, 10), "70 %"),
        (Fraction(2, 3), "66.6 %"),
        (Fraction(9999, 10000), "99.9 %"),
        (Fraction(10**40 - 1, 10**40), "99.9 %"),
        (Fraction(1, 10**6), "0 %"),
    ],
)
def test_percentages(share: Fraction, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("rate", "outcomes", "line"),
    [
        ("0.8", [P] * 7 + [F] * 3, "label: 7/10 threads passed (70 %), required 80 %: FAILED"),
        ("1", [P], "label: 1/1 threads passed (100 %), required 100 %: PASSED"),
        ("0.125", [P, P, S], "label: 2/2 threads passed (100 %), 1 skipped, required 12.5 %: PASSED"),
        ("1", [P, E], "label: 1/2 threads passed (50 %), 1 without a verdict, required 100 %: FAILED"),
        ("1", [S], "label: 0/0 threads passed, 1 skipped, required 100 %: FAILED"),
        ("0", [F], "label: 0/1 threads passed (0 %), required 0 %: PASSED"),
    ],
)
def test_the_summary(rate: str, outcomes: list[Outcome], line: str) -> None:
    scores = [ThreadScore(str(number), outcome) for number, outcome in enumerate(outcomes)]
    assert summary_line("label", decide(Gate(Decimal(rate)), scores, selected=len(scores))) == line
