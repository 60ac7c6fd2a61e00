"""Jaeger's JSON, as its interface saves it and its API answers."""

from __future__ import annotations

from typing import Any

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.records import every_record
from trajectory.recordings.spans import jaeger_spans, read_spans


class _Jaeger:
    """Spans as Jaeger gives them."""

    name = "jaeger"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is of this format."""
        return isinstance(document, dict) and every_record(
            document.get("data"), lambda trace: isinstance(trace.get("spans"), list) and "processes" in trace
        )

    def read(self, document: Any) -> Reading:
        """Read a document that matches."""
        return Reading(*read_spans(jaeger_spans(document)))


JAEGER = _Jaeger()
