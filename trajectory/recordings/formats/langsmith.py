"""LangSmith's runs: one after the other, as a tree, or as the program sent them in."""

from __future__ import annotations

from typing import Any

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.records import every_record
from trajectory.recordings.spans import langsmith_spans, read_spans


class _LangSmith:
    """Runs of LangSmith."""

    name = "langsmith"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is of this format."""
        return every_record(document, lambda record: _is_run(record) or _is_ingest(record))

    def read(self, document: Any) -> Reading:
        """Read a document that matches."""
        return Reading(*read_spans(langsmith_spans(document)))


def _is_run(record: dict[str, Any]) -> bool:
    return isinstance(record.get("run_type"), str) and "id" in record


def _is_ingest(record: dict[str, Any]) -> bool:
    """Tell whether a record is what a program sends: runs that began (``post``), and what became of them (``patch``)."""
    return any(every_record(record.get(key), _is_part_of_run) for key in ("post", "patch"))


def _is_part_of_run(record: dict[str, Any]) -> bool:
    return "dotted_order" in record or _is_run(record)


LANGSMITH = _LangSmith()
