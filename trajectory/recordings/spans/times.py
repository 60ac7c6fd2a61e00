"""Times as containers write them, in nanoseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from trajectory.json_values import describe

if TYPE_CHECKING:
    from trajectory.json_values import JsonValue

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) * 1_000
_LAST: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) * 1_000
_USUAL_DIGITS: Final = 19
"""So long are nanoseconds since 1970 from 2001 to 2286, as OTLP writes them; no calendar ends that early."""
_UNITS: Final = ((10**17, 1), (10**14, 1_000), (10**11, 1_000_000))


def nanoseconds(value: JsonValue, place: str) -> int | None:
    """Read a time.

    Args:
        value: A date and time of ISO 8601, in UTC where it names no zone; or a number since 1970, whose size tells
            whether it counts seconds, milliseconds, microseconds or nanoseconds; also as text.
        place: Where it stands, for messages.

    Returns:
        The time; ``None`` for null, an empty text or zero.

    Raises:
        TypeError: It is no time, or one that no calendar has.
    """
    if (
        isinstance(value, str)
        and len(value) == _USUAL_DIGITS
        and value.isdecimal()
        and (usual := int(value)) >= _UNITS[0][0]
    ):
        return usual
    try:
        if not (_is_number(value) or value):
            return None
        found = _from_number(float(value), value) if _is_number(value) else _from_text(value)
        return _on_calendar(found) or None
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{place}: expected a time, found {describe(value)}") from None


def span_end(start: int, duration: float, place: str) -> int:
    """Give the time at which something ended that began at one time and took so long, all in nanoseconds.

    Raises:
        TypeError: It is a time that no calendar has.
    """
    try:
        return _on_calendar(start + int(duration))
    except (ValueError, OverflowError):
        raise TypeError(f"{place}: expected a duration, found {describe(duration)}") from None


def _on_calendar(found: int) -> int:
    if not _FIRST <= found <= _LAST:
        raise ValueError(found)
    return found


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value.isdecimal())


def _from_number(size: float, value: JsonValue) -> int:
    exact = int(value) if not isinstance(value, float) else value
    factor = next((factor for least, factor in _UNITS if size >= least), 1_000_000_000)
    return int(exact * factor)


def _from_text(value: JsonValue) -> int:
    moment = datetime.fromisoformat(value)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1_000
