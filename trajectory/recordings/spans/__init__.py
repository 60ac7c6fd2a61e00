"""Spans of OpenTelemetry and its kin: containers, dialects, and the conversations in them."""

from __future__ import annotations

from trajectory.recordings.spans.flat import flat_spans, listed_spans
from trajectory.recordings.spans.jaeger import jaeger_spans
from trajectory.recordings.spans.langsmith import langsmith_spans
from trajectory.recordings.spans.otlp import otlp_spans
from trajectory.recordings.spans.reading import read_spans
from trajectory.recordings.spans.span import Span, SpanEvent

__all__ = [
    "Span",
    "SpanEvent",
    "flat_spans",
    "jaeger_spans",
    "langsmith_spans",
    "listed_spans",
    "otlp_spans",
    "read_spans",
]
