"""Lists of messages of many makers: one understanding of turns, calls and answers."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    MalformedArguments,
    SystemMessage,
    ToolCall,
    Trace,
    UserMessage,
    moment,
)
from trajectory.recordings import read_messages, turn_from_messages

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = os.environ.get("TRAJECTORY_CORPUS")
START = datetime(2026, 8, 1, 9, tzinfo=UTC)
END = START + timedelta(seconds=2)
CALL = ToolCall(name="f", arguments={"a": 1}, id="c1")


def turns(*messages: object) -> list[Trace]:
    return read_messages(messages, start=START, end=END)


def last_turn(*messages: object, query: str = "hi") -> Trace:
    return turn_from_messages(messages, query, start=START, end=END, id="t")


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def openai(name: str = "f", arguments: object = '{"a": 1}', identity: str = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": identity, "type": "function", "function": function}],
    }


# ------------------------------------------------------------------------------------------------- forms of a message

FORMS: dict[str, list[Any]] = {
    "OpenAI Chat": [openai(), {"role": "tool", "tool_call_id": "c1", "content": "ok"}, says("done")],
    "OpenAI Chat with parts": [
        openai(),
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [{"type": "text", "text": "o"}, {"type": "text", "text": "k"}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "done"}], "refusal": None, "function_call": None},
    ],
    "native": [
        {"role": "assistant", "content": None, "toolCalls": [{"name": "f", "arguments": {"a": 1}, "id": "c1"}]},
        {"role": "function", "name": "f", "content": "ok", "id": "c1"},
        {"role": "assistant", "content": "done", "toolCalls": None},
    ],
    "simplified": [
        {"role": "assistant", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        says("done"),
    ],
    "LangChain": [
        {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}]},
        {"type": "tool", "name": "f", "tool_call_id": "c1", "content": "ok"},
        {"type": "ai", "content": "done", "tool_calls": [], "invalid_tool_calls": []},
    ],
    "Anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "done"}]},
    ],
    "our own records": [
        AssistantMessage(tool_calls=(CALL,)),
        FunctionMessage(name="f", content="ok", id="c1"),
        AssistantMessage(content="done"),
    ],
}


class Function(BaseModel):
    name: str = "f"
    arguments: str = '{"a": 1}'


class Call(BaseModel):
    id: str = "c1"
    type: str = "function"
    function: Function = Function()


class Message(BaseModel):
    role: str = "assistant"
    content: str | None = None
    tool_calls: list[Call] | None = None


@dataclass
class PlainCall:
    name: str = "f"
    arguments: dict[str, int] = field(default_factory=lambda: {"a": 1})
    id: str = "c1"


@dataclass
class PlainMessage:
    role: str = "assistant"
    content: str | None = None
    tool_calls: list[PlainCall] = field(default_factory=list)


RESULT = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
FORMS["objects with a model_dump"] = [Message(tool_calls=[Call()]), RESULT, Message(content="done")]
FORMS["dataclasses"] = [PlainMessage(tool_calls=[PlainCall()]), RESULT, PlainMessage(content="done")]
FORMS["objects inside a mapping"] = [{"role": "assistant", "tool_calls": [Call()]}, RESULT, says("done")]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_alike(form: str) -> None:
    (trace,) = turns(user("hi"), *FORMS[form])
    assert (trace.query, trace.response, trace.trajectory) == ("hi", "done", (CALL,))
    assert trace.model_dump() == turns(user("hi"), *FORMS["native"])[0].model_dump()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_alike_as_one_turn(form: str) -> None:
    messages = FORMS[form]
    assert last_turn(*messages).trajectory == (CALL,)
    assert last_turn(user("hi"), *messages) == last_turn(*messages)


def test_a_trace_holds_all_that_happened() -> None:
    trace = last_turn(*FORMS["native"])
    asked, result, done = FORMS["our own records"]
    assert [iteration.output for iteration in trace.iterations] == [(asked, result), (done,)]
    assert trace.iterations[1].history == (UserMessage(content="hi"), asked, result)
    assert (trace.id, moment(trace.start_time), moment(trace.end_time)) == ("t", START, END)
    assert Trace.model_validate(trace.model_dump()) == trace
    assert trace.model_copy(update={"tool_calls": None}).trajectory == trace.trajectory


# ------------------------------------------------------------------------------------------------------------- turns


def test_one_trace_for_each_user_message() -> None:
    found = turns(user("a"), says("A"), user("b"), openai(), RESULT, says("B"), user("c"))
    assert [(trace.id, trace.query, trace.response, len(trace.trajectory)) for trace in found] == [
        ("turn-1", "a", "A", 0),
        ("turn-2", "b", "B", 1),
        ("turn-3", "c", None, 0),
    ]


def test_a_greeting_is_no_turn() -> None:
    assert [trace.query for trace in turns({"role": "system", "content": "s"}, says("Hello!"), user("a"))] == ["a"]


def test_calls_before_the_first_user_message_are_not_lost() -> None:
    found = turns(openai(), RESULT, user("a"))
    assert [(trace.query, trace.trajectory) for trace in found] == [("", (CALL,)), ("a", ())]


def test_results_before_the_first_user_message_are_not_lost() -> None:
    result = {"role": "tool", "tool_call_id": "c0", "content": "rain"}
    first, second = turns(result, {"role": "assistant", "content": "It rains."}, {"role": "user", "content": "thanks"})
    assert (first.query, first.response, second.query) == ("", "It rains.", "thanks")
    assert [left.content for left in first.pairing.unpaired] == ["rain"]


def test_a_result_that_came_after_the_user_spoke_again_belongs_to_the_turn_of_its_call() -> None:
    late = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
    first, second = turns(user("a"), openai(), user("b"), late, says("wet"))
    assert [call.result and call.result.content for call in first.trajectory] == ["rain"]
    assert (second.response, second.trajectory, second.pairing.unpaired) == ("wet", (), ())
    first, second = turns(user("a"), openai(), late, user("b"), late)
    assert [left.content for left in second.pairing.unpaired] == ["rain"]


def test_a_conversation_without_a_user_message_is_a_turn() -> None:
    (turn,) = turns({"role": "system", "content": "x"}, {"role": "assistant", "content": "Done."})
    assert (turn.query, turn.response, turn.trajectory) == ("", "Done.", ())
    assert turns({"role": "system", "content": "x"}) == []


def test_results_and_text_in_one_user_message_end_a_turn_and_start_one() -> None:
    content = [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}, {"type": "text", "text": "and now?"}]
    found = turns(user("a"), FORMS["Anthropic"][0], {"role": "user", "content": content}, says("done"))
    assert [(trace.query, trace.trajectory) for trace in found] == [("a", (CALL,)), ("and now?", ())]
    assert found[0].iterations[0].output[1] == FunctionMessage(name="f", content="ok", id="c1", error=False)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"role": "tool", "tool_call_id": "c1", "content": "Error: no"}, None),
        ({"type": "tool", "tool_call_id": "c1", "content": "no"}, None),
        ({"type": "tool", "tool_call_id": "c1", "content": "no", "status": "error"}, True),
        ({"type": "tool", "tool_call_id": "c1", "content": "ok", "status": "success"}, False),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]}, False),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": None}]}, False),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": True}]}, True),
    ],
)
def test_whether_a_call_failed_is_what_its_place_says(result: dict[str, Any], *, error: bool | None) -> None:
    (call,) = last_turn(user("hi"), openai(), result).trajectory
    assert call.result is not None
    assert (call.result.name, call.result.error) == ("f", error)


def test_a_tool_of_the_provider_tells_of_a_failure_inside() -> None:
    content = {"type": "web_fetch_tool_result_error", "error_code": "unavailable"}
    blocks = [
        {"type": "server_tool_use", "id": "1", "name": "f", "input": {}},
        {"type": "web_fetch_tool_result", "tool_use_id": "1", "content": content},
    ]
    (call,) = last_turn(user("hi"), {"role": "assistant", "content": blocks}).trajectory
    assert call.result is not None
    assert call.result.error is True


def test_the_last_turn_of_a_session() -> None:
    session = [user("a"), openai("g"), user("hi"), *FORMS["OpenAI Chat"]]
    assert last_turn(*session).trajectory == (CALL,)


def test_a_user_message_that_an_agent_slips_in_hides_no_call() -> None:
    session = [user("a"), openai("g"), user("hi"), openai(), RESULT, user("go on"), says("done")]
    assert last_turn(*session).trajectory == (CALL,)


def test_a_query_that_the_agent_rewords_is_still_the_last() -> None:
    assert last_turn(user("a"), openai("g"), user("[context] hi"), openai()).trajectory == (CALL,)


def test_calls_keep_the_order_in_which_the_model_asked() -> None:
    first = openai("f", "{}", "1")
    first["tool_calls"] += openai("g", "{}", "2")["tool_calls"]
    results = [
        {"role": "tool", "tool_call_id": "2", "content": "x"},
        {"role": "tool", "tool_call_id": "1", "content": "y"},
    ]
    trace = last_turn(first, *results, openai("h", "{}", "3"))
    assert [call.name for call in trace.trajectory] == ["f", "g", "h"]
    assert [output.name for output in trace.iterations[0].output[1:]] == ["g", "f"]  # type: ignore[union-attr]


def test_the_answer_is_what_was_said_without_a_call() -> None:
    beside = openai() | {"content": "let me look"}
    assert last_turn(beside).response is None
    assert last_turn(says("first"), says("last"), beside).response == "last"


# ------------------------------------------------------------------------------------------------------------- calls


@pytest.mark.parametrize("arguments", [None, "", "{}", {}])
def test_no_arguments(arguments: object) -> None:
    assert last_turn(openai(arguments=arguments)).trajectory[0].arguments == {}


@pytest.mark.parametrize(("arguments", "reason"), [("{", "not JSON"), ("[1]", "not an object"), ([1], "not an object")])
def test_malformed_arguments_are_a_call_all_the_same(arguments: object, reason: str) -> None:
    (call,) = last_turn(openai(arguments=arguments)).trajectory
    assert isinstance(call.arguments, MalformedArguments)
    assert reason in call.arguments.reason


def test_a_legacy_function_call() -> None:
    asks = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}}
    trace = last_turn(asks, {"role": "function", "name": "f", "content": "ok"}, says("done"))
    assert trace.trajectory == (ToolCall(name="f", arguments={"a": 1}),)
    assert trace.iterations[0].output[1] == FunctionMessage(name="f", content="ok")


def test_a_custom_tool_takes_free_text() -> None:
    call = {"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}
    (found,) = last_turn({"role": "assistant", "tool_calls": [call]}).trajectory
    assert (found.name, found.id) == ("shell", "c1")
    assert found.arguments == MalformedArguments("ls -l", "a custom tool takes free text")


def test_calls_that_langchain_could_not_parse_come_last() -> None:
    message = {
        "type": "ai",
        "content": "",
        "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1"}],
        "invalid_tool_calls": [{"name": "g", "args": "{oops", "id": "c2", "error": "no JSON"}],
    }
    first, second = last_turn(message).trajectory
    assert (first, second.name, type(second.arguments)) == (CALL, "g", MalformedArguments)


def test_blocks_that_repeat_listed_calls_count_once() -> None:
    message = FORMS["LangChain"][0] | {"content": FORMS["Anthropic"][0]["content"]}
    assert last_turn(message).trajectory == (CALL,)


def test_a_result_is_named_after_the_nearest_call_of_its_id() -> None:
    trace = last_turn(openai("f"), RESULT, openai("g"), RESULT, {"role": "tool", "tool_call_id": "?", "content": "x"})
    names = [output.name for iteration in trace.iterations for output in iteration.output[1:]]  # type: ignore[union-attr]
    assert names == ["f", "g", ""]


# -------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize("kind", ["image_url", "video_url", "input_audio", "image_file", "document"])
def test_what_is_no_text_is_named(kind: str) -> None:
    (turn,) = turns(
        {"role": "user", "content": [{"type": "text", "text": "Look: "}, {"type": kind, kind: {"url": "u"}}]}
    )
    assert turn.query == f"Look: [{kind}]"


def test_content_in_parts() -> None:
    parts = [
        "a",
        {"type": "text", "text": "b"},
        {"type": "input_text", "text": "c"},
        {"type": "image_url", "image_url": {}},
    ]
    assert turns({"role": "user", "content": parts})[0].query == "abc[image_url]"


def test_a_refusal_is_an_answer() -> None:
    assert last_turn({"role": "assistant", "content": None, "refusal": "no"}).response == "no"
    assert last_turn({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}).response == "no"


def test_a_developer_is_the_system() -> None:
    found = turns(user("a"), {"role": "developer", "content": "x"}, says("b"))[0]
    assert found.iterations[0].history[-1] == SystemMessage(content="x")


# -------------------------------------------------------------------------------------------- what is not understood


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        (None, "expected a list of messages, found null"),
        ("hi", 'expected a list of messages, found the string "hi"'),
        (user("hi"), "expected a list of messages, found an object with the keys role, content"),
        ([5], "message 1 of 1: expected a message, found the number 5"),
        ([user("hi"), None], "message 2 of 2: expected a message, found null"),
        ([Message], "message 1 of 1: expected a message, found a ModelMetaclass"),
        ([{"content": "x"}], "message 1 of 1: expected a message with a role, found an object with the keys content"),
        (
            [{"role": "asistant"}],
            "message 1 of 1: expected one of the roles system, developer, user, human, assistant, ai, tool, function, found the string \"asistant\" (did you mean 'assistant'?)",
        ),
        ([{"role": None}], "tool, function, found null"),
        ([{"role": "user", "content": 5}], "expected content that is a text, null or a list of parts, found the number 5"),
        ([{"role": "user", "content": [5]}], "message 1 of 1: expected a part of content, found the number 5"),
        ([{"role": "user", "content": [{"type": "hologram"}]}], "expected a part of text, found an object with the keys type"),
        ([{"role": "assistant", "tool_calls": 5}], "message 1 of 1: expected a list of tool calls, found the number 5"),
        ([{"role": "assistant", "tool_calls": [{}]}], "message 1 of 1: expected a tool call with a name, found an empty object"),
        ([{"role": "assistant", "tool_calls": ["f"]}], 'message 1 of 1: expected a tool call, found the string "f"'),
        (
            [{"role": "assistant", "tool_call": []}],
            "message 1 of 1: expected the keys of a message, found the key 'tool_call' (did you mean 'tool_calls'?)",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "reads",
    [
        lambda messages: read_messages(messages, start=START, end=END),
        lambda messages: turn_from_messages(messages, "hi", start=START, end=END, id="t"),
    ],
)
def test_messages_that_are_none(messages: Any, message: str, reads: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError) as caught:
        reads(messages)
    assert message in str(caught.value)
    assert caught.value.__cause__ is None


def test_no_messages() -> None:
    assert turns() == []
    assert (last_turn().response, last_turn().trajectory) == (None, ())


def test_a_long_turn_takes_no_long_time() -> None:
    began = time.process_time()
    trace = last_turn(*[openai(), RESULT] * 1500)
    assert len(trace.trajectory) == 1500
    assert time.process_time() - began < 3


# --------------------------------------------------------------------------------------------------------- real files


@pytest.mark.skipif(CORPUS is None, reason="TRAJECTORY_CORPUS is not set")
@pytest.mark.parametrize(
    ("file", "messages_of"),
    [
        ("hf_messages_tools__synthetic_trl_dict_args.jsonl", lambda line: line["messages"]),
        ("hf_messages_tools__synthetic_tools_as_json_string.jsonl", lambda line: line["messages"]),
        ("anthropic_messages__synthetic_request_mixed_user_turn.json", lambda body: body["messages"]),
    ],
)
def test_files_of_other_programs_say_what_they_say(file: str, messages_of: Any) -> None:
    corpus = Path(CORPUS or "")
    truth = json.loads((corpus / "truth" / f"{file}.json").read_text("utf-8"))
    text = (corpus / truth["file"]).read_text("utf-8")
    documents = [json.loads(line) for line in text.splitlines()] if file.endswith("l") else [json.loads(text)]
    found = [turns(*messages_of(document)) for document in documents]
    assert [
        [(trace.query, trace.response, [(call.name, call.arguments) for call in trace.trajectory]) for trace in thread]
        for thread in found
    ] == [
        [
            (turn["query"], turn["response"], [(call["name"], call["arguments"]) for call in turn["tool_calls"]])
            for turn in thread["turns"]
        ]
        for thread in truth["threads"]
    ]
