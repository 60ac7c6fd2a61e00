"""Containers of spans: each gives the same conversation, and says what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recordings.spans.containers import CONTAINERS, any_value, flat, jaeger, otlp, pairs, phoenix, tempo_1
from tests.recordings.spans.making import PARIS, assistant, calls, raised, threads, user, weather
from trajectory.recordings.formats import FORMATS
from trajectory.recordings.spans import flat_spans, jaeger_spans, otlp_spans
from trajectory.recordings.spans.times import nanoseconds

EVERY = [(name, write) for name, writers in CONTAINERS.items() for write in writers]
SPANS_OF = {*CONTAINERS, "langsmith"}
SPANS = weather() + weather(trace="b2", at=100)


def names(document: Any) -> set[str]:
    return {known.name for known in FORMATS if known.matches(document)}


@pytest.mark.parametrize(("name", "write"), EVERY)
def test_every_container_gives_the_same_conversation(name: str, write: Any) -> None:
    document = write(*SPANS)
    (matching,) = (known for known in FORMATS if known.matches(document))
    reading = matching.read(document)
    assert matching.name == name
    assert (reading.threads, reading.notes, reading.incomplete) == (threads(*SPANS), (), False)


@pytest.mark.parametrize("key", ["resourceLogs", "resourceMetrics"])
def test_what_an_exporter_writes_beside_spans_is_no_stranger(key: str) -> None:
    (matching,) = (known for known in FORMATS if known.matches([{key: []}]))
    reading = matching.read([{key: []}])
    assert (matching.name, reading.threads) == ("otlp", ())
    assert reading.notes[0].startswith("logs and metrics stand in it, and no spans")


@pytest.mark.parametrize("document", [None, 5, "text", [], {}, [[]], [5], {"spans": []}, {"data": []}, {"trace": 5}])
def test_what_is_no_container_of_spans(document: Any) -> None:
    assert names(document) & SPANS_OF == set()


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [{"role": "user", "content": "hi"}]},
        [{"role": "user", "content": "hi"}],
        {"data": [{"id": "1"}]},
        {"trace_id": "1", "span_id": "2"},
        [*flat(*SPANS), {"role": "user"}],
    ],
)
def test_what_is_of_another_format(document: Any) -> None:
    assert names(document) & SPANS_OF == set()


def changed(document: dict[str, Any], **change: Any) -> dict[str, Any]:
    """Change the first span of a request to export traces."""
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0] |= change
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"traceId": None}, "span 1 of 1 of a scope: expected a text under 'traceId', found null"),
        ({"spanId": 5}, "span 1 of 1 of a scope: expected a text under 'spanId', found the number 5"),
        ({"startTimeUnixNano": "soon"}, 'span 1 of 1 of a scope: expected a time, found the string "soon"'),
        (
            {"attributes": {"a": 1}},
            "span 1 of 1 of a scope: expected attributes as a list of keys with values, found an object with the keys a",
        ),
        (
            {"attributes": [{"key": "a", "value": 5}]},
            "span 1 of 1 of a scope: expected the value of an attribute, found the number 5",
        ),
        (
            {"attributes": [{"key": "a", "value": {"intValue": "x"}}]},
            "span 1 of 1 of a scope: expected the value of an attribute, found an object with the keys intValue",
        ),
    ],
)
def test_what_is_wrong_with_a_span(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        otlp_spans(changed(otlp(SPANS[0]), **change))
    assert str(caught.value) == message


def test_what_is_wrong_with_other_spans() -> None:
    (printed,), (drawn,) = flat(SPANS[0]), jaeger(SPANS[0])["data"][0]["spans"]
    with pytest.raises(TypeError, match="span 1 of 1: expected attributes as an object, found the number 5"):
        flat_spans([printed | {"attributes": 5}])
    with pytest.raises(TypeError, match="span 2 of 2: expected a span, found the number 5"):
        flat_spans([printed, 5])
    with pytest.raises(TypeError, match="span 1 of trace 1: expected a text under 'spanID', found null"):
        jaeger_spans({"data": [{"spans": [drawn | {"spanID": None}]}]})
    with pytest.raises(TypeError, match="expected a duration in microseconds, found the string"):
        jaeger_spans({"data": [{"spans": [drawn | {"duration": "long"}]}]})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
@settings(max_examples=50, deadline=None)
def test_values_of_attributes_survive(value: Any) -> None:
    document = changed(otlp(SPANS[0]), attributes=[{"key": "a", "value": any_value(value)}])
    (span,) = otlp_spans(document)
    assert span.attributes == {"a": value}


@pytest.mark.parametrize("trace_id", ["5B8EFFF798038103D269B633813FC60C", "W47/95gDgQPSabYzgT/GDA=="])
def test_ids_are_compared_as_they_are_written(trace_id: str) -> None:
    (span,) = otlp_spans(changed(otlp(SPANS[0]), traceId=trace_id))
    assert span.trace_id == (trace_id.lower() if trace_id.isalnum() else trace_id)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_700_000_000_123_456_789, 1_700_000_000_123_456_789),
        ("1700000000123456789", 1_700_000_000_123_456_789),
        (1_700_000_000_123_456, 1_700_000_000_123_456_000),
        (1_700_000_000_123, 1_700_000_000_123_000_000),
        (1_700_000_000, 1_700_000_000_000_000_000),
        (1_700_000_000.5, 1_700_000_000_500_000_000),
        ("2023-11-14T22:13:20Z", 1_700_000_000_000_000_000),
        ("2023-11-14 22:13:20.5+00:00", 1_700_000_000_500_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000_000_000_000),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000_000_000_000),
        (0, None),
        ("0", None),
        (None, None),
        ("", None),
    ],
)
def test_times(value: Any, expected: int | None) -> None:
    assert nanoseconds(value, "here") == expected


@pytest.mark.parametrize("value", ["soon", [1], {"a": 1}, float("inf"), "12:00"])
def test_what_is_no_time(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^here: expected a time, found "):
        nanoseconds(value, "here")


def test_messages_in_log_records_beside_the_spans() -> None:
    held = {"gen_ai.input.messages": [user("hi")], "gen_ai.output.messages": [assistant(PARIS)]}
    bare = SPANS[1]
    record = {
        "eventName": "gen_ai.client.inference.operation.details",
        "traceId": bare.trace_id,
        "spanId": bare.span_id,
        "body": any_value(held),
    }
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    spans = changed(otlp(bare), attributes=pairs({"gen_ai.operation.name": "chat"}))
    (matching,) = (known for known in FORMATS if known.matches([logs, spans]))
    (thread,) = matching.read([logs, spans]).threads
    assert [calls(trace) for trace in thread.traces] == [[("get_weather", {"city": "Paris"})]]


def test_attributes_that_were_nested_by_their_dots() -> None:
    call = {"tool_call.function.name": "f", "tool_call.function.arguments": '{"a": 1}', "tool_call.id": "1"}
    nested = {
        "openinference": {"span": {"kind": "LLM"}},
        "llm": {
            "input_messages": [{"message.role": "user", "message.content": "hi"}],
            "output_messages": [{"message": {"role": "assistant", "tool_calls": [call]}}],
        },
    }
    (written,) = phoenix(SPANS[1])
    (matching,) = (known for known in FORMATS if known.matches([written]))
    (thread,) = matching.read([written | {"attributes": nested}]).threads
    assert [(trace.query, calls(trace)) for trace in thread.traces] == [("hi", [("f", {"a": 1})])]


def test_rows_of_logfire() -> None:
    row = {
        "trace_id": "a1",
        "span_id": "b1",
        "span_name": "execute_tool f",
        "start_timestamp": "2026-08-01T10:00:00.5Z",
        "end_timestamp": "2026-08-01T10:00:01Z",
        "otel_scope_name": "pydantic-ai",
        "otel_status_code": "ERROR",
        "otel_status_message": "no",
        "otel_events": [{"event_name": "exception"}],
        "attributes": {"gen_ai.tool.name": "f"},
    }
    (span,) = flat_spans([row])
    assert (span.name, span.scope, span.failed, span.status) == ("execute_tool f", "pydantic-ai", True, "no")
    assert span.end is not None
    assert (span.end - span.start, len(span.events)) == (500_000_000, 1)
    assert names([row]) == {"flat-spans"}


def test_the_kind_beside_the_attributes_counts() -> None:
    (written,) = phoenix(SPANS[1])
    flattened = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "hi"}
    flattened |= {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "yes"}
    (span,) = flat_spans([written | {"span_kind": "LLM", "attributes": flattened}])
    assert threads(span)[0].traces[0].response == "yes"


def test_an_event_is_told_by_jaeger() -> None:
    (span,) = jaeger_spans(jaeger(type(SPANS[0])("t", "s", None, "n", 1, 2, {}, events=(raised("offline"),))))
    assert [event.name for event in span.events] == ["exception"]
    assert span.events[0].attributes["exception.message"] == "offline"


def test_tempo_has_two_ways_and_both_are_lists_too() -> None:
    (matching,) = (known for known in FORMATS if known.matches([tempo_1(*SPANS)]))
    assert matching.read([tempo_1(*SPANS)]).threads == threads(*SPANS)
