"""Whether a call failed is what the place says that the format has for it, and never what a text reads like."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.recordings.detection import known_formats

HI = {"role": "user", "content": "hi"}


def errors(document: Any) -> list[bool | str | None]:
    (found,) = [known for known in known_formats() if known.matches(document)]
    calls = [call for thread in found.read(document).threads for trace in thread.traces for call in trace.trajectory]
    return [call.result.error if call.result else "no result" for call in calls]


def responses(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [HI, *items]


def patch(**output: Any) -> list[dict[str, Any]]:
    call = {"type": "apply_patch_call", "call_id": "1", "operation": {"type": "delete_file"}}
    return responses(call, {"type": "apply_patch_call_output", "call_id": "1", **output})


def pydantic(**part: Any) -> list[dict[str, Any]]:
    asked = [{"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "1"}]
    result = {"tool_name": "f", "tool_call_id": "1", "content": "error", **part}
    return [{"kind": "response", "parts": asked}, {"kind": "request", "parts": [result]}]


def vercel(**part: Any) -> list[dict[str, Any]]:
    asked = {"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {}}
    result = {"type": "tool-result", "toolCallId": "1", "toolName": "f", **part}
    return [HI, {"role": "assistant", "content": [asked]}, {"role": "tool", "content": [result]}]


def gemini(status: Any) -> dict[str, Any]:
    call = {"id": "1", "name": "f", "args": {}, "status": status, "result": [{"text": "error"}]}
    messages = [{"type": "user", "content": "hi"}, {"type": "gemini", "content": "", "toolCalls": [call]}]
    return {"sessionId": "s", "projectHash": "p", "messages": messages}


def ag_ui(**message: Any) -> dict[str, Any]:
    asked = {"role": "assistant", "toolCalls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
    result = {"role": "tool", "toolCallId": "1", "content": "error", **message}
    return {"type": "MESSAGES_SNAPSHOT", "messages": [HI, asked, result]}


def smolagents(message: str) -> list[dict[str, Any]]:
    calls = [{"id": city, "function": {"name": "f", "arguments": {"city": city}}} for city in ("Paris", "Oslo")]
    step = {"step_number": 1, "model_output_message": {"tool_calls": calls}, "error": {"message": message}}
    return [{"task": "hi"}, step]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (responses({"type": "mcp_call", "id": "1", "name": "f", "arguments": "{}", "output": "error"}), [False]),
        (responses({"type": "mcp_call", "id": "1", "name": "f", "arguments": "{}", "error": "no"}), [True]),
        (responses({"type": "web_search_call", "id": "1", "status": "failed"}), [True]),
        (responses({"type": "web_search_call", "id": "1", "status": "completed"}), [False]),
        (patch(status="completed", output="error"), [False]),
        (patch(status="failed"), [True]),
        (pydantic(part_kind="tool-return"), [False]),
        (pydantic(part_kind="tool-return", outcome="success"), [False]),
        (pydantic(part_kind="tool-return", outcome="retried"), [True]),
        (pydantic(part_kind="retry-prompt"), [True]),
        (vercel(output={"type": "text", "value": "error"}), [False]),
        (vercel(output={"type": "error-json", "value": {}}), [True]),
        (vercel(output={"type": "execution-denied"}), [True]),
        (vercel(result="error"), [None]),
        (vercel(result="x", isError=True), [True]),
        (gemini("success"), [False]),
        (gemini(None), [False]),
        (gemini("cancelled"), [True]),
        (ag_ui(), [False]),
        (ag_ui(error="no"), [True]),
        (smolagents("Error executing tool 'f' with arguments {'city': 'Oslo'}: offline"), ["no result", True]),
        (smolagents("the model gave no JSON"), ["no result", "no result"]),
    ],
)
def test_the_place_decides(document: Any, expected: list[Any]) -> None:
    assert errors(document) == expected
