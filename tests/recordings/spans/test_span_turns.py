"""What is read from spans: turns and conversations."""

from __future__ import annotations

import pytest

from tests.recordings.spans.making import (
    DAY,
    GET_WEATHER,
    PARIS,
    SECOND,
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
    user,
    weather,
)
from trajectory.recordings.spans import read_spans


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
