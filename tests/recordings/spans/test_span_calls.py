"""What is read from spans: calls and their results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    raised,
    ran,
    result,
    results,
    threads,
    tool,
    turn_of,
    user,
    weather,
)
from trajectory.conversation import NOT_RECORDED, MalformedArguments


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
