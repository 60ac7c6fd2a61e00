"""Spans as objects of their own, one after the other: what the SDK prints, what Phoenix exports, and plain lists.

Among the last are the rows that Logfire answers queries with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import describe
from trajectory.recordings.spans.span import Span, SpanEvent, an_object, need, objects
from trajectory.recordings.spans.times import nanoseconds

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject, JsonValue

_NESTED: Final = ("openinference", "llm", "input", "output", "session", "tool", "agent")
_KIND: Final = "openinference.span.kind"
_NO_KIND: Final = "UNKNOWN"
_FAILED: Final = ("ERROR", "STATUS_CODE_ERROR", 2)


def flat_spans(document: JsonValue) -> list[Span]:
    """Decode spans.

    Args:
        document: A span, a list of spans, or an object with a list of ``spans``. Ids stand in the span or in its
            ``context``.

    Returns:
        The spans, in the order of the document.

    Raises:
        TypeError: Something is no span; the text says where it stands and what is wrong with it.
    """
    listed = listed_spans(document)
    return [_span(span, f"span {number} of {len(listed)}") for number, span in enumerate(listed, start=1)]


def listed_spans(document: JsonValue) -> list[JsonValue]:
    """Give what a document lists as spans; a single object is a list of one."""
    if isinstance(document, dict) and isinstance(document.get("spans"), list):
        return list(document["spans"])
    return document if isinstance(document, list) else [document]


def _span(span: JsonValue, place: str) -> Span:
    if not isinstance(span, dict):
        raise TypeError(f"{place}: expected a span, found {describe(span)}")
    ids = span["context"] if isinstance(span.get("context"), dict) else span
    parent = span.get("parent_span_id") or span.get("parent_id")
    code = span.get("status_code", span.get("otel_status_code"))
    status = span["status"] if isinstance(span.get("status"), dict) else {"code": code}
    return Span(
        trace_id=need(ids, "trace_id", place),
        span_id=need(ids, "span_id", place),
        parent_id=parent if isinstance(parent, str) else None,
        name=str(span.get("name") or span.get("span_name") or ""),
        start=nanoseconds(span.get("start_time", span.get("start_timestamp")), place) or 0,
        end=nanoseconds(span.get("end_time", span.get("end_timestamp")), place),
        attributes=_attributes(span, place),
        events=tuple(
            _event(event) for event in objects(span.get("events") or span.get("span_events") or span.get("otel_events"))
        ),
        failed=status.get("code", status.get("status_code")) in _FAILED,
        status=next((str(words) for words in _words(span, status) if words), ""),
        scope=str(an_object(span.get("scope")).get("name") or span.get("otel_scope_name") or ""),
    )


def _words(span: JsonObject, status: JsonObject) -> tuple[JsonValue, ...]:
    told = (status.get("description"), status.get("message"))
    return (*told, span.get("status_message"), span.get("otel_status_message"))


def _attributes(span: JsonObject, place: str) -> JsonObject:
    given = span.get("attributes")
    if not isinstance(given, dict | None):
        raise TypeError(f"{place}: expected attributes as an object, found {describe(given)}")
    found = _flattened(given or {})
    kind = span.get("span_kind")
    return {_KIND: kind, **found} if isinstance(kind, str) and kind != _NO_KIND else found


def _flattened(attributes: JsonObject) -> JsonObject:
    """Spread attributes that were nested by the dots in their names; only those known to come from such names."""
    found: JsonObject = {}
    for key, value in attributes.items():
        if key.split(".")[0] in _NESTED and isinstance(value, dict):
            found |= _flattened({f"{key}.{inner}": item for inner, item in value.items()})
        else:
            found[key] = value
    return found


def _event(event: JsonObject) -> SpanEvent:
    held = {**an_object(event.get("body")), **an_object(event.get("attributes"))}
    return SpanEvent(str(event.get("name") or event.get("event_name") or ""), held)
