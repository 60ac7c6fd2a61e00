"""A run that is decided about from its records comes to what it came to when it was made."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.runs.made import made_run, made_thread
from tests.sets import call, conversation
from trajectory import report
from trajectory.evaluations import Outcome
from trajectory.gate import Gate
from trajectory.replay import as_agent
from trajectory.running import run_thread
from trajectory.runs import decide_run, thread_entry, thread_score
from trajectory.settings import Settings, read_settings

if TYPE_CHECKING:
    from trajectory.runs import ThreadEntry


def entry(expected: list[Any], actual: list[Any], **stated: Any) -> ThreadEntry:
    thread = conversation("t", [("one", expected), ("two", expected)])
    settings = read_settings(stated, keys=Settings.model_fields, source="")
    agent = as_agent(lambda _: {"output": "done", "tool_calls": actual})
    return thread_entry(run_thread(agent, thread, settings), thread, settings, eval_set="x.evalset.json", words=report)


A, B = call("a", x=1), call("b")


@pytest.mark.parametrize(
    ("expected", "actual", "stated", "failing", "empty"),
    [
        ([A], [A], {}, 0, False),
        ([A], [B], {}, 2, False),
        ([], [], {"match_mode": "SUBSET"}, 0, True),
        ([], [A], {"match_mode": "SUPERSET"}, 0, True),
        # another rule had something to judge
        ([], [], {"match_mode": "SUBSET", "rules": ["tool_trajectory", {"length": {"max": 9}}]}, 0, False),
    ],
)
def test_a_score_is_read_off_an_entry(
    expected: list[Any], actual: list[Any], stated: dict[str, Any], failing: int, *, empty: bool
) -> None:
    score = thread_score(entry(expected, actual, **stated))
    assert (score.turns, score.failing_turns, score.nothing_to_check) == (2, failing, empty)
    assert score.f1 == entry(expected, actual, **stated).f1


RUN = made_run(made_thread("a"), made_thread("b", "f"), made_thread("c", "s"))


@pytest.mark.parametrize(
    ("gate", "passes"),
    [
        (Gate(), False),
        (Gate(Decimal("0.5")), True),
        (Gate(Decimal("0.51")), False),
        (Gate(regressions_only=True), True),
        (Gate(min_macro_f1=Decimal("0.1"), min_pass_rate=Decimal(0)), False),  # these threads compared no calls
    ],
)
def test_any_gate_can_be_asked_for_afterwards(gate: Gate, *, passes: bool) -> None:
    assert decide_run(RUN, gate).passed == passes


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"complete": False}, "the run is not complete"),
        ({"complete": False, "selected": 4}, "the run was cut short: 3 of 4 threads came to an end"),
        ({"complete": False, "halted": "the run halted on its budget"}, "the run halted on its budget"),
        ({"breaches": ("the recording is incomplete",)}, "the recording is incomplete"),
    ],
)
def test_a_run_that_is_not_whole_never_passes(facts: dict[str, Any], reason: str) -> None:
    for gate in (Gate(Decimal(0)), Gate(regressions_only=True)):
        assert decide_run(RUN.model_copy(update=facts), gate).reasons == (reason,)


def test_errors_and_must_pass_count_also_when_only_regressions_do() -> None:
    gate = Gate(regressions_only=True)
    assert not decide_run(made_run(made_thread("a"), made_thread("b", "e")), gate).passed
    assert not decide_run(made_run(made_thread("a"), made_thread("b", "f", must_pass=True)), gate).passed
    assert not decide_run(made_run(made_thread("a", "s")), gate).passed
    assert not decide_run(made_run(), gate).passed


def test_what_came_of_a_thread_is_kept_without_its_turns() -> None:
    assert thread_score(made_thread("a", "ef")).outcome is Outcome.FAILED
    assert thread_score(made_thread("a", "e")).failing_turns == 1
