"""A run that stopped in an error gives no verdict on the agent, whatever it had called before; one that went on does."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.recordings.detection import known_formats

CALL = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "1", "content": "ok"}


def ag_ui(*, goes_on: bool) -> list[Any]:
    said = {"id": "u", "role": "user", "content": "hi"}
    return [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": {"messages": [said]}},
        {"type": "TOOL_CALL_START", "toolCallId": "1", "toolCallName": "f"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "1", "content": "ok"},
        {"type": "RUN_ERROR", "message": "boom"},
        *([{"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": "done"}] if goes_on else []),
        {"type": "RUN_FINISHED"},
    ]


def codex_exec(*, goes_on: bool) -> list[Any]:
    ran = {"id": "1", "type": "mcp_tool_call", "tool": "f", "arguments": {}, "status": "completed"}
    events = [{"type": "turn.started"}, {"type": "item.completed", "item": ran}]
    if goes_on:
        said = {"id": "2", "type": "agent_message", "text": "done"}
        return [*events, {"type": "item.completed", "item": said}, {"type": "turn.completed", "usage": {}}]
    return [*events, {"type": "turn.failed", "error": {"message": "boom"}}]


def claude_code(*, goes_on: bool) -> list[Any]:
    error: dict[str, Any] = {"model": "<synthetic>", "content": [{"type": "text", "text": "boom"}]}
    said: list[tuple[str, dict[str, Any]]] = [
        ("user", {"content": "hi"}),
        ("assistant", {"content": [CALL]}),
        ("user", {"content": [RESULT]}),
    ]
    spoken = [*said, ("assistant", error), *([("assistant", {"content": "done"})] if goes_on else [])]
    return [
        {"type": role, "uuid": str(at), "parentUuid": str(at - 1) if at else None, "sessionId": "s"}
        | {"message": {"role": role, **message}, "isApiErrorMessage": message is error}
        for at, (role, message) in enumerate(spoken)
    ]


def claude_stream(*, goes_on: bool) -> list[Any]:
    said = [("user", "hi"), ("assistant", [CALL]), ("user", [RESULT])]
    records = [{"type": role, "session_id": "s", "message": {"role": role, "content": text}} for role, text in said]
    end = {"type": "result", "session_id": "s", "subtype": "error_during_execution", "is_error": not goes_on}
    return [*records, {**end, "result": "boom"}]


def adk(*, goes_on: bool) -> dict[str, Any]:
    events: list[dict[str, Any]] = [
        {"author": "user", "content": {"role": "user", "parts": [{"text": "hi"}]}},
        {
            "author": "a",
            "content": {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "f", "args": {}}}]},
        },
        {"author": "a", "errorCode": "500", "errorMessage": "boom"},
    ]
    last = {"author": "a", "content": {"role": "model", "parts": [{"text": "done"}]}}
    return {"id": "s", "appName": "a", "events": [*events, *([last] if goes_on else [])]}


def openhands(*, goes_on: bool) -> list[Any]:
    def message(role: str, text: str) -> dict[str, Any]:
        return {"kind": "MessageEvent", "llm_message": {"role": role, "content": [{"type": "text", "text": text}]}}

    events = [
        message("user", "hi"),
        {"kind": "ActionEvent", "tool_name": "f", "tool_call_id": "1", "tool_call": {"arguments": "{}"}},
        {"kind": "ConversationErrorEvent", "code": "X", "detail": "boom"},
        *([message("assistant", "done")] if goes_on else []),
    ]
    return [{"id": str(at), "timestamp": "2026-01-01T00:00:00", **event} for at, event in enumerate(events)]


def smolagents(*, goes_on: bool) -> list[Any]:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": {}}}
    steps: list[dict[str, Any]] = [
        {"tool_calls": [call], "observations": "ok"},
        {"error": {"type": "AgentGenerationError", "message": "boom"}},
        *([{"action_output": "done", "is_final_answer": True}] if goes_on else []),
    ]
    numbered = [{"step_number": at, "model_output_message": {}, **step} for at, step in enumerate(steps, 1)]
    return [{"task": "hi"}, *numbered]


def gemini(*, goes_on: bool) -> dict[str, Any]:
    messages = [
        {"type": "user", "content": "hi"},
        {"type": "gemini", "content": "", "toolCalls": [{"id": "1", "name": "f", "args": {}}]},
        {"type": "error", "content": "boom"},
        *([{"type": "gemini", "content": "done"}] if goes_on else []),
    ]
    return {"sessionId": "s", "projectHash": "p", "messages": messages}


def tau2(*, goes_on: bool) -> dict[str, Any]:
    call = {"id": "1", "name": "f", "arguments": {}, "requestor": "assistant"}
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    reason = "user_stop" if goes_on else "agent_error"
    return {"id": "s", "task_id": "1", "termination_reason": reason, "messages": messages}


def agents_trace(*, goes_on: bool) -> list[Any]:
    error = None if goes_on else {"message": "boom", "data": None}
    spans = [
        ("a", None, {"type": "agent", "name": "a"}, error),
        ("b", "a", {"type": "function", "name": "f", "input": "{}", "output": "no"}, {"message": "a failing tool"}),
        ("c", "b", {"type": "agent", "name": "below a tool"}, {"message": "its tool says so"}),
    ]
    return [
        {"object": "trace.span", "id": name, "trace_id": "t", "parent_id": above, "span_data": data, "error": failed}
        for name, above, data, failed in spans
    ]


ASKED = [{"role": "user", "content": "hi"}, {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}]


def responses(*, goes_on: bool) -> dict[str, Any]:
    output = {"type": "function_call_output", "call_id": "1", "output": "ok"}
    told = {"status": "completed"} if goes_on else {"status": "failed", "error": {"code": "x", "message": "boom"}}
    return {"input": [*ASKED, output], "response": {"object": "response", "id": "r", "output": [], **told}}


def responses_cut_short(*, goes_on: bool) -> dict[str, Any]:
    error = None if goes_on else {"code": "x", "message": "boom"}
    return {"input": ASKED[:1], "response": {"object": "response", "id": "r", "output": ASKED[1:], "error": error}}


def responses_streamed(*, goes_on: bool) -> list[Any]:
    told = responses_cut_short(goes_on=goes_on)["response"]
    last = "response.completed" if goes_on else "response.failed"
    return [{"type": "response.created", "response": {**told, "output": []}}, {"type": last, "response": told}]


def chat(*, goes_on: bool) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [*ASKED[:1], {"role": "assistant", "content": None, "tool_calls": [call]}]
    answer = {"choices": [{"message": {"role": "assistant", "content": "done"}}]}
    return {"request": {"messages": messages}, "response": answer if goes_on else {"error": {"message": "boom"}}}


RUNS = (
    responses,
    responses_cut_short,
    responses_streamed,
    chat,
    ag_ui,
    codex_exec,
    claude_code,
    claude_stream,
    adk,
    openhands,
    smolagents,
    gemini,
    tau2,
    agents_trace,
)


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_stopped_in_an_error_is_no_verdict(run: Any, *, goes_on: bool) -> None:
    document = run(goes_on=goes_on)
    (found,) = [known for known in known_formats() if known.matches(document)]
    (trace,) = found.read(document).threads[0].traces
    assert [call.name for call in trace.trajectory] == ["f"]
    assert (trace.error is None) is goes_on
    assert goes_on or trace.error in ("boom", "the simulation ended with agent_error")
