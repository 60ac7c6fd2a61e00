"""Dialects: the same facts in other attributes, and what frameworks wrap around them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.recordings.spans.making import PARIS, calls, chat, only_turn, results, span, threads, tool
from trajectory.conversation import NOT_RECORDED, MalformedArguments
from trajectory.recordings.formats import FORMATS
from trajectory.recordings.spans import SpanEvent

CALL = ("get_weather", {"city": "Paris"})


def flattened(prefix: str, value: Any) -> dict[str, Any]:
    """Spread a value over attributes with numbers in their names."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {name: held for key, item in items for name, held in flattened(f"{prefix}.{key}", item).items()}
    return {prefix: value}


# -------------------------------------------------------------------------------------------------------- OpenInference


def open_inference(kind: str, at: float, **attributes: Any) -> Any:
    parent = attributes.pop("parent", None)
    return span(f"{kind}-{at}", at, parent=parent, attributes={"openinference.span.kind": kind, **attributes})


def call_in_openinference(name: str, identity: str, arguments: str | None) -> dict[str, Any]:
    function = {"name": name} | ({} if arguments is None else {"arguments": arguments})
    return {"tool_call": {"id": identity, "function": function}}


def llm(at: float, given: list[Any], said: list[Any], **more: Any) -> Any:
    wrap = [[{"message": message} for message in messages] for messages in (given, said)]
    held = flattened("llm.input_messages", wrap[0]) | flattened("llm.output_messages", wrap[1])
    return open_inference("LLM", at, **held, **more)


ASKED = {"role": "user", "content": "hi"}


def test_openinference() -> None:
    calling = {"role": "assistant", "tool_calls": [call_in_openinference("get_weather", "1", '{"city": "Paris"}')]}
    told = [ASKED, calling, {"role": "tool", "tool_call_id": "1", "content": "rain"}]
    spans = [llm(1, told[:1], [calling]), llm(2, told, [{"role": "assistant", "content": "wet"}])]
    trace = only_turn(*spans)
    assert (trace.query, trace.response, calls(trace)) == ("hi", "wet", [CALL])
    assert results(trace) == [("get_weather", "rain", "1")]


def test_more_than_ten_messages_stay_in_order() -> None:
    given = [{"role": "user", "content": str(number)} for number in range(12)]
    assert only_turn(llm(1, given, [{"role": "assistant", "content": "yes"}])).query == "11"


def test_text_in_pieces_and_calls_among_them_count_once() -> None:
    call = call_in_openinference("get_weather", "1", '{"city": "Paris"}')
    pieces = [
        {"message_content": {"type": "text", "text": "look"}},
        {"message_content": {"type": "image"}},
        {"message_content": {"type": "tool_use", **call}},
    ]
    asked = {"role": "user", "contents": pieces[:2]}
    said = {"role": "assistant", "contents": [pieces[0], pieces[2]], "tool_calls": [call]}
    trace = only_turn(llm(1, [asked], [said]))
    assert (trace.query, calls(trace)) == ("look[image]", [CALL])
    assert calls(only_turn(llm(1, [asked], [{"role": "assistant", "contents": pieces}]))) == [CALL]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"output": [{"type": "function_call", "call_id": "1", "arguments": "{}"}]}, {}),
        ({"choices": [{"message": {"tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}}]}, {}),
        ({"generations": [[{"message": {"kwargs": {"tool_calls": [{"id": "1", "args": {}}]}}}]]}, {}),
        ({"output": [{"call_id": "2", "arguments": "{}"}]}, NOT_RECORDED),
        (None, NOT_RECORDED),
        ("oops", NOT_RECORDED),
    ],
)
def test_arguments_that_were_left_out_stand_in_the_raw_answer(raw: Any, expected: object) -> None:
    said = {"role": "assistant", "tool_calls": [call_in_openinference("now", "1", None)]}
    output = raw if isinstance(raw, str | None) else json.dumps(raw)
    assert calls(only_turn(llm(1, [ASKED], [said], **{"output.value": output}))) == [("now", expected)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"city": "Paris"}', {"city": "Paris"}),
        ("{'city': 'Paris'}", {"city": "Paris"}),
        ({"city": "Paris"}, {"city": "Paris"}),
        ('{"args": [], "sanitize_inputs_outputs": false, "kwargs": {"city": "Paris"}}', {"city": "Paris"}),
        ('{"args": ["Paris"], "kwargs": {}}', NOT_RECORDED),
        ("Paris", NOT_RECORDED),
        (None, NOT_RECORDED),
    ],
)
def test_arguments_of_a_tool_that_nobody_else_recorded(value: Any, expected: object) -> None:
    held = {"tool.name": "f"} | ({} if value is None else {"input.value": value})
    assert calls(only_turn(open_inference("TOOL", 1, **held))) == [("f", expected)]


def test_malformed_arguments_of_a_tool() -> None:
    ((_, made),) = calls(only_turn(open_inference("TOOL", 1, **{"tool.name": "f", "input.value": '{"city": '})))
    assert isinstance(made, MalformedArguments)


def test_the_bare_value_of_an_argument_finds_its_call() -> None:
    listed = [call_in_openinference("f", name, json.dumps({"city": name})) for name in ("Paris", "London")]
    spans = [
        llm(1, [ASKED], [{"role": "assistant", "tool_calls": listed}]),
        open_inference("TOOL", 2, **{"tool.name": "f", "input.value": "London", "output.value": "fog"}),
        open_inference("TOOL", 3, **{"tool.name": "f", "input.value": "Paris", "output.value": "rain"}),
    ]
    assert results(only_turn(*spans)) == [("f", "rain", "Paris"), ("f", "fog", "London")]


def test_a_dumped_tool_message_knows_the_call() -> None:
    listed = [call_in_openinference("f", name, "{}") for name in ("1", "2")]
    dumps = [{"content": f"of {name}", "tool_call_id": name, "type": "tool"} for name in ("2", "1")]
    shapes = [{"type": "tool", "data": dumps[0]}, {"lc": 1, "type": "constructor", "id": [], "kwargs": dumps[1]}]
    tools = [
        open_inference("TOOL", 2 + at, **{"tool.name": "f", "output.value": json.dumps(shape)})
        for at, shape in enumerate(shapes)
    ]
    trace = only_turn(llm(1, [ASKED], [{"role": "assistant", "tool_calls": listed}]), *tools)
    assert results(trace) == [("f", "of 1", "1"), ("f", "of 2", "2")]


def test_a_handoff_is_no_tool() -> None:
    handoff = {"openinference.span.kind": "TOOL", "input.value": "a", "output.value": "b"}
    assert threads(span("handoff to b", 1, attributes=handoff)) == ()


def test_a_tool_that_only_its_span_names() -> None:
    held = {"openinference.span.kind": "TOOL", "input.value": '{"city": "Paris"}', "output.value": "rain"}
    assert calls(only_turn(span("get_weather", 1, attributes=held))) == [CALL]


def test_an_agent_that_was_asked_with_plain_text() -> None:
    held = flattened("llm.output_messages", [{"message": {"role": "assistant", "content": {"0": "yes"}}}])
    trace = only_turn(open_inference("AGENT", 1, **held, **{"input.value": "hi", "input.mime_type": "text/plain"}))
    assert (trace.query, trace.response) == ("hi", "yes")


def test_smolagents_names_positional_arguments_by_its_schema_and_answers_by_a_call() -> None:
    scope = "openinference.instrumentation.smolagents"
    given = {"args": ["wet"], "kwargs": {}, "sanitize_inputs_outputs": False}
    held = {
        "openinference.span.kind": "TOOL",
        "tool.name": "final_answer",
        "tool.parameters": '{"answer": {"type": "any"}}',
        "input.value": json.dumps(given),
        "output.value": "wet",
    }
    asked = {"role": "user", "content": "New task:\nhi"}
    said = llm(1, [asked], [{"role": "assistant", "content": "<code>final_answer('wet')</code>"}])
    trace = only_turn(replace(said, scope=scope), span("final", 2, attributes=held, scope=scope))
    assert (trace.query, trace.response, calls(trace)) == ("hi", "wet", [("final_answer", {"answer": "wet"})])
    held["tool.parameters"] = "{}"
    assert calls(only_turn(span("final", 2, attributes=held, scope=scope))) == [("final_answer", NOT_RECORDED)]


# ------------------------------------------------------------------------------------------------------- by way of ADOT


def logged(at: float, given: Any, said: Any) -> Any:
    sides = {"input": given, "output": said}
    body = {side: {"messages": [{"role": "user", "content": content}]} for side, content in sides.items()}
    scope = "openinference.instrumentation.langchain"
    return span(f"at-{at}", at, scope=scope, events=(SpanEvent("log", body),))


@pytest.mark.parametrize("dumped", [False, True])
def test_langchain_by_way_of_adot(*, dumped: bool) -> None:
    call = {"name": "get_weather", "args": {"city": "Paris"}, "id": "1"}
    message = {"kwargs": {"type": "ai", "content": "", "tool_calls": [call]}} if dumped else {"tool_calls": [call]}
    asked = json.dumps({"messages": [[{"kwargs": {"type": "human", "content": "hi"}}]]}) if dumped else "hi"
    ran = {"type": "tool", "name": "get_weather", "content": "rain", "tool_call_id": "1", "status": "success"}
    whole = [{"type": "human", "content": "hi"}], [{"type": "ai", "content": "wet"}]
    trace = only_turn(
        logged(0, *(json.dumps({"messages": messages}) for messages in whole)),
        logged(1, asked, json.dumps({"generations": [[{"text": "", "message": message}]]})),
        logged(2, "{'city': 'Paris'}", json.dumps(ran)),
        logged(3, json.dumps({"messages": whole[0], "remaining_steps": 3}), json.dumps({"messages": whole[1]})),
        logged(4, asked, json.dumps({"generations": [[{"text": "wet"}]]})),
        logged(5, "x", "__end__"),
    )
    assert (trace.query, trace.response, calls(trace)) == ("hi", "wet", [CALL])
    assert results(trace) == [("get_weather", "rain", "1")]


# -------------------------------------------------------------------------------------------------------- Vercel AI SDK


def of_vercel(operation: str, at: float, until: float, **attributes: Any) -> Any:
    held = {
        "ai.operationId": f"ai.{operation}",
        "ai.telemetry.metadata.sessionId": "s",
        **{f"ai.{key}": value if isinstance(value, str) else json.dumps(value) for key, value in attributes.items()},
    }
    return span(operation, at, until, parent=None if at == 0 else "generateText", attributes=held)


@pytest.mark.parametrize("arguments", ["args", "input"])
def test_the_ai_sdk_of_vercel(arguments: str) -> None:
    call = {"toolCallId": "1", "toolName": "get_weather", arguments: '{"city": "Paris"}'}
    asked = [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    given = {
        "type": "tool-result",
        "toolCallId": "1",
        "toolName": "get_weather",
        "output": {"type": "text", "value": "x"},
    }
    told = [
        *asked,
        {"role": "assistant", "content": [{"type": "tool-call", **call}]},
        {"role": "tool", "content": [given]},
    ]
    trace = only_turn(
        of_vercel("generateText", 0, 9, **{"prompt": {"prompt": "hi"}, "response.text": "wet"}),
        of_vercel("generateText.doGenerate", 1, 2, **{"prompt.messages": asked, "response.toolCalls": [call]}),
        of_vercel(
            "toolCall",
            3,
            4,
            **{"toolCall.name": "get_weather", "toolCall.id": "1", "toolCall.args": {"city": "Paris"}},
            **{"toolCall.result": '"rain"'},
        ),
        of_vercel("generateText.doStream", 5, 6, **{"prompt.messages": told, "response.text": "wet"}),
    )
    assert (trace.query, trace.response, calls(trace)) == ("hi", "wet", [CALL])
    assert results(trace) == [("get_weather", '"rain"', "1")]


def test_an_agent_of_vercel_whose_requests_are_not_there() -> None:
    call = {"toolCallId": "1", "toolName": "get_weather", "input": {"city": "Paris"}}
    run = of_vercel("streamText", 0, 9, prompt={"messages": [{"role": "user", "content": "hi"}]})
    end = of_vercel("generateText", 0, 9, **{"prompt": {"prompt": "hi"}, "response.toolCalls": [call]})
    assert only_turn(run).query == "hi"
    assert calls(only_turn(end)) == [CALL]


# ---------------------------------------------------------------------------------------------------------- OpenLLMetry


def test_numbered_prompts_and_completions() -> None:
    call = {"id": "1", "name": "get_weather", "arguments": '{"city": "Paris"}'}
    given = [{"role": "system", "content": "be brief"}, ASKED]
    told = [
        *given,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "content": "rain", "tool_call_id": "1"},
    ]
    functions = [{"name": "get_weather", "parameters": '{"type": "object"}'}]
    spans = [
        span(
            f"openai.chat {at}",
            at,
            attributes={
                "llm.request.type": "chat",
                **flattened("gen_ai.prompt", prompts),
                **flattened("gen_ai.completion", [answer]),
                **flattened("llm.request.functions", functions),
            },
        )
        for at, prompts, answer in [
            (1, given, {"role": "assistant", "tool_calls": [call]}),
            (2, told, {"role": "assistant", "content": "wet", "finish_reason": "stop"}),
        ]
    ]
    trace = only_turn(*spans)
    assert (trace.query, trace.response, calls(trace)) == ("hi", "wet", [CALL])
    assert results(trace) == [("get_weather", "rain", "1")]
    assert [(one.name, one.parameters_schema) for one in trace.tools] == [("get_weather", {"type": "object"})]


def test_what_langchain_hands_to_callbacks_is_unwrapped() -> None:
    message = {"content": "rain", "type": "tool", "name": "get_weather", "tool_call_id": "1", "status": "success"}
    held = {
        "traceloop.span.kind": "tool",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.arguments": json.dumps({"input_str": "{'city': 'Paris'}", "tags": [], "metadata": {}}),
        "gen_ai.tool.call.result": json.dumps({"output": {"lc": 1, "kwargs": message}, "kwargs": {"tags": []}}),
    }
    trace = only_turn(span("t", 1, attributes=held))
    assert (calls(trace), results(trace)) == ([CALL], [("get_weather", "rain", "1")])


def test_a_decorated_function_is_a_tool() -> None:
    held = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_weather",
        "traceloop.entity.input": '{"args": [], "kwargs": {"city": "Paris"}}',
        "traceloop.entity.output": '"rain"',
    }
    trace = only_turn(span("get_weather.tool", 1, attributes=held))
    assert (calls(trace), results(trace)) == ([CALL], [("get_weather", '"rain"', None)])


SCOPE = "opentelemetry.instrumentation.openai_agents"


@pytest.mark.parametrize(
    ("scope", "arguments", "malformed"),
    [
        (SCOPE, {"_raw": '{"city": '}, True),
        (SCOPE, {"_raw": "{}"}, False),
        (SCOPE, {"_raw": '{"city": ', "x": 1}, False),
        ("another", {"_raw": '{"city": '}, False),
    ],
)
def test_the_wrapper_around_malformed_arguments(scope: str, arguments: Any, *, malformed: bool) -> None:
    said = [{"role": "assistant", "parts": [{**PARIS, "arguments": arguments}]}]
    ((_, made),) = calls(only_turn(chat("a", 1, [ASKED], said, scope=scope)))
    assert isinstance(made, MalformedArguments) is malformed


def test_calls_that_were_printed_into_the_text() -> None:
    text = (
        "ResponseFunctionToolCall(arguments='{\"city\": \"Paris\"}', call_id='1', name='get_weather', id='fc', x=None)"
    )
    said = [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
    (call,) = only_turn(chat("a", 1, [ASKED], said, scope=SCOPE)).trajectory
    assert (call.name, call.arguments, call.id) == (*CALL, "1")
    assert only_turn(chat("a", 1, [ASKED], said, scope="another")).response == text


@pytest.mark.parametrize("text", ["ResponseFunctionToolCall(", "ResponseFunctionToolCall(1) + 2", "ResponseFunction"])
def test_text_that_only_looks_like_a_printed_call(text: str) -> None:
    said = [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
    assert only_turn(chat("a", 1, [ASKED], said, scope=SCOPE)).response == text


# ----------------------------------------------------------------------------------------------------------- Google ADK


def adk(name: str, at: float, **attributes: Any) -> Any:
    parent = attributes.pop("parent", None)
    held = {f"gcp.vertex.agent.{key}": json.dumps(value) for key, value in attributes.items()}
    return span(name, at, at + 0.9, parent=parent, attributes=held | {"gcp.vertex.agent.session_id": "s"})


def content(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def test_adk() -> None:
    call = {"function_call": {"id": "1", "name": "get_weather", "args": {"city": "Paris"}}}
    answer = {"function_response": {"id": "1", "name": "get_weather", "response": {"sky": "rain"}}}
    declared = {"name": "get_weather", "description": "W", "parameters_json_schema": {"type": "object"}}
    request = {
        "config": {"tools": [{"function_declarations": [declared]}]},
        "contents": [content("user", {"text": "hi"})],
    }
    told = [*request["contents"], content("model", call), content("user", answer)]
    run = {"tool_call_args": {"city": "Paris"}, "tool_response": {"sky": "rain"}, "llm_request": {}, "llm_response": {}}
    held = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather", "gen_ai.tool.call.id": "1"}
    work = adk("execute_tool", 1.5, parent="call_llm 1", **run)
    spans = [
        adk("call_llm 1", 1, llm_request=request, llm_response={"content": content("model", call)}),
        span("generate", 1.1, parent="call_llm 1", attributes={"gen_ai.operation.name": "generate_content"}),
        type(work)(**{**{name: getattr(work, name) for name in work.__slots__}, "attributes": work.attributes | held}),
        adk(
            "call_llm 2", 2, llm_request={"contents": told}, llm_response={"content": content("model", {"text": "wet"})}
        ),
    ]
    (thread,) = threads(*spans)
    (trace,) = thread.traces
    assert (thread.id, trace.query, trace.response, calls(trace)) == ("s", "hi", "wet", [CALL])
    assert results(trace) == [("get_weather", '{"sky": "rain"}', "1")]
    assert [(one.name, one.parameters_schema) for one in trace.tools] == [("get_weather", {"type": "object"})]


def test_the_span_that_merges_parallel_tools_is_no_run() -> None:
    merged = tool("merged", 3, called="(merged tools)", scope="gcp.vertex.agent")
    assert calls(only_turn(tool("real", 2), merged)) == [("get_weather", NOT_RECORDED)]


def test_what_adk_tells_of_other_agents_is_no_turn() -> None:
    said = {"content": content("model", {"text": "yes"})}
    foreign = content("user", {"text": "For context:"}, {"text": "[first] said: hello"})
    asked = content("user", {"text": "hi"})
    spans = [
        adk("call_llm 1", 1, llm_request={"contents": [asked]}, llm_response=said),
        adk("call_llm 2", 2, llm_request={"contents": [asked, foreign]}, llm_response=said),
    ]
    assert only_turn(*spans).query == "hi"


# ------------------------------------------------------------------------------------------------------------ LangSmith


def run(kind: str, name: str, at: int, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": name,
        "run_type": kind,
        "trace_id": "root",
        "parent_run_id": parent,
        "dotted_order": f"20260101T00000{at}000000Z{name}",
        "start_time": f"2026-01-01T00:00:0{at}+00:00",
        "end_time": f"2026-01-01T00:00:0{at}.5+00:00",
        "error": None,
        **more,
    }


def lc(kind: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", kind], "kwargs": {"type": kind, **fields}}


def generation(**fields: Any) -> dict[str, Any]:
    return {"generations": [[{"text": "", "message": lc("ai", **fields)}] * 2]}


def langsmith_runs() -> list[dict[str, Any]]:
    call = {"name": "get_weather", "args": {"city": "Paris"}, "id": "1", "type": "tool_call"}
    broken = {"name": "get_weather", "args": '{"city": ', "id": "2", "error": "x", "type": "invalid_tool_call"}
    answer = lc("tool", content="rain", tool_call_id="1", status="success")
    return [
        run(
            "chain", "root", 1, inputs={"messages": [lc("human", content="hi")]}, extra={"metadata": {"thread_id": "t"}}
        ),
        run("llm", "ask", 2, "root", outputs=generation(content="", tool_calls=[call], invalid_tool_calls=[broken])),
        run("tool", "get_weather", 3, "root", inputs={"city": "Paris"}, outputs={"output": answer}),
        run("llm", "answer", 4, "root", inputs={"prompts": ["Human: hi"]}, outputs=generation(content="wet")),
    ]


def check_langsmith(document: Any) -> None:
    (matching,) = (known for known in FORMATS if known.matches(document))
    reading = matching.read(document)
    (thread,) = reading.threads
    (trace,) = thread.traces
    assert (matching.name, reading.incomplete, thread.id) == ("langsmith", False, "t")
    assert (trace.query, trace.response, calls(trace)[0]) == ("hi", "wet", CALL)
    assert isinstance(calls(trace)[1][1], MalformedArguments)
    assert results(trace) == [("get_weather", "rain", "1")]


def test_langsmith_in_lines() -> None:
    check_langsmith(langsmith_runs()[::-1])


def test_langsmith_as_a_tree() -> None:
    root, *children = langsmith_runs()
    check_langsmith({**root, "child_runs": children})
    check_langsmith([{**root, "child_runs": children}])


def test_langsmith_as_it_was_sent_in() -> None:
    runs = langsmith_runs()
    begun = [{key: value for key, value in one.items() if key not in ("outputs", "end_time")} for one in runs]
    ended = [{key: one[key] for key in ("outputs", "end_time", "dotted_order") if key in one} for one in runs]
    check_langsmith({"post": begun, "patch": ended})


def test_a_run_that_never_ended_is_missing_something() -> None:
    runs = langsmith_runs()
    runs[-1]["end_time"] = None
    (matching,) = (known for known in FORMATS if known.matches(runs))
    assert matching.read(runs).incomplete


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"city": "Paris"}, {"city": "Paris"}),
        ({"input": "{'city': 'Paris'}"}, {"city": "Paris"}),
        ({"input": '{"city": "Paris"}'}, {"city": "Paris"}),
        ({"input": "Paris"}, NOT_RECORDED),
    ],
)
def test_what_a_tool_of_langsmith_was_called_with(inputs: Any, expected: object) -> None:
    document = [run("tool", "f", 1, inputs=inputs, outputs={"output": "done"})]
    (matching,) = (known for known in FORMATS if known.matches(document))
    ((trace,),) = (thread.traces for thread in matching.read(document).threads)
    assert (calls(trace), results(trace)) == ([("f", expected)], [("f", "done", None)])


def test_chat_completions_in_langsmith() -> None:
    listed = [{"id": "1", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}]
    choice = {"message": {"role": "assistant", "content": None, "tool_calls": listed}}
    said = {"choices": [choice, choice]}
    document = [run("llm", "ask", 1, inputs={"messages": [ASKED]}, outputs=said)]
    (matching,) = (known for known in FORMATS if known.matches(document))
    ((trace,),) = (thread.traces for thread in matching.read(document).threads)
    assert (trace.query, calls(trace)) == ("hi", [CALL])
