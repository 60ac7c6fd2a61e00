"""Spans in OTLP/JSON: one export request, many of them, or Tempo's ``batches``; with the log records that belong to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from trajectory.json_values import describe
from trajectory.recordings.spans.span import Span, SpanEvent, an_object, need, need_objects, objects
from trajectory.recordings.spans.times import nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.json_values import JsonObject, JsonValue

_RESOURCES: Final = ("resourceSpans", "resource_spans", "batches")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_ERRORS: Final = (2, "2", "STATUS_CODE_ERROR", "ERROR")
_HEXADECIMAL: Final = frozenset("0123456789abcdefABCDEF")


def otlp_spans(document: JsonValue) -> list[Span]:
    """Decode spans.

    Args:
        document: A request to export traces, or a list of such requests, among which may be requests to export logs.

    Returns:
        The spans, in the order of the document. A log record of a span is an event of it: newer writers put the messages
        there.

    Raises:
        TypeError: Something is no span; the text says where it stands and what is wrong with it.
    """
    requests = need_objects(document if isinstance(document, list) else [document], "requests to export")
    logs: dict[tuple[str, str], list[SpanEvent]] = {}
    for key, event in _logged(requests):
        logs.setdefault(key, []).append(event)
    spans = [span for request in requests for span in _spans(request)]
    return [
        replace(span, events=(*span.events, *logs[key])) if (key := (span.trace_id, span.span_id)) in logs else span
        for span in spans
    ]


def _spans(request: JsonObject) -> Iterator[Span]:
    for resource in _first(request, *_RESOURCES):
        for group in _first(resource, *_SCOPES):
            scope = str(an_object(group.get("scope") or group.get("instrumentationLibrary")).get("name", ""))
            spans = need_objects(group.get("spans"), "spans")
            for number, span in enumerate(spans, start=1):
                yield _span(span, scope, f"span {number} of {len(spans)} of a scope")


def _logged(requests: list[JsonObject]) -> Iterator[tuple[tuple[str, str], SpanEvent]]:
    for request in requests:
        for resource in _first(request, "resourceLogs", "resource_logs"):
            for group in _first(resource, "scopeLogs", "scope_logs"):
                for record in map(_in_camel_case, _first(group, "logRecords", "log_records")):
                    attributes = _attributes(record.get("attributes"), "a log record")
                    name = str(record.get("eventName") or attributes.get("event.name") or "")
                    body = an_object(_value(record.get("body"), "a log record"))
                    key = _id(str(record.get("traceId") or "")), _id(str(record.get("spanId") or ""))
                    yield key, SpanEvent(name, {**body, **attributes})


def _span(given: JsonObject, scope: str, place: str) -> Span:
    span = _in_camel_case(given) if "_" in "".join(given) else given
    status = an_object(span.get("status"))
    return Span(
        trace_id=_id(need(span, "traceId", place)),
        span_id=_id(need(span, "spanId", place)),
        parent_id=_id(str(span.get("parentSpanId") or "")) or None,
        name=str(span.get("name", "")),
        start=nanoseconds(span.get("startTimeUnixNano"), place) or 0,
        end=nanoseconds(span.get("endTimeUnixNano"), place),
        attributes=_attributes(span.get("attributes"), place),
        events=tuple(
            SpanEvent(str(event.get("name", "")), _attributes(event.get("attributes"), place))
            for event in objects(span.get("events"))
        ),
        failed=status.get("code") in _ERRORS,
        status=str(status.get("message") or ""),
        scope=scope,
    )


def _first(value: JsonObject, *keys: str) -> list[JsonObject]:
    """Give the objects under the first of these keys that holds something."""
    name = next((key for key in keys if value.get(key)), None)
    return [] if name is None else need_objects(value[name], name)


def _in_camel_case(record: JsonObject) -> JsonObject:
    return {_camel(key): value for key, value in record.items()}


def _camel(key: str) -> str:
    if "_" not in key:
        return key
    head, *rest = key.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def _id(text: str) -> str:
    """Fold the case of a hexadecimal id; some writers give Base64, in which case counts."""
    lower = text.lower()
    return lower if lower == text or set(text) <= _HEXADECIMAL else text


def _attributes(pairs: JsonValue, place: str) -> JsonObject:
    if pairs is None:
        return {}
    if not isinstance(pairs, list) or not all(isinstance(pair, dict) and "key" in pair for pair in pairs):
        raise TypeError(f"{place}: expected attributes as a list of keys with values, found {describe(pairs)}")
    return {str(pair["key"]): _value(pair.get("value"), place) for pair in pairs}


def _value(value: JsonValue, place: str) -> JsonValue:
    """Decode an ``AnyValue``: an object whose single key names the type. None stands for null."""
    if not value:
        return None
    if isinstance(value, dict) and len(value) == 1 and isinstance(text := value.get("stringValue"), str):
        return text
    kind, held = next(iter(value.items())) if isinstance(value, dict) else ("", value)
    try:
        return _decoded(_camel(kind), held, place)
    except (AttributeError, TypeError, ValueError):
        raise TypeError(f"{place}: expected the value of an attribute, found {describe(value)}") from None


def _decoded(kind: str, held: Any, place: str) -> JsonValue:
    match kind:
        case "stringValue" | "boolValue" | "bytesValue":
            return held
        case "intValue":
            return int(held)
        case "doubleValue":
            return held if isinstance(held, str) else float(held)
        case "arrayValue":
            return [_value(item, place) for item in (held or {}).get("values") or []]
        case "kvlistValue":
            return _attributes((held or {}).get("values"), place)
        case _:
            raise TypeError(kind)
