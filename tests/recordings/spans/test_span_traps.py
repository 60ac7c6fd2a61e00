"""Spans that would make a reader slow, break it, or let it pass over something."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.recordings.spans.making import (
    PARIS,
    agent,
    assistant,
    chat,
    notes,
    only_turn,
    ran,
    span,
    threads,
    tool,
    user,
)
from trajectory.conversation import MalformedArguments
from trajectory.recordings.spans import flat_spans, jaeger_spans, read_spans
from trajectory.recordings.spans.forest import Forest
from trajectory.recordings.spans.span import decoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.recordings.spans import Span

DEEP = 1_500
SECONDS = 5


def chain(number: int, *, kind: str) -> Sequence[Span]:
    """Make spans each of which is inside of the one before."""
    last: dict[str, str | None] = {"parent": None}
    found = []
    for index in range(number):
        parent, last["parent"] = last["parent"], f"s{index}"
        found += {
            "chat": [chat(f"s{index}", index / 1e4, [user("hi")], [assistant("yes")], parent=parent)],
            "agent": [
                agent(f"s{index}", index / 1e4, 9, parent=parent),
                tool(f"t{index}", index / 1e4, 9, parent=f"s{index}"),
            ],
            "other": [
                span(f"s{index}", index / 1e4, parent=parent),
                chat(f"c{index}", index / 1e4, [user("hi")], [assistant("yes")], parent=f"s{index}"),
            ],
        }[kind]
    return found


@pytest.mark.parametrize("kind", ["chat", "agent", "other"])
def test_deep_trees_take_no_longer_than_flat_ones(kind: str) -> None:
    spans = chain(DEEP, kind=kind)
    begin = time.monotonic()
    assert len(threads(*spans)) == 1
    assert time.monotonic() - begin < SECONDS


def test_a_span_holds_those_inside_of_it() -> None:
    spans = [span("a", 1), span("b", 2, parent="a"), span("c", 3, parent="b"), span("d", 4, parent="a")]
    forest = Forest(spans)
    held = {(outer.name, inner.name) for outer in spans for inner in spans if forest.holds(outer, inner)}
    assert held == {("a", "b"), ("a", "c"), ("a", "d"), ("b", "c")}


def test_spans_around_each_other_are_around_nothing() -> None:
    spans = [span("a", 1, parent="b"), span("b", 2, parent="a"), span("c", 3, parent="a"), span("d", 4, parent="d")]
    forest = Forest(spans)
    assert [list(forest.ancestors(one)) for one in spans] == [[], [], [], []]
    assert not any(forest.holds(outer, inner) for outer in spans for inner in spans)


@pytest.mark.parametrize("wrong", [10**21, "9" * 21, -(10**12), 1e300, 10**400, "9999-12-31T23:59:59-23:00"])
def test_a_time_that_no_calendar_has(wrong: object) -> None:
    with pytest.raises(TypeError, match="span 1 of 1: expected a time, found"):
        flat_spans([{"trace_id": "a", "span_id": "b", "end_time": wrong, "attributes": {}}])


@pytest.mark.parametrize("wrong", [1e300, 10**18, -(10**18)])
def test_a_duration_that_no_calendar_has(wrong: object) -> None:
    made = {"traceID": "a", "spanID": "b", "startTime": 1_700_000_000_000_000, "duration": wrong}
    with pytest.raises(TypeError, match="span 1 of trace 1: expected a duration, found the number"):
        jaeger_spans({"data": [{"spans": [made]}]})


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '[{"a": {"b": 1, "b": 1}}]', "[" * 100_000, '{"a": ' + "9" * 5000]
)
def test_a_text_that_cannot_be_trusted_stays_a_text(text: str) -> None:
    assert decoded(text) == text


def test_arguments_with_a_key_twice_are_malformed() -> None:
    twice = {**ran(PARIS, "rain"), "gen_ai.tool.call.arguments": '{"city": "Paris", "city": "London"}'}
    (call,) = only_turn(tool("run", 2, attributes=twice)).trajectory
    assert isinstance(call.arguments, MalformedArguments)


def test_messages_with_a_key_twice_are_not_taken_for_what_was_said_last() -> None:
    said = json.dumps([assistant(PARIS)])[:-2] + ', "parts": []}]'
    spans = [chat("a", 1, [user("hi")], None, attributes={"gen_ai.output.messages": said})]
    assert read_spans(spans)[2]
    assert "kept no messages" in notes(*spans)[1]
