"""The state in which a session ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from tests.sets import conversation
from trajectory.evaluations import Outcome, ThreadResult
from trajectory.replay import RecordedRun, as_agent
from trajectory.running import run_thread
from trajectory.settings import THREAD_KEYS, Settings, read_settings

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread

P, F, E = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR


class Stateful:
    """An agent whose session reports a state in the way that a test asks for."""

    def __init__(self, how: str, state: Any) -> None:
        self.how, self.state_of_it = how, state

    def start_session(self) -> Any:
        how, state = self.how, self.state_of_it

        class Session:
            def send(self, message: str) -> str:
                return message

        session = Session()
        if how == "attribute":
            session.state = state  # type: ignore[attr-defined]
        elif how == "method":
            session.final_state = lambda: state  # type: ignore[attr-defined]
        elif how == "async":

            async def report() -> Any:
                return state

            session.final_state = report  # type: ignore[attr-defined]
        return session


def ran(expected: dict[str, Any] | None, agent: Any, rules: list[Any] | None = None) -> ThreadResult:
    keys = {} if expected is None else {"expected_final_state": expected}
    thread = conversation("t", [("hello", [])], **keys)
    settings = read_settings({"rules": rules}, keys=THREAD_KEYS, source="") if rules else Settings()
    return run_thread(as_agent(agent), thread, settings).deciding


@pytest.mark.parametrize("how", ["attribute", "method", "async"])
@pytest.mark.parametrize(
    ("expected", "state", "outcome"),
    [
        ({"a": 1}, {"a": 1}, P),
        ({"a": 1}, {"a": 1.0}, P),
        ({"a": 1}, {"a": True}, F),
        ({"a": 1}, {"a": 1, "b": 2}, P),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, P),
        ({"a": 1}, {}, F),
        ({}, {"a": 1}, P),
        ({"a": 1}, "text", E),
        ({"a": 1}, {"a": object()}, E),
    ],
)
def test_it_is_looked_at_because_the_thread_states_it(how: str, expected: Any, state: Any, outcome: Outcome) -> None:
    found = ran(expected, Stateful(how, state))
    assert found.outcome is outcome
    assert found.rules == ("tool_trajectory", "final_state")


def test_differences_are_named_path_by_path() -> None:
    found = ran({"cart": {"items": [1, 2]}, "paid": True}, Stateful("attribute", {"cart": {"items": [1, 3]}}))
    assert found.verdicts[0].verdict.reason == "the final state differs, expected -> got"
    assert found.verdicts[0].verdict.evidence == ("/cart/items/1  2 -> 3", "/paid  true -> (nothing)")


def test_settings_of_the_rule() -> None:
    agent = Stateful("attribute", {"a": 1, "at": "now"})
    exact = {"final_state": {"match": "exact"}}
    assert ran({"a": 1}, agent, [exact]).outcome is F
    ignoring = {"final_state": {"match": "exact", "ignore_paths": ["/at"]}}
    assert ran({"a": 1}, agent, [ignoring]).outcome is P


@pytest.mark.parametrize("agent", [lambda query: query, Stateful("none", None)])
def test_a_session_without_a_state_gives_no_verdict(agent: Any) -> None:
    found = ran({"a": 1}, agent)
    assert found.outcome is E
    assert "the final state is not known" in str(found.verdicts[0])


def test_a_thread_that_states_nothing_is_not_asked() -> None:
    assert ran(None, Stateful("method", 1 / 2)).rules == ("tool_trajectory",)
    found = ran(None, Stateful("method", 1 / 2), ["final_state", "tool_trajectory"])
    assert found.outcome is P
    assert found.verdicts[0].verdict.outcome is Outcome.SKIPPED


def test_an_empty_expectation_is_nothing_to_evaluate_unless_the_state_must_equal_it() -> None:
    agent = Stateful("attribute", {"a": 1})
    assert ran({}, agent, ["final_state"]).outcome is Outcome.SKIPPED
    assert ran({}, agent, [{"final_state": {"match": "exact"}}]).outcome is F


def test_models_are_taken_as_their_fields() -> None:
    class State(BaseModel):
        a: int = 1

    assert ran({"a": 1}, Stateful("attribute", State())).outcome is P


def test_a_recording_tells_its_state_or_says_that_it_does_not() -> None:
    thread = conversation("t", [("hello", [])], expected_final_state={"a": 1})

    def came_to(recorded: ConversationThread) -> Outcome:
        return run_thread(RecordedRun([recorded]), thread, Settings()).outcome

    assert came_to(thread.model_copy(update={"final_state": {"a": 1}})) is P
    assert came_to(thread.model_copy(update={"final_state": {"a": 2}})) is F
    assert came_to(thread) is E
