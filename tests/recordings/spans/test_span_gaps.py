"""What is read from spans: what was not recorded, and what is missing."""

from __future__ import annotations

from tests.recordings.spans.making import (
    GET_WEATHER,
    LONDON,
    NOSUCH,
    PARIS,
    agent,
    assistant,
    calls,
    chat,
    notes,
    only_turn,
    ran,
    result,
    results,
    span,
    threads,
    tool,
    turn_of,
    user,
    weather,
)
from trajectory.conversation import NOT_RECORDED
from trajectory.recordings.spans import read_spans


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
