"""The evaluation as a function for ordinary tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import call, conversation
from trajectory import (
    AgentError,
    ArgumentPolicy,
    ConfigurationError,
    EvaluationError,
    MatchMode,
    TrajectoryMismatch,
    evaluate_tool_trajectory,
)
from trajectory.ambient import SOURCES
from trajectory.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

F, G = call("f", a=1), call("g", b="X")
THREAD = conversation("t", [("a", [F, G])])


def agent(*calls: dict[str, Any]) -> Any:
    return lambda query: {"output": query, "tool_calls": list(calls)}


@pytest.fixture(autouse=True)
def outside_of_any_run() -> Iterator[None]:
    """This very test run has settings too, which are not the subject here."""
    token = SOURCES.set(None)
    yield
    SOURCES.reset(token)


def test_a_thread_that_passes_gives_its_result() -> None:
    result = evaluate_tool_trajectory(agent(F, G), THREAD)
    assert result.thread_id == "t"
    assert result.turns[0].match


def test_a_mismatch_is_an_assertion_error_that_explains_itself() -> None:
    with pytest.raises(AssertionError) as caught:
        evaluate_tool_trajectory(agent(G, F), THREAD)
    assert isinstance(caught.value, TrajectoryMismatch)
    assert str(caught.value).startswith("turn 1 of 1 differs\nthread t\n")


def test_no_verdict_is_no_mismatch_and_keeps_its_cause() -> None:
    def dead(query: str) -> str:
        raise OSError(query)

    with pytest.raises(EvaluationError, match="no verdict: turn 1 of 1: the agent raised OSError: a") as caught:
        evaluate_tool_trajectory(dead, THREAD, "SUBSET")
    assert isinstance(caught.value.__cause__, OSError)
    assert not isinstance(caught.value, AssertionError)


def test_nothing_to_evaluate_is_no_pass() -> None:
    with pytest.raises(EvaluationError, match="nothing to evaluate: the thread has no traces"):
        evaluate_tool_trajectory(agent(), conversation("t", []))


@pytest.mark.parametrize("mode", ["UNORDERED", "unordered", MatchMode.UNORDERED])
def test_the_mode_in_any_spelling(mode: Any) -> None:
    evaluate_tool_trajectory(agent(G, F), THREAD, mode)
    evaluate_tool_trajectory(agent(G, F), THREAD, match_mode=mode)


def test_the_other_settings() -> None:
    evaluate_tool_trajectory(agent(F, call("G", b="x")), THREAD, arguments=ArgumentPolicy(case_sensitive=False))
    evaluate_tool_trajectory(agent(F, G, G), THREAD, "UNORDERED", repeats="ignore")
    evaluate_tool_trajectory(agent(F, G), THREAD, turn_timeout=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"match_mode": "unorderd"}, "did you mean 'UNORDERED'"),
        ({"match_mode": 5}, "match mode: expected one of"),
        ({"repeats": "ignor"}, "evaluate_tool_trajectory/repeats: expected one of count, ignore"),
        ({"turn_timeout": -1}, "evaluate_tool_trajectory/turn_timeout: "),
        ({"turn_timeout": True}, "evaluate_tool_trajectory/turn_timeout: "),
        ({"arguments": "ignore"}, "evaluate_tool_trajectory/arguments: expected an object"),
        ({"arguments": 5}, "evaluate_tool_trajectory/arguments: expected an object"),
    ],
)
def test_a_setting_that_cannot_be_carried_out(settings: dict[str, Any], message: str) -> None:
    called: list[str] = []
    with pytest.raises(ConfigurationError, match=message):
        evaluate_tool_trajectory(called.append, THREAD, **settings)
    assert not called


def test_what_the_thread_states_is_checked_too() -> None:
    thread = conversation("t", [("a", [])], evaluation={"match_mod": "STRICT"})
    with pytest.raises(ConfigurationError, match=r"thread 't': evaluation/match_mod: .*did you mean 'match_mode'"):
        evaluate_tool_trajectory(agent(), thread)


def test_what_is_no_agent() -> None:
    with pytest.raises(AgentError, match="is no agent"):
        evaluate_tool_trajectory("module:agent", THREAD)


@pytest.mark.parametrize("thread", [{"t": THREAD}, "t", agent(F, G), None, [THREAD]])
def test_what_is_no_thread(thread: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected a ConversationThread as the second argument, found "):
        evaluate_tool_trajectory(agent(F, G), thread)


@pytest.mark.parametrize(
    ("code", "command_line", "thread", "ini", "passes"),
    [
        (None, None, None, None, False),
        (None, None, None, "UNORDERED", True),
        (None, None, "UNORDERED", "STRICT", True),
        (None, "UNORDERED", "STRICT", "STRICT", True),
        ("UNORDERED", "STRICT", "STRICT", "STRICT", True),
        ("STRICT", "UNORDERED", "UNORDERED", "UNORDERED", False),
        (None, "STRICT", "UNORDERED", None, False),
    ],
)
def test_who_wins(
    code: str | None, command_line: str | None, thread: str | None, ini: str | None, *, passes: bool
) -> None:
    def stated(mode: str | None) -> Settings:
        return Settings.model_validate({"match_mode": mode} if mode else {})

    evaluation = {"evaluation": {"match_mode": thread}} if thread else {}
    SOURCES.set(lambda: (stated(command_line), stated(ini)))
    swapped = conversation("t", [("a", [F, G])], **evaluation)
    if passes:
        evaluate_tool_trajectory(agent(G, F), swapped, code)
    else:
        with pytest.raises(TrajectoryMismatch):
            evaluate_tool_trajectory(agent(G, F), swapped, code)
