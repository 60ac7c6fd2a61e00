"""What is read from spans: results of calls, whether they failed, and when tools ran."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.recordings.spans.making import (
    LONDON,
    PARIS,
    assistant,
    chat,
    only_turn,
    ran,
    results,
    span,
    tool,
    turn_of,
    user,
)

if TYPE_CHECKING:
    from trajectory.recordings.spans import Span


def outcome(*spans: Span) -> list[tuple[str | None, bool | None] | None]:
    """Give what came of each call: the content of the result, and whether it failed."""
    given = [call.result for call in only_turn(*spans).trajectory]
    return [None if one is None else (one.content, one.error) for one in given]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (tool("run", 2, attributes=ran(PARIS, "rain")), ("rain", False)),
        (tool("run", 2, attributes=ran(PARIS, "Error: no"), failed=True), ("Error: no", True)),
        (tool("run", 2, attributes=ran(PARIS, "Error: reads like one")), ("Error: reads like one", False)),
        (tool("run", 2, attributes={"error.type": "Timeout"}), ("told", True)),
        (tool("run", 2), ("told", False)),
        (span("other", 2), ("told", None)),
    ],
)
def test_the_span_of_a_tool_says_whether_it_failed(run: Span, expected: object) -> None:
    assert outcome(*turn_of(PARIS, run)) == [expected]


def test_a_tool_of_which_only_the_end_is_recorded_gave_back_nothing_that_is_known() -> None:
    ask = chat("ask", 1, [user("hi")], [assistant(PARIS)])
    assert outcome(ask, tool("run", 2)) == [(None, False)]
    assert results(only_turn(ask, tool("run", 2))) == []
    unfinished = span("run", 2, None, attributes=tool("run", 2).attributes)
    assert outcome(ask, unfinished) == [None]
    assert outcome(ask) == [None]


def test_when_a_tool_ran() -> None:
    (call,) = only_turn(*turn_of(PARIS, tool("run", 2, 3.25, attributes=ran(PARIS, "rain")))).trajectory
    assert call.result
    assert (call.result.start_time, call.result.end_time) == (
        "2023-11-14T22:13:22+00:00",
        "2023-11-14T22:13:23.250000+00:00",
    )


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"toolResult": {"toolUseId": "call_a", "content": "x", "status": "error"}}, True),
        ({"toolResult": {"toolUseId": "call_a", "content": "x"}}, False),
        ({"type": "tool_result", "tool_use_id": "call_a", "content": "x", "is_error": True}, True),
        ({"type": "tool_result", "tool_use_id": "call_a", "content": "x"}, False),
        ({"type": "tool_call_response", "id": "call_a", "response": "x", "status": "error"}, None),
    ],
)
def test_what_the_model_was_told_says_whether_a_tool_failed(part: dict[str, Any], expected: object) -> None:
    told = [user("hi"), assistant(PARIS), {"role": "user", "parts": [part]}]
    spans = [chat("a", 1, told[:1], [assistant(PARIS)]), chat("b", 2, told, [assistant("done")])]
    assert outcome(*spans) == [("x", expected)]


@pytest.mark.parametrize(
    ("statuses", "expected"), [(["error"], True), (["success"], False), (["error", "success"], None), ([], None)]
)
def test_messages_of_langchain_say_whether_a_tool_without_a_span_failed(statuses: list[str], expected: object) -> None:
    said = [{"type": "tool", "data": {"content": "told", "tool_call_id": "call_a", "status": one}} for one in statuses]
    step = span("step", 3, attributes={"output.value": json.dumps({"messages": said})})
    assert outcome(*turn_of(PARIS, step)) == [("told", expected)]
    assert outcome(*turn_of(PARIS, step, tool("run", 2, attributes=ran(PARIS, "rain")))) == [("rain", False)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"status": "error", "error_message": "offline"}, None),
        ({"error": "no such tool"}, None),
        ({"status": "ok", "error": None}, False),
        ({"result": "rain"}, False),
    ],
)
def test_adk_never_flags_what_a_tool_returned_as_a_failure(answer: dict[str, Any], expected: object) -> None:
    own = {**ran(PARIS, json.dumps(answer)), "gcp.vertex.agent.invocation_id": "i"}
    assert [error for _, error in filter(None, outcome(*turn_of(PARIS, tool("run", 2, attributes=own))))] == [expected]
    failing = tool("run", 2, attributes=own, failed=True)
    assert [error for _, error in filter(None, outcome(*turn_of(PARIS, failing)))] == [True]


def test_each_call_has_its_own_result_even_where_ids_repeat() -> None:
    same = [PARIS, {**LONDON, "id": "call_a"}]
    spans = [
        chat("ask", 1, [user("hi")], [assistant(*same)]),
        tool("p", 2, attributes=ran(PARIS, "rain")),
        tool("l", 3, attributes=ran(same[1], "fog"), failed=True),
    ]
    assert outcome(*spans) == [("rain", False), ("fog", True)]
