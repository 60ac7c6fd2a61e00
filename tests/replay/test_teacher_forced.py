"""Teacher-forced replay: before each turn the history is that of the recording."""

from __future__ import annotations

from typing import Any

import pytest

from tests.replay.test_recorded_tools import recorded_turn, thread
from tests.sets import call, conversation
from trajectory.conversation import NOT_RECORDED, AssistantMessage, ToolCall
from trajectory.errors import AgentError
from trajectory.replay import as_agent, replay
from trajectory.replay.history import openai_messages

TURNS = conversation("t", [("one", [call("add", a=1)]), ("two", []), ("three", [])])


class Chat:
    """A session that keeps its history as it was told and says how long it is."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def set_history(self, messages: list[dict[str, Any]]) -> None:
        self.messages = list(messages)

    def send(self, message: str) -> str:
        self.messages.append({"role": "user", "content": message})
        self.messages.append({"role": "assistant", "content": "something else"})
        return "|".join(str(one["content"]) for one in self.messages if one["role"] != "tool")


class Chats:
    def start_session(self) -> Chat:
        return Chat()


class AsyncChat(Chat):
    async def set_history(self, messages: list[dict[str, Any]]) -> None:  # type: ignore[override]
        self.messages = list(messages)


class AsyncChats:
    def start_session(self) -> Chat:
        return AsyncChat()


@pytest.mark.parametrize("agent", [Chats(), AsyncChats()])
def test_each_turn_goes_on_from_the_recording(agent: Any) -> None:
    replayed = replay(as_agent(agent), TURNS, turn_timeout=10, teacher_forced=True)
    said = [turn.actual.response for turn in replayed.turns if turn.actual]
    assert said[0] == "one|something else"
    assert said[1] == "one|None|answer to one|two|something else"
    assert said[2] == "one|None|answer to one|two|answer to two|three|something else"


def test_without_it_the_agents_own_answers_stand() -> None:
    replayed = replay(as_agent(Chats()), TURNS, turn_timeout=10)
    assert replayed.turns[1].actual is not None
    assert replayed.turns[1].actual.response == "one|something else|two|something else"


def test_a_session_that_cannot_says_so() -> None:
    replayed = replay(as_agent(lambda query: query), TURNS, turn_timeout=10, teacher_forced=True)
    assert replayed.turns[0].failure is None
    failure = replayed.turns[1].failure
    assert failure is not None
    assert failure.text == "this agent's sessions cannot be given a history, so its turns cannot be teacher-forced"
    assert replayed.turns[2].actual is None


def test_messages_name_calls_and_results() -> None:
    recorded = thread(recorded_turn("q", ("a", {"x": 1}, "one"), ("b", {}, None)))
    user, asked, first, second, answer = openai_messages(recorded.traces)
    assert user == {"role": "user", "content": "q"}
    assert [one["function"] for one in asked["tool_calls"]] == [
        {"name": "a", "arguments": '{"x": 1}'},
        {"name": "b", "arguments": "{}"},
    ]
    assert (first["tool_call_id"], first["content"]) == ("c0", "one")
    assert (second["tool_call_id"], second["content"]) == ("c1", "")
    assert answer == {"role": "assistant", "content": "done"}


def test_rounds_of_calls_are_kept() -> None:
    said = [
        AssistantMessage(content="first", tool_calls=(ToolCall(name="a"),)),
        AssistantMessage(tool_calls=(ToolCall(name="b"), ToolCall(name="c"))),
    ]
    base = thread(recorded_turn("q")).traces[0]
    iteration = base.iterations[0].model_copy(update={"output": tuple(said)})
    trace = base.model_copy(update={"iterations": (iteration,), "tool_calls": None})
    rounds = [message for message in openai_messages([trace]) if message.get("tool_calls")]
    assert [(one["content"], len(one["tool_calls"])) for one in rounds] == [("first", 1), (None, 2)]
    ids = [call["id"] for one in rounds for call in one["tool_calls"]]
    assert len(set(ids)) == 3


def test_arguments_that_nobody_knows_cannot_be_told() -> None:
    base = thread(recorded_turn("q")).traces[0]
    trace = base.model_copy(update={"tool_calls": (ToolCall(name="a", arguments=NOT_RECORDED),), "iterations": ()})
    with pytest.raises(AgentError, match="the arguments of the recorded call of a are not known"):
        openai_messages([trace])
