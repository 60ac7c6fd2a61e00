"""Recorded times, kept as they were written."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Strict, Tag
from pydantic_core import PydanticCustomError

_RFC_3339 = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_RFC_3339_PARTS = re.compile(r"(.{19})(\.\d+)?(.+)")


def _rfc_3339(value: str) -> str:
    """Accept a date and time of RFC 3339, section 5.6; the text is kept as it stands."""
    if _RFC_3339.fullmatch(value):
        try:
            datetime.fromisoformat(value[:10])
            if value[:4] in ("0001", "9999"):
                moment(value)  # its offset may lead out of the years that a `datetime` has
        except (ValueError, OverflowError):
            pass
        else:
            return value
    raise PydanticCustomError("rfc_3339", "expected a date and time of RFC 3339, such as 2026-08-01T09:00:00Z")


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND: Final = int((datetime.min.replace(tzinfo=UTC) - _EPOCH).total_seconds())
_LAST_SECOND: Final = int((datetime.max.replace(tzinfo=UTC, microsecond=0) - _EPOCH).total_seconds())


def _time_kind(value: object) -> str | None:
    if isinstance(value, str):
        return "<text>"
    return "<pair>" if isinstance(value, list | tuple) else None


Time: TypeAlias = Annotated[
    Annotated[str, BeforeValidator(_rfc_3339), Tag("<text>")]
    | Annotated[
        tuple[
            Annotated[int, Strict(), Field(ge=_FIRST_SECOND, le=_LAST_SECOND)],
            Annotated[float, Strict(), Field(ge=0, lt=1)],
        ],
        Tag("<pair>"),
    ],
    Discriminator(
        _time_kind,
        custom_error_type="time",
        custom_error_message="expected a date and time of RFC 3339, or [whole seconds, fraction]",
    ),
]
"""A moment: the text of RFC 3339, or whole seconds since 1970 with a fraction. Kept as written, so nothing is lost."""


def moment(time: Time) -> datetime:
    """Turn a recorded time into a `datetime` in UTC, to the microsecond.

    Args:
        time: The time as recorded.

    Returns:
        The moment; a leap second counts as the second before it.
    """
    if isinstance(time, str):
        whole, fraction, zone = _RFC_3339_PARTS.fullmatch(time.upper()).groups()  # type: ignore[union-attr]
        start = datetime.fromisoformat(whole.replace(":60", ":59") + zone).astimezone(UTC)
    else:
        start, fraction = _EPOCH + timedelta(seconds=time[0]), time[1]
    return start.replace(microsecond=min(round(float(fraction or 0) * 1_000_000), 999_999))
