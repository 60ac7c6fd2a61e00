"""What a replayed thread comes to, turn by turn and as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import call, conversation
from trajectory.conversation import NOT_RECORDED, ToolCall, ToolSchema
from trajectory.evaluations import Outcome, ThreadResult, TurnResult, judge
from trajectory.replay import RecordedRun, as_agent, replay
from trajectory.settings import MatchMode, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread

F, G = call("f", a=1), call("g", b=2)


def judged(
    thread: ConversationThread, agent: Callable[[str], Any], mode: MatchMode = MatchMode.STRICT, **settings: Any
) -> ThreadResult:
    replayed = replay(as_agent(agent), thread, turn_timeout=0)
    return judge(replayed, Settings(match_mode=mode, **settings))


def says(*answers: Sequence[dict[str, Any]] | Exception) -> Callable[[str], Any]:
    left = list(answers)

    def agent(query: str) -> dict[str, Any]:
        calls = left.pop(0)
        if isinstance(calls, Exception):
            raise calls
        return {"output": query, "tool_calls": list(calls)}

    return agent


def test_a_thread_passes_when_every_turn_does() -> None:
    result = judged(conversation("t", [("a", [F]), ("b", [])]), says([F], []))
    assert result.outcome is Outcome.PASSED
    assert [turn.outcome for turn in result.turns] == [Outcome.PASSED, Outcome.PASSED]
    assert result.failing_turns == ()


def test_all_failing_turns_are_kept() -> None:
    result = judged(conversation("t", [("a", [F]), ("b", [F]), ("c", [F])]), says([G], [F], []))
    assert result.outcome is Outcome.FAILED
    assert [turn.number for turn in result.failing_turns] == [1, 3]


def test_an_error_leaves_the_turns_before_it_judged_and_those_after_it_without_a_verdict() -> None:
    result = judged(conversation("t", [("a", [F]), ("b", []), ("c", [])]), says([G], OSError("gone"), []))
    assert result.outcome is Outcome.ERROR
    assert [turn.outcome for turn in result.turns] == [Outcome.FAILED, Outcome.ERROR, None]
    broken, after = result.turns[1:]
    assert (broken.reason, after.reason) == ("the agent raised OSError: gone", "not run")
    assert isinstance(broken.exception, OSError)
    assert broken.details
    assert broken.match is None


@pytest.mark.parametrize("mode", MatchMode)
def test_a_dead_agent_passes_in_no_mode(mode: MatchMode) -> None:
    assert judged(conversation("t", [("a", [])]), says(OSError()), mode).outcome is Outcome.ERROR


def test_arguments_that_were_not_recorded_give_no_verdict_where_they_are_needed() -> None:
    recorded = conversation("t", [("a", [F])])
    kept = recorded.traces[0].model_copy(update={"tool_calls": (ToolCall(name="f", arguments=NOT_RECORDED),)})
    run = RecordedRun([recorded.model_copy(update={"traces": (kept,)})])
    replayed = replay(run, recorded, turn_timeout=0)
    result = judge(replayed, Settings())
    assert result.outcome is Outcome.ERROR
    assert "not recorded" in result.turns[0].reason
    ignoring = Settings.model_validate({"arguments": {"policy": "ignore"}})
    assert judge(replayed, ignoring).outcome is Outcome.PASSED


def test_surplus_turns_of_a_recording_fail_the_thread() -> None:
    run = RecordedRun([conversation("t", [("a", [F]), ("b", [])])])
    for turns in ([("a", [F])], []):
        result = judge(replay(run, conversation("t", turns), turn_timeout=0), Settings())
        assert result.outcome is Outcome.FAILED
        assert result.surplus


def test_a_thread_without_turns_is_skipped() -> None:
    assert judged(conversation("t", []), says()).outcome is Outcome.SKIPPED


def turn(outcome: Outcome | None, number: int = 1) -> TurnResult:
    return TurnResult(number, conversation("t", [("a", [])]).traces[0], outcome)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], Outcome.SKIPPED),
        ([Outcome.SKIPPED], Outcome.SKIPPED),
        ([Outcome.SKIPPED, Outcome.PASSED], Outcome.PASSED),
        ([Outcome.SKIPPED, Outcome.FAILED, Outcome.PASSED], Outcome.FAILED),
        ([Outcome.FAILED, Outcome.ERROR, None], Outcome.ERROR),
        ([None, Outcome.PASSED], Outcome.ERROR),
        ([Outcome.PASSED, Outcome.PASSED], Outcome.PASSED),
    ],
)
def test_the_outcome_of_a_thread(outcomes: list[Outcome | None], expected: Outcome) -> None:
    result = ThreadResult("t", tuple(turn(outcome, number) for number, outcome in enumerate(outcomes, start=1)))
    assert result.outcome is expected
    kept = {Outcome.PASSED, Outcome.SKIPPED}
    assert [t.outcome for t in result.failing_turns] == [outcome for outcome in outcomes if outcome not in kept]


@pytest.mark.parametrize(
    ("mode", "expected", "actual", "empty"),
    [
        (MatchMode.SUBSET, [F], [], True),
        (MatchMode.SUPERSET, [], [F], True),
        (MatchMode.IN_ORDER, [], [F], True),
        (MatchMode.SUPERSET, [F], [F], False),
        (MatchMode.STRICT, [], [], False),
        (MatchMode.UNORDERED, [], [], False),
    ],
)
def test_a_side_that_is_empty_is_marked(mode: MatchMode, expected: Any, actual: Any, *, empty: bool) -> None:
    result = judged(conversation("t", [("a", expected)]), says(actual), mode)
    assert result.outcome is Outcome.PASSED
    assert result.nothing_to_check is empty


def test_one_turn_that_is_checked_is_enough() -> None:
    result = judged(conversation("t", [("a", []), ("b", [F])]), says([], [F]), MatchMode.SUPERSET)
    assert not result.nothing_to_check


# -------------------------------------------------------------------------------------------------------------- notes


def notes(agent: Callable[[str], Any]) -> tuple[str, ...]:
    return judged(conversation("t", [("a", [F])]), agent).turns[0].notes


def test_calls_that_are_odd_are_noted() -> None:
    assert notes(says([F])) == ()
    (note,) = notes(says([F, {"name": "f", "arguments": "{"}]))
    assert note.startswith("call 2 has malformed arguments: the text is not JSON")


def test_an_agent_that_returns_a_text_only_is_told_how_calls_are_seen() -> None:
    assert "calls are seen only when" in notes(lambda query: query)[0]


def test_calls_that_the_agents_own_tool_list_does_not_know() -> None:
    trace = conversation("t", [("a", [F, G, G])]).traces[0]
    known = trace.model_copy(update={"tools": (ToolSchema(name="f", description=""),)})
    assert notes(lambda _: known) == ("the agent's own tool list does not know 'g'",)
