"""What an agent returns: every form that is understood, and everything that must not become a quiet 'no calls'."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, computed_field

from tests.sets import TIME, conversation, trace
from trajectory.conversation import AssistantMessage, Iteration, MalformedArguments, ToolCall, Trace, Usage, UserMessage
from trajectory.errors import EvaluationError
from trajectory.replay import as_agent, replay
from trajectory.replay.reading import read_result

if TYPE_CHECKING:
    from collections.abc import Callable

BEGUN = datetime(2026, 8, 1, 9, tzinfo=UTC)
F = {"name": "f", "arguments": {"a": 1}}
G = {"name": "g", "arguments": {"b": [2]}}
OPENAI = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


def read(result: Any, query: str = "hi") -> Trace:
    return read_result(result, query, BEGUN)


def calls(result: Any) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in read(result).trajectory]


def assistant(content: Any = None, **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **keys}


class Function(BaseModel):
    name: str
    arguments: str


class FunctionCallObject(BaseModel):
    id: str = "c1"
    type: str = "function"
    function: Function


class OpenAIMessage(BaseModel):
    role: str = "assistant"
    content: str | None
    tool_calls: list[FunctionCallObject] | None = None


class LangChainMessage(BaseModel):
    type: str = "ai"
    content: str | list[Any]
    tool_calls: list[dict[str, Any]] = []
    invalid_tool_calls: list[dict[str, Any]] = []


class Result(BaseModel):
    output: str
    tool_calls: list[Any] = []


class ComputedResult(BaseModel):
    output: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        return [F]


class Holder(BaseModel):
    message: Any


@dataclass
class DataMessage:
    content: str | None
    role: str = "assistant"
    tool_calls: list[Any] = field(default_factory=list)


@dataclass
class DataResult:
    answer: str
    tool_calls: tuple[Any, ...] = ()
    anything: Any = None


OPENAI_OBJECT = FunctionCallObject(function=Function(name="f", arguments='{"a": 1}'))
HISTORY = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "before"},
    assistant(tool_calls=[{"id": "c0", "type": "function", "function": {"name": "g", "arguments": "{}"}}]),
    {"role": "tool", "tool_call_id": "c0", "content": "1"},
    assistant("done"),
    {"role": "user", "content": "hi"},
    assistant(tool_calls=[OPENAI]),
    {"role": "tool", "tool_call_id": "c1", "content": "2"},
    assistant("text"),
]
NATIVE = trace(1, "hi", [F], assistant("text"))
RECORD = Trace.model_validate(NATIVE)
BLOCKS = [{"type": "text", "text": "text"}, {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]


# ---------------------------------------------------------------------------------------------------- what is understood


@pytest.mark.parametrize(
    "result",
    [
        "text",
        AssistantMessage(content="text"),
        assistant("text"),
        [assistant("text")],
        (assistant("text"),),
        {"messages": [assistant("text")]},
        {"output": "text"},
        {"response": "text", "tool_calls": []},
        {"content": "text", "tool_calls": None},
        {"text": "text", "toolCalls": ()},
        {"answer": "text", "usage": {"tokens": 5}},
        {"message": "text"},
        {"final_response": "text"},
        {"final_output": "text", "output": None},
        {"output": assistant("text")},
        {"output": AssistantMessage(content="text")},
        {"output": ["ignored"], "messages": [assistant("text")]},
        MappingProxyType({"output": "text"}),
        Result(output="text"),
        OpenAIMessage(content="text"),
        LangChainMessage(content="text"),
        LangChainMessage(content=[{"type": "text", "text": "text"}]),
        Holder(message=OpenAIMessage(content="text")),
        DataMessage("text"),
        DataResult("text"),
    ],
    ids=repr,
)
def test_an_answer_without_calls(result: Any) -> None:
    understood = read(result)
    assert (understood.response, understood.trajectory, understood.query) == ("text", (), "hi")


@pytest.mark.parametrize(
    "result",
    [
        RECORD,
        NATIVE,
        RECORD.model_dump(),
        RECORD.model_dump(by_alias=True),
        AssistantMessage(content="text", tool_calls=(ToolCall.read(F),)),
        assistant("text", tool_calls=[OPENAI]),
        assistant("text", tool_calls=[F]),
        assistant("text", toolCalls=[F]),
        assistant(BLOCKS),
        {"content": BLOCKS, "type": "ai"},
        [assistant(tool_calls=[OPENAI]), {"role": "tool", "tool_call_id": "c1", "content": "2"}, assistant("text")],
        [AssistantMessage(tool_calls=(ToolCall.read(F),)), AssistantMessage(content="text")],
        [OpenAIMessage(content=None, tool_calls=[OPENAI_OBJECT]), OpenAIMessage(content="text")],
        [DataMessage(None, tool_calls=[OPENAI]), DataMessage("text")],
        HISTORY,
        {"messages": HISTORY},
        {"messages": [assistant("text")], "tool_calls": [F]},
        {"messages": HISTORY, "tool_calls": [F]},
        {"output": "text", "tool_calls": [F]},
        {"output": "text", "tool_calls": [OPENAI]},
        {"output": "text", "tool_calls": (ToolCall.read(F),)},
        {"output": "text", "tool_calls": [OPENAI_OBJECT]},
        {"output": "text", "toolCalls": [F]},
        {"output": "text", "tool_calls": None, "toolCalls": [F]},
        {"output": "text", "tool_calls": [{"name": "f", "args": {"a": 1}}]},
        {"output": assistant("text"), "tool_calls": [F]},
        {"output": assistant("text", tool_calls=[F]), "tool_calls": []},
        {"output": assistant("text", tool_calls=[F]), "tool_calls": [OPENAI]},
        {"output": {"messages": HISTORY}},
        {"text": "text", "message": assistant("text", tool_calls=[F])},
        {"output": RECORD},
        {"tool_calls": [F]},
        Result(output="text", tool_calls=[F]),
        ComputedResult(output="text"),
        OpenAIMessage(content="text", tool_calls=[OPENAI_OBJECT]),
        LangChainMessage(content="text", tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]),
        Holder(message=OpenAIMessage(content="text", tool_calls=[OPENAI_OBJECT])),
        DataMessage("text", tool_calls=[OPENAI]),
        DataResult("text", (F,)),
    ],
)
def test_an_answer_with_a_call(result: Any) -> None:
    assert calls(result) == [F]
    assert read(result).response in {"text", None}


def test_calls_of_the_iterations_of_a_trace_count() -> None:
    iteration = Iteration(
        history=(UserMessage(content="hi"),),
        output=(AssistantMessage(tool_calls=(ToolCall.read(F),)),),
        start_time=TIME,
        end_time=TIME,
    )
    record = RECORD.model_copy(update={"tool_calls": None, "iterations": (iteration,)})
    assert calls(record) == [F]
    assert calls(record.model_dump()) == [F]


def test_malformed_arguments_survive_every_object() -> None:
    malformed = ToolCall(name="f", arguments=MalformedArguments("{", "no JSON"))
    for result in (
        Result(output="text", tool_calls=[malformed]),
        DataResult("text", (malformed,)),
        {"output": "text", "tool_calls": [malformed]},
    ):
        assert read(result).trajectory[0].arguments == MalformedArguments("{", "no JSON")


def test_calls_that_langchain_could_not_parse_count() -> None:
    invalid = {"name": "f", "args": '{"a": ', "id": "c1", "error": "no JSON", "type": "invalid_tool_call"}
    (call,) = read(LangChainMessage(content="", invalid_tool_calls=[invalid])).trajectory
    assert isinstance(call.arguments, MalformedArguments)


def test_an_object_that_cannot_be_copied_may_stand_beside_the_answer() -> None:
    assert read(DataResult("text", anything=asyncio.Lock())).response == "text"


def test_the_times_and_the_query_are_those_of_the_turn() -> None:
    understood = read("text", "what is up?")
    assert understood.query == "what is up?"
    assert datetime.fromisoformat(str(understood.start_time)) == BEGUN
    assert datetime.fromisoformat(str(understood.end_time)) > BEGUN


# -------------------------------------------------------------------------------------------------- what is not understood


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "the agent returned None; understood are"),
        (5, "the agent returned the number 5; understood are"),
        (True, "the agent returned true; understood are"),
        (b"text", "the agent returned a bytes; understood are"),
        ({"a", "b"}, "the agent returned a set; understood are"),
        (object(), "the agent returned a object; understood are"),
        (str, "the agent returned a type; understood are"),
        (Result, "the agent returned a ModelMetaclass; understood are"),
        (DataResult, "the agent returned a type; understood are"),
        ((part for part in "ab"), "the agent returned a generator; understood are"),
        ([], "the agent returned an empty array; understood are"),
        ((), "the agent returned an empty array; understood are"),
        ({}, "the agent returned an empty object; understood are"),
        ({"answr": "x"}, "the agent returned an object with the keys answr; understood are"),
        ({5: "x"}, "the agent returned an object with the keys 5; understood are"),
        (
            ToolCall.read(F),
            "the agent returned an object with the keys name, arguments, id, result, agent; understood are",
        ),
        ("", "no text and no tool call"),
        (" \n", "no text and no tool call"),
        ({"output": ""}, "no text and no tool call"),
        ({"output": None, "tool_calls": []}, "no text and no tool call"),
        ({"tool_calls": []}, "no text and no tool call"),
        (assistant(""), "no text and no tool call"),
        ([{"role": "user", "content": "hi"}], "no text and no tool call"),
        (AssistantMessage(), "no text and no tool call"),
        (UserMessage(content="hi"), "no text and no tool call"),
        ({"output": 5}, "the agent's output is the number 5, not a text"),
        ({"output": True}, "the agent's output is true, not a text"),
        ({"output": object()}, "the agent's output is a object, not a text"),
        ({"output": []}, "an empty array"),
        ({"output": {}}, "an empty object"),
        (["text"], "message 1 of 1: expected a message, found the string"),
        (("text", [F]), "message 1 of 2: expected a message, found the string"),
        ([{"role": "robot", "content": "x"}], "message 1 of 1: expected one of the roles"),
        ({"messages": []}, "no text and no tool call"),
        ({"messages": None}, "expected a list of messages, found null"),
        ({"messages": "text"}, "expected a list of messages, found the string"),
        ({"output": "x", "tool_calls": [5]}, "tool_calls: expected a tool call, found the number 5"),
        ({"output": "x", "tool_calls": [{"tool": "f"}]}, "tool_calls: expected a tool call with a name"),
        ({"output": "x", "tool_calls": F}, "expected a list of tool calls, found an object"),
        ({"output": "x", "tool_calls": {}}, "expected a list of tool calls, found an empty object"),
        ({"output": "x", "tool_calls": ""}, "expected a list of tool calls, found the string"),
        ({"output": "x", "tool_calls": "f"}, "expected a list of tool calls, found the string"),
        ({"output": "x", "tool_calls": 0}, "expected a list of tool calls, found the number 0"),
        ({"output": "x", "tool_calls": False}, "expected a list of tool calls, found false"),
        ({"output": "x", "tool_calls": (call for call in [F])}, "expected a list of tool calls, found a generator"),
        ({"output": "x", "tool_cals": []}, "the key 'tool_cals'; did you mean 'tool_calls'"),
        ({"output": "x", "tool_call": F}, "the key 'tool_call'; did you mean 'tool_calls'"),
        ({"output": "x", "ToolCalls": [F]}, "the key 'ToolCalls'; did you mean 'tool_calls'"),
        ({"output": "x", "calls": [F]}, "the key 'calls'; did you mean 'tool_calls'"),
        ({"output": "x", "function_calls": [F]}, "the key 'function_calls'; did you mean 'tool_calls'"),
        ({"output": assistant("x", tool_calls=[F]), "tool_calls": [G]}, "states its tool calls twice, and not alike"),
        ({"messages": HISTORY, "tool_calls": [F, G]}, "states its tool calls twice, and not alike"),
        ({"userMessage": {"role": "user", "content": "hi"}}, "a trace that is wrong at id"),
        ({**NATIVE, "toolCals": []}, "a trace that is wrong at toolCals"),
        (Trace.model_validate({**NATIVE, "output": "quota exceeded"}), "the turn ended in an error: quota exceeded"),
    ],
)
def test_what_is_no_answer_is_an_error(result: Any, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        read(result)
    assert message in str(caught.value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("wrap", [lambda it: it, lambda it: {"output": it}, lambda it: Holder(message=it)])
def test_a_coroutine_that_nobody_awaited(wrap: Callable[[Any], Any]) -> None:
    async def late() -> str:
        return "late"

    with pytest.raises(EvaluationError, match="a coroutine that nobody awaited"):
        read(wrap(late()))


def test_lists_that_only_sound_like_calls_may_be_empty_or_stand_beside_the_calls() -> None:
    assert read({"output": "x", "callbacks": []}).response == "x"
    assert read({"output": "x", "recalled": "yes"}).response == "x"
    assert calls({"output": "x", "tool_calls": [F], "callbacks": [print]}) == [F]


# --------------------------------------------------------------------------------------------------- what comes afterwards


@pytest.mark.parametrize(
    "wrap",
    [
        lambda it: {"output": "x", "tool_calls": [{"name": "f", "arguments": it}]},
        lambda it: [assistant("x", tool_calls=[{"name": "f", "arguments": it}])],
        lambda it: Result(output="x", tool_calls=[{"name": "f", "arguments": it}]),
    ],
)
def test_changing_what_was_returned_changes_nothing(wrap: Callable[[Any], Any]) -> None:
    arguments = {"a": 1, "b": {"c": []}}
    understood = read(wrap(arguments))
    arguments["b"]["c"].append("later")  # type: ignore[index]
    assert understood.trajectory[0].arguments == {"a": 1, "b": {"c": []}}


@pytest.mark.parametrize(
    "wrap",
    [
        lambda call: RECORD.model_copy(update={"tool_calls": (call,)}),
        lambda call: AssistantMessage(content="x", tool_calls=(call,)),
        lambda call: [AssistantMessage(tool_calls=(call,)), AssistantMessage(content="x")],
        lambda call: {"output": "x", "tool_calls": [call]},
    ],
)
def test_changing_the_records_that_were_returned_changes_nothing(wrap: Callable[[Any], Any]) -> None:
    call = ToolCall(name="f", arguments={"a": {"b": 1}})
    understood = read(wrap(call))
    assert isinstance(call.arguments, dict)
    call.arguments["a"]["b"] = 2
    assert understood.trajectory[0].arguments == {"a": {"b": 1}}


def test_an_agent_that_returns_its_growing_history() -> None:
    history: list[dict[str, Any]] = []

    def agent(query: str) -> list[dict[str, Any]]:
        history.append({"role": "user", "content": query})
        history.append(assistant(tool_calls=[{"name": query, "arguments": {}}]))
        history.append(assistant("done"))
        return history

    replayed = replay(as_agent(agent), conversation("t", [("a", []), ("b", []), ("a", [])]), turn_timeout=0)
    made = [[call.name for call in turn.actual.trajectory] for turn in replayed.turns if turn.actual]
    assert made == [["a"], ["b"], ["a"]]


# --------------------------------------------------------------------------------------------------- what a turn took


class Spent(BaseModel):
    prompt_tokens: int = 5
    completion_tokens: int = 6


@dataclass
class Answer:
    output: str = "done"
    usage: Spent = field(default_factory=Spent)
    cost_usd: float = 0.5
    model: str = "m"


@pytest.mark.parametrize(
    "result",
    [
        {"output": "done", "usage": {"input_tokens": 5, "output_tokens": 6}, "cost_usd": 0.5, "model": "m"},
        {
            "output": "done",
            "tool_calls": [F],
            "usage": {"inputTokens": 5, "outputTokens": 6, "cost": 0.5},
            "model": "m",
        },
        {"messages": [assistant("done")], "usage": Spent(), "cost_usd": 0.5, "model": "m"},
        assistant("done", usage={"prompt_tokens": 5, "completion_tokens": 6}, cost_usd=0.5, model="m"),
        {"response": assistant("done", usage=Spent(), cost_usd=0.5, model="m")},
        Answer(),
    ],
)
def test_an_agent_may_say_what_a_turn_took(result: Any) -> None:
    found = read(result)
    assert found.usage == Usage(input_tokens=5, output_tokens=6, cost_usd=0.5)
    assert (found.response, found.models) == ("done", ("m",))


def test_messages_may_say_what_their_requests_took() -> None:
    spent = {"input_tokens": 5, "output_tokens": 6}
    before = [{"type": "human", "content": "a"}, {"type": "ai", "content": "b", "usage_metadata": spent}]
    asked = {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "1"}], "usage_metadata": spent}
    result = {"type": "tool", "content": "ok", "tool_call_id": "1"}
    done = {"type": "ai", "content": "done", "usage_metadata": spent, "response_metadata": {"model_name": "m"}}
    found = read({"messages": [*before, {"type": "human", "content": "hi"}, asked, result, done]})
    assert (found.usage, found.models) == (Usage(10, 12, cost_complete=False), ("m",))


@pytest.mark.parametrize("told", [{}, {"usage": "many"}, {"usage": {"input_tokens": -5}, "cost_usd": True, "model": 7}])
def test_what_is_no_usage_is_not_known(told: dict[str, Any]) -> None:
    found = read({"output": "done", **told})
    assert (found.response, found.usage, found.models) == ("done", None, None)
