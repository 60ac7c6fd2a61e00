"""What naive readers of message lists get wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trajectory.conversation import NOT_RECORDED, FunctionMessage, MalformedArguments, Trace
from trajectory.recordings.detection import known_formats
from trajectory.recordings.formats import Reading

HI = {"role": "user", "content": "hi"}
DONE = {"role": "assistant", "content": "done"}


def read(document: Any) -> Reading:
    (found,) = [known for known in known_formats() if known.matches(document)]
    return found.read(document)


def turns(document: Any) -> tuple[Trace, ...]:
    (thread,) = read(document).threads
    return thread.traces


def calls(document: Any) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for trace in turns(document) for call in trace.trajectory]


def results(document: Any) -> list[str | None]:
    outputs = [output for trace in turns(document) for one in trace.iterations for output in one.output]
    return [output.content for output in outputs if isinstance(output, FunctionMessage)]


# -------------------------------------------------------------------------------------------------------- OpenAI Chat


def openai(function: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ({"name": "f"}, NOT_RECORDED),
        ({"name": "f", "arguments": ""}, {}),
        ({"name": "f", "arguments": None}, {}),
        ({"name": "f", "arguments": {"a": None}}, {"a": None}),
    ],
)
def test_arguments_that_are_not_there_are_not_empty(function: Any, arguments: Any) -> None:
    assert calls([HI, openai(function)]) == [("f", arguments)]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_words_under_a_key_that_nobody_knows_are_not_lost(role: str) -> None:
    nested = {"role": role, "message": {"content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}}
    with pytest.raises(TypeError, match="expected a message with content or tool calls, found an object with the keys"):
        read([HI, nested])


def test_calls_that_a_table_holds_as_a_text() -> None:
    asks = openai({"name": "f", "arguments": '{"a": 1}'})
    assert calls([HI, asks | {"tool_calls": json.dumps(asks["tool_calls"])}]) == [("f", {"a": 1})]
    with pytest.raises(TypeError, match="expected a list, each item a tool call, found the string"):
        read([HI, asks | {"tool_calls": "f()"}])


def test_calls_beside_thoughts_in_blocks() -> None:
    thoughts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Let me see."},
    ]
    asks = openai({"name": "f", "arguments": '{"a": 1}'}) | {"content": thoughts}
    reading = [HI, asks, {"role": "tool", "tool_call_id": "1", "content": "ok"}, DONE]
    (turn,) = turns(reading)
    assert calls(reading) == [("f", {"a": 1})]
    assert [call.result and call.result.content for call in turn.trajectory] == ["ok"]


def test_a_batch_names_its_conversations() -> None:
    body = {"object": "chat.completion", "choices": [{"message": openai({"name": "f", "arguments": "{}"})}]}
    answers = [
        {"id": "b", "custom_id": name, "response": {"status_code": 200, "body": body}} for name in ("one", "two")
    ]
    reading = read(answers)
    assert [thread.id for thread in reading.threads] == ["one", "two"]
    assert [call.name for thread in reading.threads for call in thread.traces[0].trajectory] == ["f", "f"]
    request = {"custom_id": "one", "method": "POST", "body": {"messages": [HI]}}
    assert [(thread.id, thread.traces[0].query) for thread in read([request]).threads] == [("one", "hi")]


def test_an_answer_of_gemini() -> None:
    parts = [{"function_call": {"name": "f", "args": {"a": 1}}}, {"executable_code": {"code": "1"}}]
    answer = {"candidates": [{"content": {"parts": parts}}, {}], "usage_metadata": {"prompt_token_count": 5}}
    reading = read(answer)
    assert calls(answer) == [("f", {"a": 1})]
    assert [note.split(" (")[0] for note in reading.notes] == [
        "left out: 1 answers",
        "left out: 1 pieces of code that the model ran itself, or what they gave back",
        "what the user said is not in the file",
    ]


def test_what_the_gemini_command_line_tells_first_is_no_turn() -> None:
    setup = {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context for our chat."}]}
    said = [setup, {"role": "model", "parts": [{"text": "Got it."}]}, {"role": "user", "parts": [{"text": "go"}]}]
    assert [(turn.query, turn.response) for turn in turns(said)] == [("go", None)]


def test_an_answer_of_bedrock_converse() -> None:
    use = {"toolUse": {"toolUseId": "1", "name": "f", "input": {"a": 1}}}
    answer = {"output": {"message": {"role": "assistant", "content": [use]}}, "stopReason": "tool_use"}
    reading = read(answer | {"usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}})
    ((turn,),) = [thread.traces for thread in reading.threads]
    assert [(call.name, call.arguments) for call in turn.trajectory] == [("f", {"a": 1})]
    assert (turn.usage and turn.usage.input_tokens, reading.notes) == (5, ("what the user said is not in the file",))


def test_calls_where_a_dialect_has_none_are_not_lost() -> None:
    blocks = {"role": "user", "content": [{"text": "hi"}]}
    with pytest.raises(ValueError, match="expected calls among the parts of messages"):
        read([blocks, openai({"name": "f", "arguments": "{}"})])


def test_of_many_answers_the_first_counts() -> None:
    choices = [{"message": DONE}, {"message": openai({"name": "f", "arguments": "{}"})}]
    reading = read({"object": "chat.completion", "choices": choices})
    assert "left out: 1 answers (only a model's first one counts)" in reading.notes
    assert calls({"messages": [HI], "choices": choices}) == []


CHUNK = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "do"}}]}
NOTED = "a response is no whole answer of a model, such as a piece of a stream; it was left out"


@pytest.mark.parametrize("response", [CHUNK, [CHUNK, CHUNK], {"choices": []}, "done", None])
def test_a_response_that_is_no_answer_makes_a_log_incomplete(response: Any) -> None:
    reading = read({"messages": [HI], "response": response})
    assert reading.incomplete
    assert reading.notes[0] == NOTED


def test_a_request_that_failed_and_was_sent_again() -> None:
    failed = {"messages": [HI], "response": {"error": {"message": "overloaded"}}}
    reading = read([failed, {"messages": [HI], "response": {"choices": [{"message": DONE}]}}])
    assert not reading.incomplete
    assert [trace.response for thread in reading.threads for trace in thread.traces] == ["done"]
    assert reading.notes[0] == "a request to the model failed"


@pytest.mark.parametrize(
    "document",
    [
        CHUNK,
        [{"object": "chat.completion", "choices": [{"message": DONE}]}, CHUNK],
        [{"type": "response.created", "response": {}}, {"type": "response.output_text.delta", "delta": "do"}],
        [{"type": "message_start", "message": {"role": "assistant", "content": []}}, {"type": "content_block_delta"}],
        {"object": "text_completion", "choices": [{"text": "done"}]},
    ],
)
def test_pieces_of_streams_are_no_recording(document: Any) -> None:
    assert [known.name for known in known_formats() if known.matches(document)] == []


def test_a_dataset_is_not_a_log() -> None:
    rows = [{"messages": [HI]}, {"messages": [HI, DONE]}, {"id": 5, "messages": [HI]}]
    assert [thread.id for thread in read(rows).threads] == ["", "", "5"]


def test_logs_of_two_conversations() -> None:
    other = {"role": "user", "content": "other"}
    requests = [[HI], [other], [HI, DONE, other]]
    logs = [{"request": {"messages": one}, "response": {"choices": [{"message": DONE}]}} for one in requests]
    found = [[trace.query for trace in thread.traces] for thread in read(logs).threads]
    assert found == [["other"], ["hi", "other"]]


def test_plain_chat_says_that_it_shows_no_tools() -> None:
    assert read([HI, DONE]).notes == ("no message shows a tool call: either none was made, or calls were not recorded",)


# ---------------------------------------------------------------------------------------------------------- Anthropic


def test_tools_of_the_provider_are_read_whatever_they_are_called() -> None:
    blocks = [
        {"type": "moon_tool_use", "id": "1", "name": "moon", "input": {"a": 1}},
        {"type": "moon_tool_result", "tool_use_id": "1", "content": [{"type": "moon", "phase": 3}]},
        {"type": "text", "text": "full"},
        {"type": "container_upload", "file_id": "f"},
        {"type": "tool_use", "id": "2", "name": "g"},
    ]
    document = [HI, {"role": "assistant", "content": blocks}]
    assert calls(document) == [("moon", {"a": 1}), ("g", NOT_RECORDED)]
    assert results(document) == ['[{"type": "moon", "phase": 3}]']
    assert read(document).notes == ("left out: 1 blocks of other kinds: container_upload",)


# ---------------------------------------------------------------------------------------------------------- LangChain


@pytest.mark.parametrize("server", [True, False])
def test_a_history_of_states_is_one_conversation(*, server: bool) -> None:
    place: dict[str, Any] = (
        {"checkpoint": {"thread_id": "t"}} if server else {"config": {"configurable": {"thread_id": "t"}}}
    )
    said = [{"type": "human", "content": "hi"}, {"type": "ai", "content": "done"}]
    history = [
        {"values": {"messages": said}, "created_at": "2026-08-01T10:00:02+00:00", **place},
        {"values": {"messages": said[:1]}, "created_at": "2026-08-01T10:00:01+00:00", **place},
        {"values": {}, "created_at": "2026-08-01T10:00:00+00:00", **place},
    ]
    reading = read(history)
    ((thread, (turn,)),) = [(thread.id, thread.traces) for thread in reading.threads]
    assert (thread, turn.query, turn.response) == ("t", "hi", "done")
    assert reading.notes[0] == "left out: 2 older states (the newest one of a thread holds all of it)"


def test_calls_of_old_dumps_stand_elsewhere() -> None:
    listed = [{"id": "1", "function": {"name": "f", "arguments": '{"a": 1}'}}]
    document = [
        {"type": "human", "content": "hi"},
        {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": listed}},
    ]
    assert calls(document) == [("f", {"a": 1})]


def test_calls_are_not_counted_again_in_blocks() -> None:
    call = {"name": "f", "args": {}, "id": "1"}
    block = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    document = [
        {"type": "human", "content": "hi"},
        {"type": "ai", "content": [block], "tool_calls": [call], "additional_kwargs": {"tool_calls": [{}]}},
    ]
    assert calls(document) == [("f", {})]


def test_calls_that_could_not_be_parsed_come_last() -> None:
    invalid = {"name": "g", "args": "{oops", "id": "2", "type": "invalid_tool_call", "error": "no JSON"}
    message = {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}}], "invalid_tool_calls": [invalid]}
    first, (name, arguments) = calls([{"type": "human", "content": "hi"}, message])
    assert (first, name, arguments.text) == (("f", {}), "g", "{oops")


def test_chunks_chat_messages_and_removals() -> None:
    document = [
        {"type": "HumanMessageChunk", "content": "hi"},
        {"type": "remove", "id": "x", "content": ""},
        {"type": "AIMessageChunk", "content": "a"},
    ]
    reading = read(document)
    assert reading.threads[0].traces[0].response == "a"
    assert "left out: 1 messages of removal" in reading.notes
    with pytest.raises(TypeError, match="expected one of the roles"):
        read([*document, {"type": "chat", "content": "whose?"}])


# --------------------------------------------------------------------------------------------------- OpenAI Responses


def says(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def test_text_beside_a_call_is_no_answer() -> None:
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    (trace,) = turns([HI, says("let me"), call])
    assert (trace.response, len(trace.iterations)) == (None, 1)


def test_what_a_search_found_is_no_argument() -> None:
    action = {"type": "search", "query": "q", "sources": [{"type": "url", "url": "u"}]}
    search = {"type": "web_search_call", "id": "ws", "status": "completed", "action": action}
    assert calls([HI, search]) == [("web_search", {"action": {"type": "search", "query": "q"}})]
    assert results([HI, search]) == ['[{"type": "url", "url": "u"}]']


def test_a_search_for_tools_at_the_provider_has_no_id_of_a_call() -> None:
    about = {"call_id": None, "execution": "server", "status": "completed"}
    items = [
        HI,
        {"type": "tool_search_call", "id": "ts", "arguments": {"paths": ["f"]}, **about},
        {"type": "tool_search_output", "id": "to", "tools": [{"name": "f"}], **about},
    ]
    (call,) = turns(items)[0].trajectory
    assert (call.name, call.arguments, call.id) == ("tool_search", {"paths": ["f"]}, "ts")
    assert call.result is not None
    assert call.result.content == '[{"name": "f"}]'


def test_tools_of_openai_are_calls() -> None:
    items = [
        HI,
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"query": "q"}},
        {"type": "code_interpreter_call", "id": "ci", "code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]},
        {"type": "image_generation_call", "id": "ig", "status": "completed", "result": "iVBOR"},
        {"type": "local_shell_call", "call_id": "ls", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "call_id": "ls", "output": "a.txt"},
        {"type": "program", "call_id": "p", "code": "f()"},
        says("done"),
    ]
    assert calls(items) == [
        ("web_search", {"action": {"query": "q"}}),
        ("code_interpreter", {"code": "1+1"}),
        ("image_generation", NOT_RECORDED),
        ("local_shell", {"action": {"command": ["ls"]}}),
        ("program", {"code": "f()"}),
    ]
    assert results(items) == ["", '[{"type": "logs", "logs": "2"}]', "iVBOR", "a.txt"]


def test_a_call_that_waits_for_approval_is_a_call_and_an_approved_one_counts_once() -> None:
    asks = {"type": "mcp_approval_request", "id": "r", "name": "f", "arguments": "{}", "server_label": "s"}
    call = {"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "approval_request_id": "r", "error": "no"}
    answer = {"type": "mcp_approval_response", "approval_request_id": "r", "approve": True}
    assert calls([HI, asks]) == [("f", {})]
    assert calls([HI, asks, answer, call]) == [("f", {})]
    assert results([HI, asks, answer, call]) == ["no"]


def test_what_came_before_a_response_is_not_there() -> None:
    response = {"object": "response", "output": [says("done")], "previous_response_id": "r0"}
    reading = read(response)
    assert reading.notes[:2] == (
        "what was said before this response is not in the file",
        "what the user said is not in the file",
    )
    assert [(trace.query, trace.response) for trace in reading.threads[0].traces] == [("", "done")]
    assert [trace.query for trace in turns({"input": "hi", "response": response})] == ["hi"]


# ---------------------------------------------------------------------------------------- Vercel, Strands, tau2-bench


def test_a_call_that_is_still_written_has_no_result() -> None:
    part = {"type": "tool-f", "toolCallId": "1", "state": "input-streaming", "rawInput": '{"a'}
    document = [{"role": "user", "parts": []}, {"role": "assistant", "parts": [part]}]
    ((name, arguments),) = calls(document)
    assert (name, type(arguments)) == ("f", MalformedArguments)
    assert results(document) == []


def test_pictures_are_named() -> None:
    assert turns([{"role": "user", "content": [{"text": "see "}, {"image": {}}]}])[0].query == "see [image]"


def test_bare_messages_of_tau2() -> None:
    call = {"id": "1", "name": "f", "arguments": {}, "requestor": "user"}
    document = [HI, DONE, {"role": "user", "content": None, "tool_calls": [call]}]
    assert (calls(document), [trace.query for trace in turns(document)]) == ([], ["hi"])


# ----------------------------------------------------------------------------------------------------- other records


def test_trials_of_one_task_are_conversations_of_their_own() -> None:
    document = [{"task_id": 1, "trial": trial, "traj": [HI]} for trial in (0, 1)]
    assert [thread.id for thread in read(document).threads] == ["1-trial-0", "1-trial-1"]


def test_a_run_that_did_not_succeed_is_incomplete() -> None:
    log = {"status": "cancelled", "eval": {}, "plan": {}, "samples": []}
    assert read(log) == Reading((), ("the run of this log has the status 'cancelled'",), incomplete=True)


def test_a_trajectory_that_goes_on_elsewhere_is_incomplete() -> None:
    step = {"source": "user", "message": "hi", "is_copied_context": True}
    document = {"schema_version": "ATIF-v1.7", "steps": [step], "continued_trajectory_ref": "b.json"}
    reading = read(document)
    assert reading.incomplete
    assert reading.threads[0].traces == ()
    assert reading.notes == (
        "left out: 1 steps (copies of earlier ones)",
        "the trajectory goes on in another file: b.json",
    )


def test_a_retry_without_a_tool_is_no_result() -> None:
    def pydantic(kind: str, *parts: Any) -> Any:
        return {"kind": kind, "parts": list(parts)}

    call = {"part_kind": "tool-call", "tool_name": "f", "tool_call_id": "1"}
    document = [
        pydantic("request", {"part_kind": "user-prompt", "content": "hi"}),
        pydantic("response", call, {"part_kind": "moonlight"}),
        pydantic("request", {"part_kind": "retry-prompt", "content": "no", "tool_name": "f", "tool_call_id": "1"}),
        pydantic("request", {"part_kind": "retry-prompt", "content": "again"}),
        pydantic(
            "response",
            {"part_kind": "builtin-tool-call", "tool_name": "g", "args": None, "tool_call_id": "2"},
            {"part_kind": "builtin-tool-return", "tool_name": "g", "content": [1], "tool_call_id": "2"},
            {"part_kind": "text", "content": "done"},
        ),
    ]
    assert calls(document) == [("f", NOT_RECORDED), ("g", {})]
    assert results(document) == ["no", "[1]"]
    assert turns(document)[0].response == "done"
    assert read(document).notes == ("left out: 1 parts of other kinds: moonlight",)


def event(author: str, *parts: Any, turn: str = "1", **keys: Any) -> Any:
    return {"author": author, "invocation_id": turn, "content": {"parts": list(parts)}} | keys


def test_what_an_adk_session_rewound_does_not_count() -> None:
    call = {"function_call": {"name": "f", "args": {}}}
    events = [
        event("user", {"text": "a"}),
        event("agent", call, {"executable_code": {"code": "1"}}),
        event("user", {"text": "b"}, turn="2"),
        event("agent", {"text": "B"}, turn="2"),
        event("user", actions={"rewind_before_invocation_id": "2"}),
        event("user", {"text": "c"}, turn="3"),
        event("agent", actions={"state_delta": {"x": 1}}),
    ]
    document = {"id": "s", "events": events}
    assert [(trace.query, trace.response, len(trace.trajectory)) for trace in turns(document)] == [
        ("a", None, 1),
        ("c", None, 0),
    ]
    assert "pieces of code" in read(document).notes[0]


def test_arguments_of_ag_ui_that_end_too_early_are_malformed() -> None:
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TOOL_CALL_START", "toolCallId": "1", "toolCallName": "f"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "1", "delta": '{"a'},
        {"type": "RUN_ERROR", "message": "x"},
    ]
    ((name, arguments),) = calls(events)
    assert (name, type(arguments)) == ("f", MalformedArguments)
    assert "a run ended in an error" in read(events).notes


def test_a_snapshot_replaces_what_came_before() -> None:
    asked = {"id": "1", "role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "draft"},
        {"type": "MESSAGES_SNAPSHOT", "messages": [HI, {"role": "activity", "content": {}}, asked, DONE]},
    ]
    assert calls(events) == [("f", {})]
    assert [(trace.query, trace.response) for trace in turns(events)] == [("hi", "done")]


def test_prompts_of_pydantic_ai_in_parts() -> None:
    content = [
        "Look",
        {"kind": "text-content", "content": " here: "},
        {"kind": "image-url", "url": "u"},
        {"kind": "cache-point"},
    ]
    asked = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": content}]}
    assert [turn.query for turn in turns([asked])] == ["Look here: [image-url]"]


@pytest.mark.parametrize("given", ["hi", [{"role": "user", "content": "hi"}]])
def test_items_that_stand_beside_what_was_asked(given: Any) -> None:
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    (trace,) = read({"input": given, "output": [call]}).threads[0].traces
    assert (trace.query, [one.name for one in trace.trajectory]) == ("hi", ["f"])


@pytest.mark.parametrize("asked", [True, False])
def test_the_events_of_a_session_of_adk_by_themselves(*, asked: bool) -> None:
    call = {"functionCall": {"id": "1", "name": "f", "args": {}}}
    events = [{"author": "a", "invocationId": "1", "content": {"parts": [part]}} for part in (call, {"text": "done"})]
    query = {"author": "user", "invocationId": "1", "content": {"parts": [{"text": "hi"}]}}
    reading = read([query, *events] if asked else events)
    (trace,) = reading.threads[0].traces
    assert (trace.query, trace.response) == ("hi" if asked else "", "done")
    assert [one.name for one in trace.trajectory] == ["f"]
    assert ("what the user said is not in the file" in reading.notes) is not asked
