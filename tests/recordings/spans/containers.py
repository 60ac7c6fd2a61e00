"""The same spans in every container."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject
    from trajectory.recordings.spans import Span


def any_value(value: object) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
        case _:
            return {}


def pairs(attributes: JsonObject) -> list[dict[str, Any]]:
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


def otlp_span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_id or "",
        "name": span.name,
        "kind": 3,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end or 0),
        "attributes": pairs(span.attributes),
        "events": [{"name": event.name, "attributes": pairs(event.attributes)} for event in span.events],
        "status": {"code": 2, "message": span.status} if span.failed else {},
    }


def otlp(*spans: Span) -> dict[str, Any]:
    scopes = [{"scope": {"name": span.scope}, "spans": [otlp_span(span)]} for span in spans]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": scopes}]}


def otlp_lines(*spans: Span) -> list[dict[str, Any]]:
    return [otlp(span) for span in spans]


def snake_case(*spans: Span) -> dict[str, Any]:
    made = []
    for span in map(otlp_span, spans):
        code = "STATUS_CODE_ERROR" if span["status"] else "STATUS_CODE_UNSET"
        renamed = {"traceId": "trace_id", "spanId": "span_id", "parentSpanId": "parent_span_id"}
        renamed |= {"startTimeUnixNano": "start_time_unix_nano", "endTimeUnixNano": "end_time_unix_nano"}
        kept = {renamed.get(key, key): value for key, value in span.items()}
        made.append(kept | {"status": span["status"] | {"code": code}})
    return {"resource_spans": [{"scope_spans": [{"scope": {}, "spans": made}]}]}


def tempo_1(*spans: Span) -> dict[str, Any]:
    library = [{"instrumentationLibrary": {"name": ""}, "spans": [otlp_span(span) for span in spans]}]
    return {"batches": [{"resource": {}, "instrumentationLibrarySpans": library}]}


def tempo_2(*spans: Span) -> dict[str, Any]:
    return {"trace": otlp(*spans)}


def tags(attributes: JsonObject) -> list[dict[str, Any]]:
    return [{"key": key, "type": "string", "value": value} for key, value in attributes.items()]


def jaeger_span(span: Span) -> dict[str, Any]:
    around = {"refType": "CHILD_OF", "traceID": span.trace_id, "spanID": span.parent_id}
    status = {"otel.status_code": "ERROR", "otel.status_description": span.status, "error": True}
    return {
        "traceID": span.trace_id,
        "spanID": span.span_id,
        "operationName": span.name,
        "references": [] if span.parent_id is None else [around],
        "startTime": span.start // 1000,
        "duration": ((span.end or 0) - span.start) // 1000,
        "tags": tags({**span.attributes, "otel.scope.name": span.scope, **(status if span.failed else {})}),
        "logs": [{"timestamp": 0, "fields": tags({"event": one.name, **one.attributes})} for one in span.events],
    }


def jaeger(*spans: Span) -> dict[str, Any]:
    traces = {span.trace_id: [jaeger_span(one) for one in spans if one.trace_id == span.trace_id] for span in spans}
    return {"data": [{"traceID": name, "spans": held, "processes": {}} for name, held in traces.items()]}


def iso(nanoseconds: int | None) -> str | None:
    return None if nanoseconds is None else datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat()


def printed(*spans: Span) -> list[dict[str, Any]]:
    return [
        {
            "name": span.name,
            "context": {"trace_id": span.trace_id, "span_id": span.span_id, "trace_state": "[]"},
            "kind": "SpanKind.INTERNAL",
            "parent_id": span.parent_id,
            "start_time": iso(span.start),
            "end_time": iso(span.end),
            "status": {"status_code": "ERROR", "description": span.status} if span.failed else {"status_code": "UNSET"},
            "attributes": span.attributes,
            "events": [{"name": event.name, "timestamp": "", "attributes": event.attributes} for event in span.events],
            "links": [],
            "resource": {"attributes": {}},
        }
        for span in spans
    ]


def phoenix(*spans: Span) -> list[dict[str, Any]]:
    return [
        {
            "id": "1",
            "name": span.name,
            "context": {"trace_id": span.trace_id, "span_id": span.span_id},
            "span_kind": "UNKNOWN",
            "parent_id": span.parent_id,
            "start_time": iso(span.start),
            "end_time": iso(span.end),
            "status_code": "ERROR" if span.failed else "UNSET",
            "status_message": span.status,
            "attributes": span.attributes,
            "events": [{"name": event.name, "attributes": event.attributes} for event in span.events],
        }
        for span in spans
    ]


def flat(*spans: Span) -> list[dict[str, Any]]:
    return [
        {
            "trace_id": span.trace_id,
            "span_id": span.span_id,
            "parent_span_id": span.parent_id,
            "name": span.name,
            "start_time": span.start,
            "end_time": span.end,
            "attributes": span.attributes,
            "scope": {"name": span.scope},
            "status": {"code": "ERROR" if span.failed else "OK", "message": span.status},
            "span_events": [{"event_name": event.name, "attributes": event.attributes} for event in span.events],
        }
        for span in spans
    ]


def wrapped(*spans: Span) -> dict[str, Any]:
    return {"session_id": "x", "spans": flat(*spans)}


CONTAINERS = {
    "otlp": (otlp, otlp_lines, snake_case),
    "tempo": (tempo_1, tempo_2),
    "jaeger": (jaeger,),
    "otel-console": (printed,),
    "phoenix": (phoenix,),
    "flat-spans": (flat, wrapped),
}
