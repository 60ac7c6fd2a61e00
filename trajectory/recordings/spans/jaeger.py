"""Spans as Jaeger's interface and API give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.json_values import describe
from trajectory.recordings.spans.span import Span, SpanEvent, an_object, need, need_objects, objects
from trajectory.recordings.spans.times import nanoseconds, span_end

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject, JsonValue


def jaeger_spans(document: JsonValue) -> list[Span]:
    """Decode spans.

    Args:
        document: An object whose ``data`` lists traces with their ``spans``.

    Returns:
        The spans, in the order of the document.

    Raises:
        TypeError: Something is no span; the text says where it stands and what is wrong with it.
    """
    return [
        _span(span, f"span {number} of trace {at}")
        for at, trace in enumerate(need_objects(an_object(document).get("data"), "traces"), start=1)
        for number, span in enumerate(need_objects(trace.get("spans"), "spans"), start=1)
    ]


def _span(span: JsonValue, place: str) -> Span:
    span_id, trace_id = need(span, "spanID", place), need(span, "traceID", place)
    attributes = _tags(span.get("tags"), place)
    start = nanoseconds(span.get("startTime"), place) or 0
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_parent(span, trace_id),
        name=str(span.get("operationName") or ""),
        start=start,
        end=span_end(start, _duration(span.get("duration"), place), place),
        attributes=attributes,
        events=tuple(_event(log, place) for log in objects(span.get("logs"))),
        failed=attributes.get("otel.status_code") == "ERROR" or attributes.get("error") in (True, "true"),
        status=str(attributes.get("otel.status_description") or ""),
        scope=str(attributes.get("otel.scope.name") or attributes.get("otel.library.name") or ""),
    )


def _duration(microseconds: JsonValue, place: str) -> float:
    if not isinstance(microseconds, int | float | None):
        raise TypeError(f"{place}: expected a duration in microseconds, found {describe(microseconds)}")
    return (microseconds or 0) * 1_000


def _parent(span: JsonObject, trace_id: str) -> str | None:
    around = [held for held in objects(span.get("references")) if held.get("traceID") == trace_id]
    found = next((held.get("spanID") for held in around if held.get("refType") == "CHILD_OF"), span.get("parentSpanID"))
    return found if isinstance(found, str) else None


def _tags(tags: JsonValue, place: str) -> JsonObject:
    if not isinstance(tags, list | None) or not all(isinstance(tag, dict) and "key" in tag for tag in tags or ()):
        raise TypeError(f"{place}: expected tags as a list of keys with values, found {describe(tags)}")
    return {str(tag["key"]): tag.get("value") for tag in tags or ()}


def _event(log: JsonObject, place: str) -> SpanEvent:
    fields = _tags(log.get("fields"), place)
    return SpanEvent(str(fields.get("event") or fields.get("name") or ""), fields)
