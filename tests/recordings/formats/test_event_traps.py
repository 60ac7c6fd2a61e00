"""What naive readers of streams of events get wrong."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from trajectory.conversation import NOT_RECORDED, MalformedArguments
from trajectory.recordings import load_recordings
from trajectory.recordings.detection import known_formats
from trajectory.recordings.formats import Reading
from trajectory.recordings.formats.ag_ui import AG_UI
from trajectory.usage import Usage

FOLDER = Path(__file__).parents[3] / "fixtures" / "recordings"


def read(document: Any) -> Reading:
    (found,) = [known for known in known_formats() if known.matches(document)]
    return found.read(document)


def calls(document: Any) -> list[tuple[str, Any, bool | str | None]]:
    (thread,) = read(document).threads
    found = [call for trace in thread.traces for call in trace.trajectory]
    return [(call.name, call.arguments, call.result.error if call.result else "no result") for call in found]


# ---------------------------------------------------------------------------------------------- Claude Code, streamed


def streamed(kind: str, content: Any, **keys: Any) -> dict[str, Any]:
    return {"type": kind, "session_id": "s", "message": {"role": kind, "content": content}, **keys}


def ended(**keys: Any) -> dict[str, Any]:
    return {"type": "result", "session_id": "s", "subtype": "success", **keys}


def test_running_totals_of_runs_are_not_summed_up() -> None:
    first, second = load_recordings(FOLDER / "claude_stream.jsonl").threads[0].traces
    assert first.usage == Usage(100, 20, cost_usd=0.5)
    assert second.usage == Usage(60, 10, cost_usd=0.25, tokens_complete=False, cost_complete=False)
    assert first.models == second.models == ("example",)


def test_a_stream_without_the_words_of_the_user() -> None:
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": True}
    inner = streamed("assistant", [{**call, "id": "2"}], parent_tool_use_id="1")
    document = [
        streamed("assistant", [call]),
        inner,
        streamed("user", [result]),
        ended(is_error=True, subtype="error_max_turns"),
    ]
    reading = read(document)
    assert calls(document) == [("f", {}, True)]
    assert not reading.incomplete
    assert reading.notes == (
        "left out: 1 records of sub-agents",
        "a run ended in an error: error_max_turns",
        "what the user said is not in the file",
    )


def test_a_stream_that_broke_off_is_incomplete() -> None:
    reading = read([streamed("user", "hi"), streamed("assistant", "Let me")])
    assert reading.incomplete
    assert reading.notes == ("a run did not end",)


# ------------------------------------------------------------------------------------------------------- codex exec


def item(kind: str, status: str | None = None, event: str = "item.completed", **keys: Any) -> dict[str, Any]:
    told = {} if status is None else {"status": status}
    return {"type": event, "item": {"id": keys.pop("id", kind), "type": kind, **told, **keys}}


def test_the_last_of_an_item_counts() -> None:
    shell: dict[str, Any] = {"command": "ls", "aggregated_output": "", "exit_code": None}
    document = [
        {"type": "turn.started"},
        item("command_execution", "in_progress", "item.started", **shell),
        item("file_change", "failed", changes=[{"path": "a", "kind": "add"}]),
        item("command_execution", "completed", **shell | {"aggregated_output": "a.txt", "exit_code": 0}),
        item("web_search", "in_progress", "item.started", query="q"),
        item("mcp_tool_call", "failed", tool="f", server="s", arguments={}, error={"message": "no"}),
        item("reasoning", text="hm"),
        item("todo_list", items=[]),
        {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 6}},
        {"type": "turn.started"},
        {"type": "turn.completed", "usage": {"input_tokens": 7, "output_tokens": 9}},
    ]
    reading = read({"events": document})
    assert calls(document) == [
        ("command_execution", {"command": "ls"}, False),
        ("file_change", {"changes": [{"path": "a", "kind": "add"}]}, True),
        ("web_search", {"query": "q"}, "no result"),
        ("f", {}, True),
    ]
    assert [trace.usage for trace in reading.threads[0].traces] == [
        Usage(5, 6, cost_complete=False),
        Usage(2, 3, cost_complete=False),
    ]
    assert reading.notes[1:] == ("left out: 1 items of other kinds: todo_list",)


@pytest.mark.parametrize("events", [[{"type": "turn.failed", "error": {"message": "no"}}], []])
def test_a_turn_that_did_not_end_is_incomplete(events: list[Any]) -> None:
    reading = read([{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}, *events])
    assert reading.incomplete
    assert reading.notes[-1] == "a turn did not end"


# -------------------------------------------------------------------------------------------------------- OpenHands


def event(kind: str, **keys: Any) -> dict[str, Any]:
    return {"kind": kind, "id": keys.get("id", kind), "timestamp": "2026-08-01T09:00:00", "source": "agent", **keys}


def act(number: str, arguments: Any, action: Any = None, **keys: Any) -> dict[str, Any]:
    call = {"id": f"call_{number}", "name": "f", **({} if arguments is None else {"arguments": arguments})}
    return event("ActionEvent", id=number, tool_name="f", tool_call=call, action=action, **keys)


@pytest.mark.parametrize(
    ("arguments", "action", "expected"),
    [
        ('{"a": 1, "security_risk": "LOW", "summary": "s"}', {"kind": "F", "a": 1}, {"a": 1}),
        ('{"summary": "s"}', {"kind": "F", "summary": "s"}, {"summary": "s"}),
        ('{"summary": "s"}', None, {"summary": "s"}),
        (None, {"kind": "F", "a": 1}, {"a": 1}),
        (None, None, NOT_RECORDED),
    ],
)
def test_what_the_model_was_asked_for_besides_is_no_argument(arguments: Any, action: Any, expected: Any) -> None:
    assert calls([act("1", arguments, action)]) == [("f", expected, "no result")]


def test_arguments_that_are_no_json_stay_what_they_are() -> None:
    ((_, arguments, _),) = calls([act("1", "{oops", {"kind": "F"})])
    assert isinstance(arguments, MalformedArguments)


def test_the_ways_in_which_an_action_fails() -> None:
    document = [
        *(act(number, "{}", llm_response_id="r") for number in "123"),
        event("UserRejectObservation", action_id="2", rejection_reason="no"),
        event("AgentErrorEvent", tool_name="f", tool_call_id="call_3", error="no"),
        event("ObservationEvent", action_id="1", observation={"content": [], "is_error": True}),
        event("MoonlightEvent"),
        event("ConversationErrorEvent", code="c"),
    ]
    assert [error for _, _, error in calls(document)] == [True, True, True]
    assert len(read(document).threads[0].traces[0].iterations) == 1
    assert read(document).notes == (
        "left out: 1 events of other kinds: MoonlightEvent",
        "the conversation ended in an error",
    )


def test_running_totals_of_events_are_not_summed_up() -> None:
    def stats(tokens: int) -> dict[str, Any]:
        spent = {"prompt_tokens": tokens, "completion_tokens": 1, "cache_read_tokens": 0}
        metrics = {"model_name": "m", "accumulated_cost": 0.5, "accumulated_token_usage": spent}
        return event("ConversationStateUpdateEvent", key="stats", value={"usage_to_metrics": {"default": metrics}})

    (trace,) = read([act("1", "{}"), stats(5), stats(5), stats(9)]).threads[0].traces
    assert (trace.usage, trace.models) == (Usage(9, 1, 0, 0.5), ("m",))


def test_actions_of_the_program_are_no_calls() -> None:
    def numbered(number: int, source: str, **keys: Any) -> dict[str, Any]:
        return {"id": number, "timestamp": "2026-08-01T09:00:00", "source": source, **keys}

    document = [
        numbered(0, "agent", action="system", args={"content": "You help."}),
        numbered(1, "user", action="message", args={"content": "hi"}),
        numbered(2, "user", action="recall", args={"query": "hi"}),
        numbered(3, "agent", observation="recall", content="", cause=2),
        numbered(4, "agent", action="run", args={"command": "ls"}),
        numbered(5, "agent", observation="error", content="no", cause=4),
        numbered(6, "agent", action="run", args={"command": "pwd"}),
        numbered(7, "agent", observation="run", content="/", cause=6),
        numbered(8, "environment", action="change_agent_state", args={}),
    ]
    assert calls(document) == [("run", {"command": "ls"}, True), ("run", {"command": "pwd"}, None)]


# -------------------------------------------------------------------------------------------------------------- tau2


def test_results_whose_simulations_stand_elsewhere() -> None:
    results = {"timestamp": "2026-08-01T09:00:00", "info": {}, "tasks": []}
    assert read(results) == Reading((), ("the simulations stand in other files, beside this one",), incomplete=True)


# ----------------------------------------------------------------------------------------------- agents without calls


def acts(command: str, **keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": f"I run {command}.", **keys}


ASKED = {"role": "user", "content": "go"}
SHOWN = {"role": "user", "content": "no such file"}
ACTING = {
    "swe-agent": {"history": [ASKED | {"agent": "main"}, acts("ls", action="ls"), SHOWN, acts("nothing", action="")]},
    "mini-swe-agent": {
        "messages": [
            ASKED,
            acts("ls", extra={"actions": [{"command": "ls"}]}),
            SHOWN,
            acts("nothing"),
            {"role": "user", "content": "No command."} | {"extra": {"interrupt_type": "FormatError"}},
            {"role": "exit", "content": "LimitsExceeded"},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
    },
}


@pytest.mark.parametrize("name", ACTING)
def test_what_a_command_in_a_text_gave_back_is_no_turn(name: str) -> None:
    (found,) = [known for known in known_formats() if known.matches(ACTING[name])]
    reading = found.read(ACTING[name])
    ((turn,),) = [thread.traces for thread in reading.threads]
    assert (found.name, turn.query, turn.response, turn.trajectory) == (name, "go", "I run nothing.", ())
    assert reading.notes == (
        "left out: 1 observations (they answer no call)",
        "the agent acted by commands in its texts, so no calls of tools are recorded",
    )
    assert reading.incomplete


# --------------------------------------------------------------------------------------------------------------- AG-UI


def run(*events: dict[str, Any], ends: bool = True) -> list[dict[str, Any]]:
    end = [{"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}] if ends else []
    return [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}, *events, *end]


def test_a_piece_that_names_nothing_goes_on_with_the_latest() -> None:
    pieces = run(
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "1", "toolCallName": "f", "delta": '{"a"'},
        {"type": "TOOL_CALL_CHUNK", "delta": ": 1}"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "do"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "ne"},
    )
    assert calls(pieces) == [("f", {"a": 1}, "no result")]
    assert read(pieces).threads[0].traces[0].response == "done"


def test_a_call_that_began_before_the_recording_makes_it_incomplete() -> None:
    reading = read(run({"type": "TOOL_CALL_ARGS", "toolCallId": "1", "delta": "{}"}))
    assert reading.notes == ("left out: 1 calls (their beginning is not there)",)
    assert reading.incomplete


def test_a_run_that_did_not_end_makes_the_recording_incomplete() -> None:
    reading = read(run({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "do"}, ends=False))
    assert (reading.notes, reading.incomplete) == (("a run did not end",), True)


def test_many_pieces_take_no_long_time() -> None:
    begin = time.monotonic()
    pieces = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"} for _ in range(20_000)]
    assert len(read(run(*pieces)).threads[0].traces[0].response or "") == 20_000
    assert time.monotonic() - begin < 5


def test_the_runs_of_a_benchmark_are_conversations_of_their_own() -> None:
    said = {
        "id": 0,
        "timestamp": "2025-01-01T00:00:00",
        "source": "user",
        "action": "message",
        "args": {"content": "go"},
    }
    reading = read([{"instance_id": name, "history": [said], "metrics": {}} for name in ("a", "b")])
    assert [(thread.id, thread.traces[0].query) for thread in reading.threads] == [("a", "go"), ("b", "go")]


def test_a_session_of_adk_in_which_nothing_happened_yet() -> None:
    (thread,) = read({"id": "s", "appName": "a", "userId": "u", "state": {}, "events": []}).threads
    assert (thread.id, thread.traces) == ("s", ())


# --------------------------------------------------------------------------------------------------------- Inspect AI


def log(**sample: Any) -> dict[str, Any]:
    held = {"id": 1, "epoch": 2, "input": "go", "messages": [{"role": "assistant", "content": "done"}], **sample}
    return {"version": 2, "status": "success", "eval": {}, "plan": {}, "samples": [held]}


def test_the_input_of_a_sample_is_what_was_asked_where_no_message_says_it() -> None:
    (turn,) = read(log()).threads[0].traces
    assert (turn.query, turn.response) == ("go", "done")
    said = [{"role": "user", "content": "please"}, {"role": "assistant", "content": "done"}]
    assert [trace.query for trace in read(log(messages=said)).threads[0].traces] == ["please"]


def test_a_sample_that_ended_in_an_error_makes_the_recording_incomplete() -> None:
    reading = read(log(error={"message": "boom"}))
    assert (reading.notes, reading.incomplete) == (("samples that ended in an error: 1_epoch_2",), True)


def test_runs_that_are_given_all_or_a_part_of_what_was_said() -> None:
    def run(said: list[dict[str, str]], answer: str) -> list[dict[str, Any]]:
        return [
            {"type": "RUN_STARTED", "threadId": "t", "runId": answer, "input": {"messages": said}},
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": answer, "delta": answer},
            {"type": "RUN_FINISHED"},
        ]

    first, second = ({"id": query, "role": "user", "content": query} for query in ("q1", "q2"))
    told = {"id": "a1", "role": "assistant", "content": "a1"}
    for history in ([second], [first, told, second], [told, second]):
        thread = AG_UI.read([*run([first], "a1"), *run(history, "a2")]).threads[0]
        spoken = [(trace.query, trace.response) for trace in thread.traces]
        assert spoken == [("q1", "a1"), ("q2", "a2")]


def test_what_the_user_says_in_events_is_a_turn() -> None:
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "u", "delta": "hi"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": "hello"},
        {"type": "RUN_FINISHED"},
    ]
    (trace,) = AG_UI.read(events).threads[0].traces
    assert (trace.query, trace.response) == ("hi", "hello")


def test_two_calls_of_one_id_in_events_are_two() -> None:
    calls = [
        event
        for name in ("f", "g")
        for event in (
            {"type": "TOOL_CALL_START", "toolCallId": "1", "toolCallName": name},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "1", "delta": f'{{"of": "{name}"}}'},
        )
    ]
    (trace,) = AG_UI.read(calls).threads[0].traces
    assert [(call.name, call.arguments) for call in trace.trajectory] == [("f", {"of": "f"}), ("g", {"of": "g"})]
