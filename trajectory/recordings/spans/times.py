"""Times as containers write them, in nanoseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from trajectory.json_values import describe

if TYPE_CHECKING:
    from trajectory.json_values import JsonValue

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
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
        TypeError: It is no time.
    """
    try:
        if _is_number(value):
            return _from_number(float(value), value) or None
        return _from_text(value) if value else None
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{place}: expected a time, found {describe(value)}") from None


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
