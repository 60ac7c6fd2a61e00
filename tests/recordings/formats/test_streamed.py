"""Responses in pieces are what they would have been at once."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.recordings.detection import known_formats

if TYPE_CHECKING:
    from trajectory.recordings.formats import Reading

CALL = ("f", {"a": 1}, "1")


def chunk(delta: dict[str, Any], *, end: str | None = None, id: str = "c") -> dict[str, Any]:  # noqa: A002 - as below
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return {"id": id, "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def piece(arguments: str, **first: Any) -> dict[str, Any]:
    named = {"id": "1", "type": "function"} if first else {}
    return {"tool_calls": [{"index": 0, **named, "function": {**first, "arguments": arguments}}]}


CHAT = [
    chunk({"role": "assistant", "content": "Let "}),
    chunk({"content": "me."}),
    chunk(piece('{"a"', name="f")),
    chunk(piece(": 1}")),
    chunk({}, end="tool_calls"),
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    },
]
ANTHROPIC = [
    {"type": "message_start", "message": {"type": "message", "role": "assistant", "usage": {"input_tokens": 5}}},
    {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Let "}},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "me."}},
    {"type": "content_block_stop"},
    {"type": "content_block_start", "content_block": {"type": "tool_use", "id": "1", "name": "f", "input": {}}},
    {"type": "ping"},
    {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": '{"a"'}},
    {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": ": 1}"}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]
ITEMS = [
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me."}]},
    {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
]
RESPONSES = [
    {"type": "response.created", "response": {"object": "response", "output": []}},
    *({"type": "response.output_item.done", "item": item} for item in ITEMS),
    {
        "type": "response.completed",
        "response": {"object": "response", "output": ITEMS, "usage": {"input_tokens": 5, "output_tokens": 2}},
    },
]
STREAMS = {"openai-chat": CHAT, "anthropic": ANTHROPIC, "openai-responses": RESPONSES}


def read(document: Any) -> tuple[str, Reading]:
    (found,) = [known for known in known_formats() if known.matches(document)]
    return found.name, found.read(document)


@pytest.mark.parametrize("name", STREAMS)
def test_a_whole_stream(name: str) -> None:
    found, reading = read(STREAMS[name])
    ((turn,),) = [thread.traces for thread in reading.threads]
    assert found == name
    assert [(call.name, call.arguments, call.id) for call in turn.trajectory] == [CALL]
    assert turn.iterations[0].output[0].content == "Let me."  # type: ignore[union-attr]
    assert turn.usage is not None
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (5, 2)
    assert (reading.notes, reading.incomplete) == (("what the user said is not in the file",), False)


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_was_cut_off_is_incomplete(name: str) -> None:
    cut = {"openai-chat": CHAT[:4], "anthropic": ANTHROPIC[:-1], "openai-responses": RESPONSES[:-1]}[name]
    _, reading = read(cut)
    assert reading.incomplete
    assert "the end of a response that came in pieces is not there" in reading.notes
    assert [call.name for call in reading.threads[0].traces[0].trajectory] == ["f"]


def test_two_streams_in_one_file() -> None:
    other = [{**one, "id": "d"} for one in CHAT]
    mixed = list(itertools.chain.from_iterable(zip(CHAT, other, strict=True)))
    assert len(read(mixed)[1].threads) == len(read([*ANTHROPIC, *ANTHROPIC])[1].threads) == 2


@pytest.mark.parametrize("name", STREAMS)
def test_pieces_that_are_none_are_no_recording(name: str) -> None:
    broken = {
        "openai-chat": [chunk({"tool_calls": 5})],
        "anthropic": [ANTHROPIC[0], {"type": "content_block_start", "content_block": 5}],
        "openai-responses": [{"type": "response.output_item.done", "item": 5}],
    }
    assert [known.name for known in known_formats() if known.matches(broken[name])] == []
