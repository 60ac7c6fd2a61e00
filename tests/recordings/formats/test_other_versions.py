"""What other versions of the same programs wrote: the calls and the words are there, only elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.conversation import MalformedArguments
from trajectory.recordings.detection import known_formats

FUNCTION = {"name": "f", "arguments": '{"a": 1}'}
LEGACY = {"content": "", "additional_kwargs": {"function_call": FUNCTION}}


def constructed(kind: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": fields}


def langsmith(*messages: dict[str, Any]) -> list[Any]:
    times = {"start_time": "2024-01-01T00:00:00Z", "end_time": "2024-01-01T00:00:01Z"}
    answer = {"generations": [[{"text": "", "message": messages[-1]}]]}
    asked = {"messages": [list(messages[:-1])]}
    return [
        {"id": "r", "trace_id": "r", "dotted_order": "1", "run_type": "llm", "inputs": asked, "outputs": answer} | times
    ]


def pydantic(arguments: Any) -> list[Any]:
    prompt = {"part_kind": "user-prompt", "content": "hi"}
    call = {"part_kind": "tool-call", "tool_name": "f", "args": arguments, "tool_call_id": None}
    return [{"kind": "request", "parts": [prompt]}, {"kind": "response", "parts": [call]}]


ONE_CALL: dict[str, Any] = {
    "langchain, a single call": [{"type": "human", "content": "hi"}, {"type": "ai", **LEGACY}],
    "langchain, a single call beside none": [
        {"type": "human", "content": "hi"},
        {"type": "ai", **LEGACY, "tool_calls": []},
    ],
    "langsmith, a single call": langsmith(
        constructed("HumanMessage", content="hi"), constructed("AIMessage", **LEGACY)
    ),
    "langsmith, calls beside": langsmith(
        constructed("HumanMessage", content="hi"),
        constructed(
            "AIMessageChunk", content="", additional_kwargs={"tool_calls": [{"id": "1", "function": FUNCTION}]}
        ),
    ),
    "langsmith, OpenAI's single call": langsmith(
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "function_call": FUNCTION}
    ),
    "vercel, before there were parts": [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "",
            "toolInvocations": [{"toolCallId": "1", "toolName": "f", "args": {"a": 1}}],
        },
    ],
    "pydantic, an object in an object": pydantic({"args_dict": {"a": 1}}),
    "pydantic, a text in an object": pydantic({"args_json": '{"a": 1}'}),
}


@pytest.mark.parametrize("name", ONE_CALL)
def test_a_call_that_stands_elsewhere_is_not_lost(name: str) -> None:
    (found,) = [known for known in known_formats() if known.matches(ONE_CALL[name])]
    (trace,) = found.read(ONE_CALL[name]).threads[0].traces
    assert trace.query == "hi"
    assert [(call.name, call.arguments) for call in trace.trajectory] == [("f", {"a": 1})]


def test_what_a_tool_gave_back_before_there_were_parts() -> None:
    invoked = {"state": "result", "toolCallId": "1", "toolName": "f", "args": {}, "result": "ok"}
    document = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "done", "toolInvocations": [invoked]},
    ]
    (found,) = [known for known in known_formats() if known.matches(document)]
    (trace,) = found.read(document).threads[0].traces
    assert [call.result and call.result.content for call in trace.trajectory] == ["ok"]
    assert trace.response == "done"


@pytest.mark.parametrize(
    ("error", "text"),
    [("Error parsing the following tool call arguments:\n\n{bad\n\nError details: no", "{bad"), ("no", "")],
)
def test_arguments_that_inspect_could_not_parse_are_not_empty(error: str, text: str) -> None:
    call = {"id": "1", "function": "f", "arguments": {}, "type": "function", "parse_error": error}
    told = {"role": "tool", "tool_call_id": "1", "content": "", "tool_error": "as logs of 2024 say it"}
    sample = {
        "id": 1,
        "epoch": 1,
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [call]}, told],
    }
    document = {"status": "success", "eval": {}, "plan": {}, "samples": [sample]}
    (found,) = [known for known in known_formats() if known.matches(document)]
    (made,) = found.read(document).threads[0].traces[0].trajectory
    assert made.arguments == MalformedArguments(text, "no")
    assert made.result is not None
    assert made.result.error is True


def test_items_of_the_first_codex_exec() -> None:
    items = [{"id": "1", "item_type": "command_execution", "command": "ls", "status": "completed"}]
    said = {"id": "2", "item_type": "assistant_message", "text": "done"}
    document = [{"type": "turn.started"}, *({"type": "item.completed", "item": item} for item in (*items, said))]
    (found,) = [known for known in known_formats() if known.matches(document)]
    (trace,) = found.read(document).threads[0].traces
    assert [call.name for call in trace.trajectory] == ["command_execution"]
    assert trace.response == "done"
