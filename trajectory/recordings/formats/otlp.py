"""OTLP/JSON: requests to export traces, one in a file or one a line, and Tempo's answers, which hold the same."""

from __future__ import annotations

from typing import Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.records import every_record
from trajectory.recordings.spans import otlp_spans, read_spans

_SPANS: Final = frozenset({"resourceSpans", "resource_spans"})
_BESIDE: Final = frozenset({"resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics"})


_NO_SPANS: Final = (
    "logs and metrics stand in it, and no spans; logs are read where they stand in one file with their spans"
)


class _Otlp:
    """Spans as OpenTelemetry exports them."""

    name = "otlp"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is of this format."""
        return every_record(document, lambda record: bool(record.keys() & (_SPANS | _BESIDE)))

    def read(self, document: Any) -> Reading:
        """Read a document that matches."""
        records = document if isinstance(document, list) else [document]
        if not any(record.keys() & _SPANS for record in records):
            return Reading((), (_NO_SPANS,))
        return Reading(*read_spans(otlp_spans(document)))


class _Tempo:
    """Spans as Tempo answers with them: its first API says ``batches``, the second wraps the trace."""

    name = "tempo"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is of this format."""
        return every_record(document, lambda record: bool(_SPANS & _trace(record).keys()) or "batches" in record)

    def read(self, document: Any) -> Reading:
        """Read a document that matches."""
        records = document if isinstance(document, list) else [document]
        return Reading(
            *read_spans(otlp_spans([record if "batches" in record else _trace(record) for record in records]))
        )


def _trace(record: dict[str, Any]) -> dict[str, Any]:
    trace = record.get("trace")
    return trace if isinstance(trace, dict) else {}


OTLP = _Otlp()
TEMPO = _Tempo()
