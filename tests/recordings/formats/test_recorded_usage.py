"""What turns took, which models answered, when, and as which agent: never counted twice, and never left to be guessed."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.recordings.detection import known_formats
from trajectory.usage import Usage

HI = {"role": "user", "content": "hi"}
DONE = {"role": "assistant", "content": "done"}
OPENAI = {"prompt_tokens": 100, "completion_tokens": 20}


def turns(document: Any) -> Any:
    (found,) = [known for known in known_formats() if known.matches(document)]
    (thread,) = found.read(document).threads
    return thread.traces


def usage(tokens: int, output: int, *, complete: bool = True, **more: Any) -> Usage:
    cost = more.get("cost_usd") is not None
    return Usage(input_tokens=tokens, output_tokens=output, tokens_complete=complete, cost_complete=cost, **more)


# ------------------------------------------------------------------------------------------- logs of requests


def log(messages: list[Any], answer: Any = DONE, **response: Any) -> dict[str, Any]:
    made = {"object": "chat.completion", "model": "m", "choices": [{"message": answer}], **response}
    return {"request": {"messages": messages}, "response": made}


def test_a_response_tells_what_it_took() -> None:
    (trace,) = turns(log([HI], usage=OPENAI))
    assert (trace.usage, trace.models) == (usage(100, 20), ("m",))


def test_logs_that_are_left_out_still_count() -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
    result = {"role": "tool", "tool_call_id": "1", "content": "ok"}
    logs = [
        log([HI], call, usage=OPENAI, model="a"),
        log([HI, call, result], usage=OPENAI, model="b"),
        log([HI, call, result, DONE, HI], usage=OPENAI),
    ]
    first, second = turns(logs)
    assert (first.usage, first.models) == (usage(200, 40), ("a", "b"))
    assert (second.usage, second.models) == (usage(100, 20), ("m",))
    (trace,) = turns(logs[1:2])
    assert trace.usage == usage(100, 20, complete=False)


def test_logs_without_usage_say_nothing() -> None:
    (trace,) = turns(log([HI]))
    assert (trace.usage, trace.models) == (None, ("m",))


def test_a_cost_beside_the_response() -> None:
    (trace,) = turns({"messages": [HI], "response": log([], usage=OPENAI)["response"], "cost": 0.5, "kwargs": {}})
    assert trace.usage == usage(100, 20, cost_usd=0.5)


# ----------------------------------------------------------------------------------------------- Claude Code


def claude(number: int, kind: str, content: Any, **message: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": str(number),
        "parentUuid": str(number - 1) if number > 1 else None,
        "sessionId": "s",
        "timestamp": f"2026-08-01T09:00:0{number}Z",
        "message": {"role": kind, "content": content, **message},
    }


def test_a_message_in_many_records_took_once() -> None:
    spent = {"input_tokens": 3, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 7}
    whole = {"id": "m1", "model": "claude", "usage": {**spent, "output_tokens": 20}}
    begun = {"id": "m1", "model": "claude", "usage": {**spent, "output_tokens": 1}}
    records = [
        claude(1, "user", "hi"),
        claude(2, "assistant", [{"type": "text", "text": "Let me look."}], **begun),
        claude(3, "assistant", [{"type": "tool_use", "id": "1", "name": "f", "input": {}}], **whole),
        claude(4, "user", [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]),
        claude(5, "assistant", "API error", model="<synthetic>", usage={"input_tokens": 0, "output_tokens": 0}),
    ]
    (trace,) = turns(records)
    assert trace.usage == usage(100, 20, cached_tokens=90)
    assert trace.models == ("claude",)
    assert (trace.start_time, trace.end_time) == ("2026-08-01T09:00:01+00:00", "2026-08-01T09:00:05+00:00")
    assert trace.trajectory[0].result.end_time == "2026-08-01T09:00:04+00:00"


# ----------------------------------------------------------------------------------------------------- Codex


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-08-01T09:00:00Z", "type": kind, "payload": payload}


def counted(tokens: int, output: int, **info: Any) -> dict[str, Any]:
    total = {"input_tokens": tokens, "output_tokens": output, "cached_input_tokens": 0}
    return codex("event_msg", type="token_count", info={"total_token_usage": total, **info})


def says(role: str) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    return codex("response_item", type="message", role=role, content=[{"type": kind, "text": "hi"}])


def test_running_totals_are_not_summed_up() -> None:
    records = [
        codex("turn_context", model="a"),
        says("user"),
        counted(100, 10),
        counted(100, 10),
        codex("event_msg", type="token_count", info=None),
        says("assistant"),
        counted(250, 30),
        codex("turn_context", model="b"),
        says("user"),
        counted(300, 35),
        says("assistant"),
        counted(40, 4, last_token_usage={"input_tokens": 40, "output_tokens": 4, "cached_input_tokens": 0}),
    ]
    first, second = turns(records)
    assert (first.usage, first.models) == (usage(250, 30, cached_tokens=0), ("a",))
    assert (second.usage, second.models) == (usage(90, 9, cached_tokens=0), ("b",))


# ----------------------------------------------------------------------------------------------- other records


def test_a_request_of_which_nothing_is_recorded_makes_the_sum_incomplete() -> None:
    answers = [{"type": "ai", "content": "a", "usage_metadata": {"input_tokens": 1, "output_tokens": 2}}]
    (trace,) = turns([{"type": "human", "content": "hi"}, *answers, {"type": "ai", "content": "b"}])
    assert trace.usage == usage(1, 2, complete=False)


def adk(author: str, text: str, **more: Any) -> dict[str, Any]:
    return {"author": author, "invocationId": "i", "content": {"parts": [{"text": text}]}, **more}


def test_a_session_of_adk_tells_of_its_agents_and_its_state() -> None:
    call = {"author": "helper", "content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}, "timestamp": 20.5}
    spent = {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 6}, "modelVersion": "g"}
    events = [adk("user", "hi", timestamp=10), {**call, **spent}, adk("root", "done", timestamp=30)]
    document = {"id": "s", "state": {"a": 1}, "events": events}
    (found,) = [known for known in known_formats() if known.matches(document)]
    (thread,) = found.read(document).threads
    (trace,) = thread.traces
    assert thread.final_state == {"a": 1}
    assert [one.agent for one in trace.trajectory] == ["helper"]
    assert (trace.usage, trace.models) == (usage(5, 6), ("g",))
    assert (trace.start_time, trace.end_time) == ("1970-01-01T00:00:10+00:00", "1970-01-01T00:00:30+00:00")


def span(name: str, parent: str | None, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    times = {"started_at": "2026-08-01T09:00:00Z", "ended_at": "2026-08-01T09:00:02Z"}
    return {
        "object": "trace.span",
        "id": name,
        "trace_id": "t",
        "parent_id": parent,
        "span_data": data,
        **times,
        **more,
    }


def test_rounds_and_tasks_say_once_more_what_requests_took() -> None:
    spent = {"input_tokens": 5, "output_tokens": 6}
    asked = [{"role": "user", "content": "hi"}]
    spans = [
        span("task", None, {"type": "custom", "data": {"sdk_span_type": "task", "usage": spent}}),
        span("agent", "task", {"type": "agent", "name": "root"}),
        span("turn", "agent", {"type": "custom", "data": {"sdk_span_type": "turn", "usage": spent}}),
        span("f", "turn", {"type": "function", "name": "f", "input": "{}", "output": "ok"}),
    ]
    (trace,) = turns(spans)
    (call,) = trace.trajectory
    assert (trace.usage, call.agent) == (usage(5, 6), "root")
    assert (call.result.start_time, call.result.end_time) == ("2026-08-01T09:00:00+00:00", "2026-08-01T09:00:02+00:00")
    answer = {"type": "generation", "input": asked, "output": [DONE], "usage": spent, "model": "m"}
    (trace,) = turns([*spans, span("generation", "turn", answer)])
    assert (trace.usage, trace.models) == (usage(5, 6), ("m",))


@pytest.mark.parametrize(("users", "known"), [(1, True), (2, False)])
def test_a_sum_is_of_a_turn_only_where_there_is_one(users: int, *, known: bool) -> None:
    history = [{"role": "user", "content": "hi", "agent": "main", "message_type": "observation"}, DONE] * users
    stats = {"tokens_sent": 5, "tokens_received": 6, "instance_cost": 0.5}
    found = turns({"history": history, "info": {"model_stats": stats}})
    assert [trace.usage for trace in found] == [usage(5, 6, cost_usd=0.5) if known else None] * users


def test_events_of_inspect_tell_of_the_messages_they_made() -> None:
    call = {"id": "c", "function": "f", "arguments": {}}
    asked = {"id": "m", "role": "assistant", "content": "", "tool_calls": [call]}
    result = {"id": "r", "role": "tool", "content": "ok", "tool_call_id": "c", "function": "f"}
    spent = {"input_tokens": 60, "output_tokens": 20, "input_tokens_cache_read": 40, "total_tokens": 120}
    output = {"choices": [{"message": asked}], "usage": spent}
    ran = {"event": "tool", "id": "c", "timestamp": "2026-08-01T09:00:03Z", "completed": "2026-08-01T09:00:04Z"}
    model = {"event": "model", "model": "m", "output": output, "timestamp": "2026-08-01T09:00:01Z"}
    sample = {"id": 1, "messages": [HI, asked, result], "started_at": "2026-08-01T09:00:00Z"}
    log = {"status": "success", "eval": {}, "plan": {}, "samples": [{**sample, "events": [model, ran]}]}
    (trace,) = turns(log)
    assert (trace.usage, trace.models) == (usage(100, 20, cached_tokens=40), ("m",))
    assert trace.trajectory[0].result.start_time == "2026-08-01T09:00:03+00:00"
    summed = {"status": "success", "eval": {}, "plan": {}, "samples": [{**sample, "model_usage": {"m": spent}}]}
    assert turns(summed)[0].usage == trace.usage


def test_a_run_of_ag_ui_tells_what_it_took_and_when() -> None:
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "timestamp": 1785574800000, "input": {"messages": [HI]}},
        {"type": "TOOL_CALL_START", "toolCallId": "1", "toolCallName": "f"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "1", "content": "ok", "timestamp": 1785574801000},
        {"type": "RUN_FINISHED", "threadId": "t", "timestamp": 1785574802000, "usage": {"inputTokens": 5}},
    ]
    (trace,) = turns(events)
    assert trace.usage == Usage(input_tokens=5, tokens_complete=False, cost_complete=False)
    assert (trace.start_time, trace.end_time) == ("2026-08-01T09:00:00+00:00", "2026-08-01T09:00:02+00:00")
    assert trace.trajectory[0].result.end_time == "2026-08-01T09:00:01+00:00"
