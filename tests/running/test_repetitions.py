"""What the runs of a thread come to together."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sets import call, conversation
from trajectory.evaluations import Outcome, ThreadResult, TurnResult
from trajectory.replay import as_agent
from trajectory.running import Label, ThreadRuns, run_thread
from trajectory.settings import Settings

P, F, E, S = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED
THREAD = conversation("t", [("add", [call("add")])])


def runs(*outcomes: Outcome, pass_runs: int | None = None, repetitions: int | None = None) -> ThreadRuns:
    results = [ThreadResult("t", (TurnResult(1, THREAD.traces[0], outcome),)) for outcome in outcomes]
    return ThreadRuns(tuple(results), pass_runs or len(outcomes), repetitions or len(outcomes))


@pytest.mark.parametrize(
    ("outcomes", "pass_runs", "outcome", "label"),
    [
        ([P], 1, P, Label.STABLE_PASS),
        ([F], 1, F, Label.STABLE_FAIL),
        ([E], 1, E, Label.ERROR),
        ([S], 1, S, Label.SKIPPED),
        ([P, P, P], 3, P, Label.STABLE_PASS),
        ([P, F, P], 3, F, Label.FLAKY),
        ([P, F, P], 2, P, Label.FLAKY),
        ([F, F, P], 2, F, Label.FLAKY),
        ([F, F, F], 1, F, Label.STABLE_FAIL),
        ([P, E, P], 2, P, Label.ERROR),
        ([P, E, P], 3, E, Label.ERROR),
        ([P, F, E], 2, E, Label.FLAKY),
        ([F, F, E], 2, F, Label.ERROR),
        ([P, F, E], 3, F, Label.FLAKY),
        ([E, E, E], 1, E, Label.ERROR),
        ([S, S], 2, S, Label.SKIPPED),
    ],
)
def test_outcome_and_label(outcomes: list[Outcome], pass_runs: int, outcome: Outcome, label: Label) -> None:
    found = runs(*outcomes, pass_runs=pass_runs)
    assert (found.outcome, found.label) == (outcome, label)


def test_runs_that_were_not_made_may_have_passed() -> None:
    assert runs(P, pass_runs=2, repetitions=3).outcome is E
    assert runs(P, P, pass_runs=2, repetitions=3).outcome is P
    assert runs(F, F, pass_runs=2, repetitions=3).outcome is F


@given(st.lists(st.sampled_from([P, F, E]), min_size=1, max_size=6), st.data())
def test_a_thread_passes_only_with_enough_passed_runs(outcomes: list[Outcome], data: st.DataObject) -> None:
    must = data.draw(st.integers(1, len(outcomes)))
    found = runs(*outcomes, pass_runs=must)
    assert (found.outcome is P) == (outcomes.count(P) >= must)
    assert found.deciding.outcome in outcomes


def test_the_deciding_run_says_which_it_is() -> None:
    assert runs(P, F, P).deciding.notes == ("this is run 2: 2 of 3 runs passed, 3 must: flaky",)
    assert runs(F).deciding.notes == ()


def test_each_run_is_a_session_of_its_own() -> None:
    sessions: list[str] = []

    def agent(query: str, session_id: str) -> dict[str, Any]:
        sessions.append(session_id)
        calls = [call("add")] if len(sessions) != 2 else []
        return {"output": query, "tool_calls": calls}

    found = run_thread(as_agent(agent), THREAD, Settings(repetitions=3, pass_runs=2))
    assert found.outcomes == (P, F, P)
    assert found.outcome is P
    assert len(set(sessions)) == 3
