"""Spans one after the other: what the SDK's console exporter prints, what Phoenix exports, and plain lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.records import every_record
from trajectory.recordings.spans import flat_spans, listed_spans, read_spans

if TYPE_CHECKING:
    from collections.abc import Callable


class _FlatSpans:
    """Spans of one shape."""

    def __init__(self, name: str, is_span: Callable[[dict[str, Any]], bool]) -> None:
        self.name = name
        self._is_span = is_span

    def matches(self, document: Any) -> bool:
        """Tell whether a document is of this format."""
        return every_record(listed_spans(document), self._is_span)

    def read(self, document: Any) -> Reading:
        """Read a document that matches."""
        return Reading(*read_spans(flat_spans(document)))


def _has_context(span: dict[str, Any]) -> bool:
    context = span.get("context")
    return isinstance(context, dict) and {"trace_id", "span_id"} <= context.keys()


def _is_printed(span: dict[str, Any]) -> bool:
    return _has_context(span) and str(span.get("kind")).startswith("SpanKind.")


def _is_of_phoenix(span: dict[str, Any]) -> bool:
    return _has_context(span) and "span_kind" in span


def _is_plain(span: dict[str, Any]) -> bool:
    return {"trace_id", "span_id"} <= span.keys() and isinstance(span.get("attributes"), dict)


OTEL_CONSOLE = _FlatSpans("otel-console", _is_printed)
PHOENIX = _FlatSpans("phoenix", _is_of_phoenix)
FLAT_SPANS = _FlatSpans("flat-spans", _is_plain)
