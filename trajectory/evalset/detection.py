"""What keeps a document from having a shape, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.errors import nearest
from trajectory.json_values import shorten

if TYPE_CHECKING:
    from trajectory.json_values import JsonValue


def lacks(value: JsonValue, *keys: str) -> str:
    """Say what keeps a value from being an object with these keys; empty when it is one."""
    if not isinstance(value, dict):
        return "it is no object"
    missing = next((key for key in keys if key not in value), None)
    if missing is None:
        return ""
    meant = nearest(missing, value)
    return f"no key {missing!r}" + (f" (but {shorten(repr(meant))})" if meant else "")


def is_no_list_of(value: JsonValue, *keys: str) -> str:
    """Say what keeps a value from being an array of objects with these keys, going by its first item."""
    if not isinstance(value, list):
        return "it is no array"
    if not value:
        return "it has no items"
    reason = lacks(value[0], *keys)
    return reason and f"its first item: {reason}"
