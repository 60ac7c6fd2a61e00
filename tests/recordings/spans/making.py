"""Spans made for tests: one agent that talks about the weather, in OpenTelemetry's words."""

from __future__ import annotations

import json
from typing import Any

from trajectory.conversation import ConversationThread, FunctionMessage, Trace
from trajectory.recordings.spans import Span, SpanEvent, read_spans

SECOND = 1_000_000_000
DAY = 1_700_000_000 * SECOND
PARIS = {"type": "tool_call", "id": "call_a", "name": "get_weather", "arguments": {"city": "Paris"}}
LONDON = {"type": "tool_call", "id": "call_b", "name": "get_weather", "arguments": {"city": "London"}}
NOSUCH = {"type": "tool_call", "id": "call_x", "name": "nosuch", "arguments": {"x": 1}}
GET_WEATHER = ("get_weather", {"city": "Paris"}), ("get_weather", {"city": "London"})


def span(  # noqa: PLR0913 - a span has that many sides
    name: str,
    at: float,
    until: float | None = -1,
    *,
    parent: str | None = None,
    trace: str = "a1",
    attributes: dict[str, Any] | None = None,
    **more: Any,
) -> Span:
    """Make a span whose id is its name; times are seconds."""
    end = None if until is None else DAY + round((at + 0.5 if until < 0 else until) * SECOND)
    return Span(
        trace_id=trace,
        span_id=f"{trace}-{name}",
        parent_id=None if parent is None else f"{trace}-{parent}",
        name=name,
        start=DAY + round(at * SECOND),
        end=end,
        attributes=attributes or {},
        **more,
    )


def agent(name: str, at: float, until: float, *, thread: str | None = None, **more: Any) -> Span:
    found = {"gen_ai.operation.name": "invoke_agent", **({} if thread is None else {"gen_ai.conversation.id": thread})}
    return span(name, at, until, attributes=found | more.pop("attributes", {}), **more)


def chat(name: str, at: float, given: list[Any] | None, said: list[Any] | None, **more: Any) -> Span:
    found: dict[str, Any] = {"gen_ai.operation.name": "chat"}
    found |= {} if given is None else {"gen_ai.input.messages": json.dumps(given)}
    found |= {} if said is None else {"gen_ai.output.messages": json.dumps(said)}
    return span(name, at, attributes=found | more.pop("attributes", {}), **more)


def tool(name: str, at: float, until: float = -1, *, called: str = "get_weather", **more: Any) -> Span:
    found = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": called}
    return span(name, at, until, attributes=found | more.pop("attributes", {}), **more)


def ran(call: dict[str, Any], result: str) -> dict[str, Any]:
    """Give the attributes of the run of a call."""
    return {
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": json.dumps(call["arguments"]),
        "gen_ai.tool.call.result": result,
    }


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def assistant(*parts: str | dict[str, Any]) -> dict[str, Any]:
    made = [{"type": "text", "content": part} if isinstance(part, str) else part for part in parts]
    return {"role": "assistant", "parts": made}


def result(call: dict[str, Any], content: object) -> dict[str, Any]:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call["id"], "response": content}]}


def weather(trace: str = "a1", thread: str | None = "t", at: float = 0) -> list[Span]:
    """Make one turn with two calls at once, the second of which fails and starts first."""
    asked, calls = user("Weather in Paris and London?"), assistant("Looking.", PARIS, LONDON)
    told = [asked, calls, result(PARIS, "rain"), result(LONDON, "station offline")]
    more: dict[str, Any] = {"trace": trace, "parent": "run"}
    return [
        agent("run", at, at + 10, thread=thread, trace=trace),
        chat("ask", at + 1, [asked], [calls], **more),
        tool("london", at + 2, attributes={"gen_ai.tool.call.id": "call_b"}, failed=True, status="offline", **more),
        tool("paris", at + 3, attributes=ran(PARIS, "rain"), **more),
        chat("answer", at + 4, told, [assistant("Rain, and no idea.")], **more),
    ]


def raised(message: str) -> SpanEvent:
    return SpanEvent("exception", {"exception.type": "ValueError", "exception.message": message})


def threads(*spans: Span) -> tuple[ConversationThread, ...]:
    return read_spans(spans)[0]


def notes(*spans: Span) -> tuple[str, ...]:
    return read_spans(spans)[1]


def only_turn(*spans: Span) -> Trace:
    (thread,) = threads(*spans)
    (trace,) = thread.traces
    return trace


def results(trace: Trace) -> list[tuple[str, str | None, str | None]]:
    """Give name, content and id of the results in a turn, in order."""
    records = [record for iteration in trace.iterations for record in iteration.output]
    return [(one.name, one.content, one.id) for one in records if isinstance(one, FunctionMessage)]


def calls(trace: Trace) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in trace.trajectory]


def turn_of(call: dict[str, Any], *more: Any) -> list[Span]:
    """Make a turn in which one call is made, and what else there is."""
    return [
        chat("ask", 1, [user("hi")], [assistant(call)]),
        *more,
        chat("answer", 5, [user("hi"), assistant(call), result(call, "told")], [assistant("done")]),
    ]
