"""What is read from spans: kinds of parts and of messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recordings.spans.making import (
    GET_WEATHER,
    PARIS,
    assistant,
    calls,
    chat,
    only_turn,
    results,
    span,
    user,
)
from trajectory.recordings.spans import SpanEvent


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"type": "text", "content": "yes"}, "yes"),
        ({"type": "text", "text": "yes"}, "yes"),
        ({"text": "yes"}, "yes"),
        ({"text": "hm", "thought": True}, None),
        ({"type": "reasoning", "content": "hm"}, None),
        ({"type": "blob", "content": "AAAA"}, "[blob]"),
        ({"inline_data": {}}, "[inline_data]"),
    ],
)
def test_text(part: dict[str, Any], text: str | None) -> None:
    assert only_turn(chat("a", 1, [user("hi")], [assistant(part)])).response == text


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_call", "id": "1", "name": "f", "arguments": {"a": 1}},
        {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}},
        {"toolUse": {"toolUseId": "1", "name": "f", "input": {"a": 1}}},
        {"function_call": {"id": "1", "name": "f", "args": {"a": 1}}},
        {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}},
        {"type": "server_tool_call", "id": "1", "name": "f", "server_tool_call": {"type": "x", "arguments": {"a": 1}}},
    ],
)
def test_calls(part: dict[str, Any]) -> None:
    (call,) = only_turn(chat("a", 1, [user("hi")], [assistant(part)])).trajectory
    assert (call.name, call.arguments, call.id) == ("f", {"a": 1}, "1")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_call_response", "id": "call_a", "response": "rain"},
        {"type": "tool_call_response", "id": "call_a", "result": "rain"},
        {"type": "tool_result", "tool_use_id": "call_a", "content": "rain"},
        {"toolResult": {"toolUseId": "call_a", "content": "rain"}},
        {"function_response": {"id": "call_a", "name": "get_weather", "response": "rain"}},
    ],
)
def test_results(part: dict[str, Any]) -> None:
    told = [user("hi"), assistant(PARIS), {"role": "user", "parts": [part]}]
    spans = [chat("a", 1, told[:1], [assistant(PARIS)]), chat("b", 2, told, [assistant("done")])]
    assert results(only_turn(*spans)) == [("get_weather", "rain", "call_a")]


def test_tools_that_the_model_was_told_about() -> None:
    schema = {"type": "object"}
    told = [
        {"type": "function", "name": "a", "description": "A", "parameters": schema},
        {"type": "function", "function": {"name": "b", "parameters": schema}},
        {"name": "c", "inputSchema": {"json": schema}},
        {"description": "without a name"},
    ]
    trace = only_turn(chat("x", 1, [user("hi")], [assistant("yes")], attributes={"gen_ai.tool.definitions": told}))
    assert [(one.name, one.description, one.parameters_schema) for one in trace.tools] == [
        ("a", "A", schema),
        ("b", "", schema),
        ("c", "", schema),
    ]


def test_messages_in_events() -> None:
    events = (
        SpanEvent("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": [user("hi")]}),
        SpanEvent("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": [assistant(PARIS)]}),
    )
    trace = only_turn(span("a", 1, attributes={"gen_ai.operation.name": "chat"}, events=events))
    assert (trace.query, calls(trace)) == ("hi", [GET_WEATHER[0]])


def test_messages_in_the_span_and_in_its_events_are_the_same_ones() -> None:
    said = {"gen_ai.output.messages": [assistant(PARIS)]}
    trace = only_turn(
        chat("a", 1, [user("hi")], [assistant(PARIS)], events=(SpanEvent("gen_ai.client.inference", said),))
    )
    assert calls(trace) == [GET_WEATHER[0]]


def test_calls_listed_beside_the_parts_are_the_same_ones() -> None:
    used = {"type": "tool_use", "id": "call_a", "name": "get_weather", "input": {"city": "Paris"}}
    said = {"role": "assistant", "content": [used], "tool_calls": [PARIS]}
    assert calls(only_turn(chat("a", 1, [user("hi")], [said]))) == [GET_WEATHER[0]]


def test_a_message_in_an_unknown_role_is_no_turn() -> None:
    strange = {"role": "tool-response", "content": [{"type": "text", "text": "Observation: 5"}]}
    assert only_turn(chat("a", 1, [user("hi"), strange], [assistant("yes")])).query == "hi"


def test_one_event_a_message() -> None:
    function = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    listed = [{"id": "call_a", "type": "function", "function": function}]
    before = (SpanEvent("gen_ai.user.message", {"content": "hi"}),)
    said = (SpanEvent("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "tool_calls": listed}}),)
    told = (
        *before,
        SpanEvent("gen_ai.assistant.message", {"tool_calls": listed}),
        SpanEvent("gen_ai.tool.message", {"id": "call_a", "content": "rain"}),
        SpanEvent("gen_ai.choice", {"index": 0, "message": {"content": "wet"}}),
    )
    chats: dict[str, Any] = {"attributes": {"gen_ai.operation.name": "chat"}}
    trace = only_turn(span("a", 1, events=(*before, *said), **chats), span("b", 2, events=told, **chats))
    assert (trace.query, trace.response, calls(trace)) == ("hi", "wet", [GET_WEATHER[0]])
    assert results(trace) == [("get_weather", "rain", "call_a")]
