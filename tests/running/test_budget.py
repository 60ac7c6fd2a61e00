"""Budgets: what is spent is added up after every turn, and nothing starts when it is over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sets import conversation
from trajectory.conversation import AssistantMessage, Trace, Usage, UserMessage
from trajectory.evaluations import Outcome
from trajectory.replay import as_agent
from trajectory.running import Budget, RunHalted, run_thread
from trajectory.settings import Settings

THREAD = conversation("t", [(f"turn {n}", []) for n in range(3)])


def trace(usage: Usage | None) -> Trace:
    return Trace(
        id="t",
        user_message=UserMessage(content="q"),
        iterations=(),
        output=AssistantMessage(content="a"),
        tools=(),
        start_time=(0, 0.0),
        end_time=(0, 0.0),
        usage=usage,
    )


def test_without_limits_nothing_halts() -> None:
    budget = Budget()
    budget.charge(trace(Usage(10**9, 10**9, cost_usd=1e9)))
    assert budget.halt() == ""
    assert not budget.is_set


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"tokens": 30}, "the run halted on its budget (spent 30 of 30 tokens after 0 threads)"),
        ({"tokens": 1000}, ""),
        ({"usd": 0.2}, "the run halted on its budget (spent 0.25 of 0.2 USD after 0 threads)"),
        ({"usd": 0.2, "tokens": 10}, "(spent 0.25 of 0.2 USD, 30 of 10 tokens after 0 threads)"),
    ],
)
def test_what_is_spent_is_added_up(limits: dict[str, Any], words: str) -> None:
    budget = Budget(**limits)
    assert budget.halt() == ""
    budget.charge(trace(Usage(10, 5, cost_usd=0.125)))
    budget.charge(trace(Usage(10, 5, cost_usd=0.125)))
    assert words in budget.halt()
    assert budget.halted == budget.halt()


def test_time_runs_from_the_beginning() -> None:
    now = [5.0]
    budget = Budget(seconds=2, clock=lambda: now[0])
    assert budget.halt() == ""
    now[0] = 7.0
    assert budget.halt() == "the run halted on its budget (spent 2.0 of 2 seconds after 0 threads)"


def test_turns_that_report_nothing_are_counted_as_such() -> None:
    budget = Budget(tokens=10, seconds=5)
    for usage in (None, Usage(cost_usd=1), Usage(1, 1)):
        budget.charge(trace(usage))
    assert budget.uncounted_turns == 2
    assert Budget(seconds=5).uncounted_turns == 0


def agent(query: str) -> Trace:
    return trace(Usage(10, 5)).model_copy(update={"user_message": UserMessage(content=query)})


def test_no_further_turn_starts() -> None:
    runs = run_thread(as_agent(agent), THREAD, Settings(), Budget(tokens=30))
    assert runs.outcome is Outcome.ERROR
    assert [turn.outcome for turn in runs.runs[0].turns] == [Outcome.PASSED, Outcome.PASSED, Outcome.ERROR]
    assert "halted on its budget (spent 30 of 30 tokens" in runs.runs[0].turns[2].reason


def test_a_thread_that_ends_just_within_the_budget_has_its_verdict() -> None:
    budget = Budget(tokens=45)
    assert run_thread(as_agent(agent), THREAD, Settings(), budget).outcome is Outcome.PASSED
    assert budget.halted == ""
    with pytest.raises(RunHalted, match="spent 45 of 45 tokens after 1 thread\\)"):
        run_thread(as_agent(agent), THREAD, Settings(), budget)


def test_repetitions_that_were_not_made_leave_the_thread_open() -> None:
    runs = run_thread(as_agent(agent), THREAD, Settings(repetitions=3, pass_runs=2), Budget(tokens=45))
    assert runs.outcomes == (Outcome.PASSED,)
    assert runs.outcome is Outcome.ERROR
    assert "1 of 3 runs passed, 2 not made, 2 must" in runs.summary
