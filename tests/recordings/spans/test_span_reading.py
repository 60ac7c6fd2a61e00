"""What is read from spans, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recordings.spans.making import (
    DAY,
    LONDON,
    PARIS,
    SECOND,
    agent,
    assistant,
    calls,
    chat,
    notes,
    only_turn,
    raised,
    ran,
    result,
    results,
    span,
    threads,
    tool,
    user,
    weather,
)
from trajectory.conversation import NOT_RECORDED, MalformedArguments
from trajectory.recordings.spans import SpanEvent, read_spans

NOSUCH = {"type": "tool_call", "id": "call_x", "name": "nosuch", "arguments": {"x": 1}}
GET_WEATHER = ("get_weather", {"city": "Paris"}), ("get_weather", {"city": "London"})


def turn_of(call: dict[str, Any], *more: Any) -> list[Any]:
    """Make a turn in which one call is made, and what else there is."""
    return [
        chat("ask", 1, [user("hi")], [assistant(call)]),
        *more,
        chat("answer", 5, [user("hi"), assistant(call), result(call, "told")], [assistant("done")]),
    ]


def test_a_turn() -> None:
    (thread,) = threads(*weather())
    (trace,) = thread.traces
    assert (thread.id, trace.id, trace.query, trace.response) == (
        "t",
        "turn-1",
        "Weather in Paris and London?",
        "Rain, and no idea.",
    )
    assert calls(trace) == list(GET_WEATHER)
    assert [call.id for call in trace.trajectory] == ["call_a", "call_b"]
    assert results(trace) == [("get_weather", "rain", "call_a"), ("get_weather", "station offline", "call_b")]
    assert (trace.start_time, trace.end_time) == ("2023-11-14T22:13:20+00:00", "2023-11-14T22:13:30+00:00")
    assert notes(*weather()) == ()


@given(st.permutations(weather() + weather(trace="b2", at=100)), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_file_and_repeated_spans_do_not_matter(shuffled: list[Any], repeated: int) -> None:
    expected = threads(*weather(), *weather(trace="b2", at=100))
    assert threads(*shuffled, shuffled[repeated]) == expected


def test_a_call_of_an_unknown_tool_is_not_lost() -> None:
    trace = only_turn(*turn_of(NOSUCH))
    assert calls(trace) == [("nosuch", {"x": 1})]
    assert results(trace) == [("nosuch", "told", "call_x")]


def test_a_run_that_no_model_asked_for_is_no_call() -> None:
    spans = turn_of(PARIS, tool("real", 2, attributes=ran(PARIS, "rain")), tool("odd", 3, called="phantom"))
    assert calls(only_turn(*spans)) == [GET_WEATHER[0]]
    assert notes(*spans) == ("trace a1, turn 1: runs of tools for which no model asked are left out: phantom",)


def test_the_result_is_that_of_the_run() -> None:
    assert results(only_turn(*turn_of(PARIS, tool("run", 2, attributes=ran(PARIS, "rain"))))) == [
        ("get_weather", "rain", "call_a")
    ]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"failed": True, "status": "went wrong"}, "went wrong"),
        ({"failed": True, "status": "went wrong", "events": (raised("offline"),)}, "offline"),
        ({"attributes": {"error.type": "TimeoutError"}}, "TimeoutError"),
        ({"failed": True}, "failed"),
    ],
)
def test_the_result_of_a_failed_run_is_its_error(more: dict[str, Any], expected: str) -> None:
    spans = [chat("ask", 1, [user("hi")], [assistant(PARIS)]), tool("run", 2, **more)]
    assert results(only_turn(*spans)) == [("get_weather", expected, "call_a")]


def test_a_run_without_an_id_belongs_to_the_call_of_the_same_arguments() -> None:
    no_ids = [{key: value for key, value in call.items() if key != "id"} for call in (PARIS, LONDON)]
    spans = [
        chat("ask", 1, [user("hi")], [assistant(*no_ids)]),
        tool("l", 2, attributes={"gen_ai.tool.call.arguments": {"city": "London"}, "gen_ai.tool.call.result": "fog"}),
        tool("p", 3, attributes={"gen_ai.tool.call.arguments": {"city": "Paris"}, "gen_ai.tool.call.result": "rain"}),
    ]
    assert results(only_turn(*spans)) == [("get_weather", "rain", None), ("get_weather", "fog", None)]


def test_results_whose_ids_were_made_up_belong_by_their_order() -> None:
    """As Google ADK numbers them: calls count from the text before them, results from nought."""
    made_up = [{**PARIS, "id": "get_weather_1"}, {**LONDON, "id": "get_weather_2"}]
    told = [result({"id": "get_weather_0"}, "rain"), result({"id": "get_weather_1"}, "offline")]
    spans = [
        chat("ask", 1, [user("hi")], [assistant("Looking.", *made_up)]),
        chat("answer", 2, [user("hi"), assistant("Looking.", *made_up), *told], [assistant("done")]),
    ]
    assert results(only_turn(*spans)) == [
        ("get_weather", "rain", "get_weather_1"),
        ("get_weather", "offline", "get_weather_2"),
    ]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"arguments": {"a": 1}}, {"a": 1}),
        ({"arguments": '{"a": 1}'}, {"a": 1}),
        ({"arguments": None}, {}),
        ({"arguments": ""}, {}),
        ({"arguments": {}}, {}),
        ({}, NOT_RECORDED),
    ],
)
def test_arguments(part: dict[str, Any], expected: object) -> None:
    trace = only_turn(chat("ask", 1, [user("hi")], [assistant({"type": "tool_call", "name": "f", **part})]))
    assert calls(trace) == [("f", expected)]


@pytest.mark.parametrize("given", ["{oops", "[1]", [1], 5])
def test_malformed_arguments(given: object) -> None:
    call = {"type": "tool_call", "name": "f", "arguments": given}
    (made,) = only_turn(chat("ask", 1, [user("hi")], [assistant(call)])).trajectory
    assert isinstance(made.arguments, MalformedArguments)


def test_arguments_that_the_message_leaves_out_are_those_of_the_run() -> None:
    bare = {"type": "tool_call", "id": "call_a", "name": "get_weather"}
    spans = [chat("ask", 1, [user("hi")], [assistant(bare)]), tool("run", 2, attributes=ran(PARIS, "rain"))]
    assert calls(only_turn(*spans)) == [GET_WEATHER[0]]
    assert notes(*spans[:1]) == ("trace a1, turn 1: the arguments are not recorded for calls of get_weather",)


def test_a_sub_agent_inside_a_tool_is_no_part_of_the_conversation() -> None:
    inside = [
        agent("helper", 2.1, 2.8, parent="run"),
        chat("inner", 2.2, [user("do it")], [assistant(LONDON)], parent="helper"),
        tool("deep", 2.4, parent="helper"),
    ]
    spans = turn_of(PARIS, tool("run", 2, 3, attributes=ran(PARIS, "rain")), *inside)
    assert calls(only_turn(*spans)) == [GET_WEATHER[0]]
    assert notes(*spans) == ("trace a1: 1 calls of sub-agents are left out: get_weather",)


def test_a_sub_agent_that_hangs_beside_the_tool_that_runs_it() -> None:
    inside = [
        agent("helper", 2.1, 2.8, parent="top"),
        chat("inner", 2.2, [user("do it")], [assistant(LONDON)], parent="helper"),
    ]
    top = agent("top", 0, 9)
    spans = [top, *turn_of(PARIS, tool("run", 2, 3, attributes=ran(PARIS, "rain"), parent="top"), *inside)]
    assert calls(only_turn(*spans)) == [GET_WEATHER[0]]


def test_an_agent_is_no_sub_agent_of_its_own_tool() -> None:
    """Clocks may be coarse: the tool seems to last as long as the agent."""
    spans = [
        agent("run", 1, 2),
        chat("ask", 1, [user("hi")], [assistant(PARIS)], parent="run"),
        tool("do", 1, 2, parent="run", attributes=ran(PARIS, "rain")),
    ]
    assert calls(only_turn(*spans)) == [GET_WEATHER[0]]


def test_an_agent_that_takes_over_belongs_to_the_conversation() -> None:
    spans = [
        agent("first", 0, 2),
        chat("ask", 1, [user("hi")], [assistant(NOSUCH)], parent="first"),
        agent("second", 3, 5),
        chat("more", 4, [user("hi"), assistant(NOSUCH), result(NOSUCH, "ok")], [assistant(PARIS)], parent="second"),
    ]
    assert calls(only_turn(*spans)) == [("nosuch", {"x": 1}), GET_WEATHER[0]]


@pytest.mark.parametrize(("outer", "inner"), [(PARIS, PARIS), (PARIS, None), (None, PARIS)])
def test_a_request_that_two_instrumentations_recorded_counts_once(outer: Any, inner: Any) -> None:
    spans = [
        chat("outer", 1, [user("hi")], outer and [assistant(outer)]),
        chat("inner", 1.1, [user("hi")], inner and [assistant(inner)], parent="outer"),
    ]
    assert calls(only_turn(*spans)) == [GET_WEATHER[0]]
    assert notes(*spans) == ()


def test_what_a_model_says_at_once_is_one_message() -> None:
    parted = [assistant("Look"), assistant("ing."), assistant(PARIS), assistant(LONDON)]
    trace = only_turn(chat("ask", 1, [user("hi")], parted))
    assert (calls(trace), trace.response) == (list(GET_WEATHER), None)
    assert len(trace.iterations) == 1


# ---------------------------------------------------------------------------------------------------------------- turns


def test_each_trace_of_a_conversation_is_a_turn() -> None:
    (thread,) = threads(*weather(), *weather(trace="b2", at=100))
    assert [trace.id for trace in thread.traces] == ["turn-1", "turn-2"]
    assert [calls(trace) for trace in thread.traces] == [list(GET_WEATHER)] * 2


def test_traces_without_an_id_are_conversations_of_their_own() -> None:
    found = threads(*weather(thread=None), *weather(trace="b2", thread=None, at=100))
    assert [(thread.id, len(thread.traces)) for thread in found] == [("", 1), ("", 1)]


def test_conversations_stand_in_the_order_of_their_beginning() -> None:
    found = threads(*weather(thread="late", at=100), *weather(trace="b2", thread="early"))
    assert [thread.id for thread in found] == ["early", "late"]


def test_two_conversations_in_one_trace() -> None:
    one, two = weather(thread="one"), weather(thread="two", at=100)
    renamed = [
        span(
            f"second {each.name}",
            (each.start - DAY) / SECOND,
            parent=None if each.parent_id is None else "second run",
            attributes=each.attributes,
        )
        for each in two
    ]
    assert [(thread.id, len(thread.traces)) for thread in threads(*one, *renamed)] == [("one", 1), ("two", 1)]


def test_the_only_id_of_a_trace_holds_for_all_of_it() -> None:
    spans = [span("elsewhere", 0, attributes={"session.id": "s"}), chat("ask", 1, [user("hi")], [assistant("yes")])]
    assert [thread.id for thread in threads(*spans)] == ["s"]


def test_several_turns_in_one_trace() -> None:
    first = [user("one"), assistant("1")]
    spans = [
        chat("a", 1, first[:1], [assistant("1")]),
        chat("b", 2, [*first, user("two")], [assistant(PARIS)]),
        tool("run", 3, attributes=ran(PARIS, "rain")),
        chat("c", 4, [*first, user("two"), assistant(PARIS), result(PARIS, "told")], [assistant("2")]),
    ]
    (thread,) = threads(*spans)
    assert [(trace.query, trace.response, calls(trace)) for trace in thread.traces] == [
        ("one", "1", []),
        ("two", "2", [GET_WEATHER[0]]),
    ]
    assert results(thread.traces[1]) == [("get_weather", "rain", "call_a")]


def test_a_turn_whose_first_request_is_lost() -> None:
    told = [user("one"), assistant("1"), user("two"), assistant(PARIS), result(PARIS, "rain")]
    spans = [chat("a", 1, told[:1], [assistant("1")]), chat("c", 4, told, [assistant("2")])]
    ((thread,), _, incomplete) = read_spans(spans)
    assert [(trace.query, trace.response) for trace in thread.traces] == [("one", "1"), ("two", "2")]
    assert incomplete


def test_a_turn_may_go_on_in_the_next_trace() -> None:
    """As when every request is a trace of its own."""
    more = {"attributes": {"gen_ai.conversation.id": "t"}}
    told = [user("hi"), assistant(PARIS), result(PARIS, "rain")]
    spans = [
        chat("ask", 1, told[:1], [assistant(PARIS)], **more),
        chat("answer", 2, told, [assistant("rain")], trace="b2", **more),
        chat("next", 3, [*told, assistant("rain"), user("bye")], [assistant("bye")], trace="c3", **more),
    ]
    (thread,) = threads(*spans)
    assert [(trace.query, trace.response, calls(trace)) for trace in thread.traces] == [
        ("hi", "rain", [GET_WEATHER[0]]),
        ("bye", "bye", []),
    ]


def test_saying_the_same_again_is_a_turn_again() -> None:
    more = {"attributes": {"gen_ai.conversation.id": "t"}}
    spans = [chat("a", at, [user("hi")], [assistant("yes")], trace=f"{at}", **more) for at in (1, 2)]
    (thread,) = threads(*spans)
    assert [trace.query for trace in thread.traces] == ["hi", "hi"]


def test_a_request_that_was_repeated_after_a_failure_is_the_same_turn() -> None:
    spans = [
        chat("a", 1, [user("hi")], None, failed=True, status="overloaded"),
        chat("b", 2, [user("hi")], [assistant("yes")]),
    ]
    assert (only_turn(*spans).query, only_turn(*spans).response) == ("hi", "yes")
    assert notes(*spans) == ()


@pytest.mark.parametrize("role", ["tool", "user"])
def test_a_result_is_no_turn_whoever_is_named_as_its_sender(role: str) -> None:
    told = [user("hi"), assistant(PARIS), {**result(PARIS, "rain"), "role": role}]
    spans = [chat("a", 1, told[:1], [assistant(PARIS)]), chat("b", 2, told, [assistant("rain")])]
    assert only_turn(*spans).query == "hi"


def test_the_prompt_of_another_agent_is_no_turn() -> None:
    spans = [chat("a", 1, [user("hi")], [assistant("1")]), chat("b", 2, [user("You are B")], [assistant("2")])]
    assert (only_turn(*spans).query, only_turn(*spans).response) == ("hi", "2")
    assert notes(*spans) == (
        "trace a1, turn 1: 1 requests to models begin with other words than the user's; they open no turn",
    )


def test_results_that_came_too_late_for_an_answer() -> None:
    more = {"attributes": {"gen_ai.conversation.id": "t"}}
    told = [user("hi"), assistant(PARIS), result(PARIS, "rain"), user("stop")]
    spans = [
        chat("a", 1, told[:1], [assistant(PARIS)], **more),
        chat("b", 2, told, [assistant("ok")], trace="b2", **more),
    ]
    (thread,) = threads(*spans)
    assert [(trace.query, trace.response, results(trace)) for trace in thread.traces] == [
        ("hi", None, [("get_weather", "rain", "call_a")]),
        ("stop", "ok", []),
    ]


def test_a_turn_that_ended_in_an_error() -> None:
    spans = [
        agent("run", 0, 5, failed=True, status="ran out of steps"),
        chat("ask", 1, [user("hi")], [assistant(PARIS)], parent="run"),
    ]
    trace = only_turn(*spans)
    assert (trace.error, trace.response, calls(trace)) == ("ran out of steps", None, [GET_WEATHER[0]])


def test_a_request_that_failed_is_an_error_even_without_an_agent() -> None:
    trace = only_turn(chat("a", 1, [user("hi")], None, failed=True, status="overloaded"))
    assert (trace.query, trace.error) == ("hi", "overloaded")


def test_what_was_told_once_is_not_forgotten() -> None:
    told = [user("hi"), assistant(PARIS), result(PARIS, "rain"), assistant("hm")]
    spans = [
        chat("a", 1, told[:1], [assistant(PARIS)]),
        chat("b", 2, told[:3], [assistant("hm")]),
        chat("c", 3, told, [assistant("done")]),
    ]
    assert results(only_turn(*spans)) == [("get_weather", "rain", "call_a")]


# ------------------------------------------------------------------------------------------------------ without content


def test_where_nothing_was_recorded_the_runs_of_tools_tell() -> None:
    spans = [agent("run", 0, 9), chat("ask", 1, None, None, parent="run"), tool("b", 3, called="g"), tool("a", 2)]
    trace = only_turn(*spans)
    assert calls(trace) == [("get_weather", NOT_RECORDED), ("g", NOT_RECORDED)]
    assert (trace.query, trace.response) == ("", None)
    assert notes(*spans) == (
        "trace a1, turn 1: what the user said is not recorded",
        "trace a1, turn 1: some requests to models kept no messages, so runs of tools count as calls as well",
        "trace a1, turn 1: the arguments are not recorded for calls of g, get_weather",
    )


def test_where_some_requests_kept_nothing_the_runs_of_tools_help() -> None:
    told = [user("hi"), assistant(PARIS), result(PARIS, "rain"), assistant(NOSUCH), result(NOSUCH, "ok")]
    spans = [
        chat("a", 1, told[:1], [assistant(PARIS)]),
        tool("run", 2, attributes=ran(PARIS, "rain")),
        chat("b", 3, None, None),
        tool("x", 4, called="nosuch"),
        chat("c", 5, told, [assistant(LONDON)]),
    ]
    assert calls(only_turn(*spans)) == [GET_WEATHER[0], ("nosuch", NOT_RECORDED), GET_WEATHER[1]]
    assert not read_spans(spans)[2]


def test_where_nothing_at_all_tells_of_calls_something_is_missing() -> None:
    found, said, incomplete = read_spans([chat("ask", 1, None, None)])
    assert incomplete
    assert [calls(trace) for trace in found[0].traces] == [[]]
    assert said == (
        "trace a1, turn 1: what the user said is not recorded",
        "trace a1, turn 1: requests to models kept no messages and no tool ran: nothing tells what was called",
    )


def test_an_agent_that_writes_code_calls_by_its_tools() -> None:
    spans = [chat("ask", 1, [user("hi")], [assistant("f()")]), tool("f", 2, called="f")]
    assert [name for name, _ in calls(only_turn(*spans))] == ["f"]


def test_an_agent_may_tell_what_its_requests_do_not() -> None:
    said = {"gen_ai.input.messages": [user("hi")], "gen_ai.output.messages": [assistant(PARIS), assistant("rain")]}
    spans = [
        agent("flow", 0, 9, attributes=said),
        agent("run", 1, 8, attributes=said, parent="flow"),
        tool("do", 2, attributes=ran(PARIS, "rain"), parent="run"),
    ]
    trace = only_turn(*spans)
    assert (trace.query, trace.response, calls(trace)) == ("hi", "rain", [GET_WEATHER[0]])
    assert results(trace) == [("get_weather", "rain", "call_a")]


def test_traces_in_which_nothing_happened_are_no_turns() -> None:
    spans = [span("GET /", 1), agent("empty", 1, 2, trace="b2"), *weather(trace="c3", at=50)]
    assert len(threads(*spans)) == 1
    assert notes(*spans) == (
        "no request to a model and no run of a tool, so no turn, in the traces a1 (GET /), b2 (empty)",
    )


# ----------------------------------------------------------------------------------------------------- what is missing


def test_a_span_that_was_written_again_when_it_ended() -> None:
    begun = span("ask", 1, None)
    ended = chat("ask", 1, [user("hi")], [assistant("yes")])
    for spans in ([begun, ended], [ended, begun]):
        assert only_turn(*spans).response == "yes"
        assert read_spans(spans)[1:] == (("1 spans stand in the file more than once and count once",), False)


def test_a_span_that_never_ended_is_missing_something() -> None:
    ask = chat("ask", 1, [user("hi")], [assistant(PARIS)])
    run = span("run", 2, None, attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"})
    _, said, incomplete = read_spans([ask, run])
    assert incomplete
    assert said == ("trace a1: 1 spans never ended, so the recording is not whole: run",)


def test_a_call_that_is_only_remembered_is_missing() -> None:
    _, said, incomplete = read_spans(turn_of(PARIS)[1:])
    assert incomplete
    assert said == ("trace a1, turn 1: a model was reminded of calls that no recorded answer makes: spans are missing",)


def test_spans_around_each_other_in_a_circle() -> None:
    spans = [chat("a", 1, [user("hi")], [assistant("yes")], parent="b"), span("b", 0, parent="a")]
    assert only_turn(*spans).response == "yes"


# ------------------------------------------------------------------------------------------------------ kinds of parts


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
