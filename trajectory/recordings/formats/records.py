"""Documents that may be one record, or a list of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def every_record(document: Any, test: Callable[[dict[str, Any]], bool]) -> bool:
    """Tell whether a document is an object that passes a test, or a list of nothing else; an empty list is not."""
    records = document if isinstance(document, list) else [document]
    return bool(records) and all(isinstance(record, dict) and test(record) for record in records)
