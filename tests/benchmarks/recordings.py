"""Recordings to measure the readers by: conversations about orders, as spans and as messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEM = "You answer questions about orders. " * 30
ANSWER = "It was sent on Monday and should be there by the end of the week, if nothing comes in between. " * 2
RESULT = {
    "status": "sent",
    "items": [{"article": f"A-{n}", "quantity": n, "price": 9.99} for n in range(20)],
    "ok": True,
}
TURNS = 4
BEGIN = 1_700_000_000_000_000_000


def turns(number: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give what the user asks in each turn of a conversation, and the calls that follow."""
    for turn in range(TURNS):
        names = ("find_order", "get_order")
        calls = [
            {"id": f"call_{number}_{turn}_{n}", "name": name, "arguments": {"order": f"{number}-{turn}", "deep": n > 0}}
            for n, name in enumerate(names)
        ]
        yield f"Where is order {number}-{turn}, which I placed last week?", calls


def openai_line(number: int) -> str:
    """Write a conversation as a line of OpenAI messages."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for asked, calls in turns(number):
        messages.append({"role": "user", "content": asked})
        for call in calls:
            function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
            listed = [{"id": call["id"], "type": "function", "function": function}]
            messages.append({"role": "assistant", "content": None, "tool_calls": listed})
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(RESULT)})
        messages.append({"role": "assistant", "content": ANSWER})
    return json.dumps({"id": f"thread-{number}", "messages": messages})


def otlp_lines(number: int) -> Iterator[str]:
    """Write a conversation as OTLP/JSON, a line for each span: a trace for each turn, requests that repeat the history."""
    given: list[dict[str, Any]] = []
    for turn, (asked, calls) in enumerate(turns(number)):
        trace = _Trace(number, turn)
        given.append({"role": "user", "parts": [{"type": "text", "content": asked}]})
        for call in calls:
            said = {"role": "assistant", "parts": [{"type": "tool_call", **call}], "finish_reason": "tool_calls"}
            yield trace.request(given, said)
            yield trace.tool(call)
            told = {"type": "tool_call_response", "id": call["id"], "response": RESULT}
            given += [said, {"role": "tool", "parts": [told]}]
        said = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}
        yield trace.request(given, said)
        given.append(said)
        yield trace.agent()


class _Trace:
    def __init__(self, number: int, turn: int) -> None:
        self._trace = f"{number:024x}{turn:08x}"
        self._thread = f"thread-{number}"
        self._spans = 1

    def request(self, given: list[dict[str, Any]], said: dict[str, Any]) -> str:
        instructions = [{"type": "text", "content": SYSTEM}]
        return self._span(
            "chat m-1",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "m-1",
                "gen_ai.usage.input_tokens": 1000,
                "gen_ai.usage.output_tokens": 50,
                "gen_ai.conversation.id": self._thread,
                "gen_ai.system_instructions": json.dumps(instructions),
                "gen_ai.input.messages": json.dumps(given),
                "gen_ai.output.messages": json.dumps([said]),
            },
        )

    def tool(self, call: dict[str, Any]) -> str:
        return self._span(
            f"execute_tool {call['name']}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": call["name"],
                "gen_ai.tool.call.id": call["id"],
                "gen_ai.tool.call.arguments": json.dumps(call["arguments"]),
                "gen_ai.tool.call.result": json.dumps(RESULT),
            },
        )

    def agent(self) -> str:
        return self._span("invoke_agent shop", {"gen_ai.operation.name": "invoke_agent"}, root=True)

    def _span(self, name: str, attributes: dict[str, Any], *, root: bool = False) -> str:
        self._spans += not root
        start = BEGIN + int(self._trace[:24], 16) * 10**10 + int(self._trace[24:], 16) * 10**9 + self._spans * 10**6
        span = {
            "traceId": self._trace,
            "spanId": f"{1 if root else self._spans:016x}",
            **({} if root else {"parentSpanId": f"{1:016x}"}),
            "name": name,
            "kind": 1,
            "startTimeUnixNano": str(BEGIN if root else start),
            "endTimeUnixNano": str(start + 10**6),
            "attributes": [{"key": key, "value": _value(value)} for key, value in attributes.items()],
            "status": {},
        }
        resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
        scopes = [{"scope": {"name": "shop", "version": "1"}, "spans": [span]}]
        return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]})


def _value(value: str | int) -> dict[str, str]:
    return {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}
