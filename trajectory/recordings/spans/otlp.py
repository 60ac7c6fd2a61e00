"""Spans in OTLP/JSON: one export request, many of them, or Tempo's ``batches``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.json_values import describe
from trajectory.recordings.spans.span import Span, SpanEvent, need
from trajectory.recordings.spans.times import nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.json_values import JsonObject, JsonValue

RESOURCE_KEYS: Final = ("resourceSpans", "resource_spans", "batches")
_SCOPE_KEYS: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_ERRORS: Final = (2, "2", "STATUS_CODE_ERROR", "ERROR")
_HEXADECIMAL: Final = frozenset("0123456789abcdefABCDEF")


def otlp_spans(document: JsonValue) -> list[Span]:
    """Decode spans.

    Args:
        document: A request to export traces, or a list of them.

    Returns:
        The spans, in the order of the document.

    Raises:
        TypeError: Something is no span; the text says where it stands and what is wrong with it.
    """
    requests = document if isinstance(document, list) else [document]
    return [span for request in requests for resource in _first(request, *RESOURCE_KEYS) for span in _scopes(resource)]


def _scopes(resource: JsonObject) -> Iterator[Span]:
    for group in _first(resource, *_SCOPE_KEYS):
        scope = group.get("scope") or group.get("instrumentationLibrary") or {}
        spans = group.get("spans") or []
        for number, span in enumerate(spans, start=1):
            yield _span(span, str(scope.get("name", "")), f"span {number} of {len(spans)} of a scope")


def _span(span: JsonValue, scope: str, place: str) -> Span:
    span = {_camel(key): value for key, value in span.items()} if isinstance(span, dict) else span
    status = span.get("status") or {} if isinstance(span, dict) else {}
    return Span(
        trace_id=_id(need(span, "traceId", place)),
        span_id=_id(need(span, "spanId", place)),
        parent_id=_id(span.get("parentSpanId") or "") or None,
        name=str(span.get("name", "")),
        start=nanoseconds(span.get("startTimeUnixNano"), place) or 0,
        end=nanoseconds(span.get("endTimeUnixNano"), place),
        attributes=_attributes(span.get("attributes"), place),
        events=tuple(
            SpanEvent(str(event.get("name", "")), _attributes(event.get("attributes"), place))
            for event in span.get("events") or []
        ),
        failed=status.get("code") in _ERRORS,
        status=str(status.get("message") or ""),
        scope=scope,
    )


def _first(value: Any, *keys: str) -> list[JsonObject]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object with {keys[0]!r}, found {describe(value)}")
    return next((value[key] for key in keys if value.get(key)), [])


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _id(text: str) -> str:
    """Fold the case of a hexadecimal id; some writers give Base64, in which case counts."""
    return text.lower() if set(text) <= _HEXADECIMAL else text


def _attributes(pairs: JsonValue, place: str) -> JsonObject:
    if not isinstance(pairs, list | None) or not all(isinstance(pair, dict) and "key" in pair for pair in pairs or []):
        raise TypeError(f"{place}: expected attributes as a list of keys with values, found {describe(pairs)}")
    return {pair["key"]: _value(pair.get("value"), place) for pair in pairs or []}


def _value(value: JsonValue, place: str) -> JsonValue:
    """Decode an ``AnyValue``: an object whose single key names the type. None stands for null."""
    if not value:
        return None
    kind, held = next(iter(value.items())) if isinstance(value, dict) else ("", value)
    try:
        return _decoded(_camel(kind), held, place)
    except (AttributeError, ValueError, TypeError):
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
