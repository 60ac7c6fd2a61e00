"""When a request to a model's endpoint is worth another try, and how long to wait for it."""

from __future__ import annotations

import email.utils
import random
from datetime import UTC, datetime
from typing import Final

AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Statuses of requests that an endpoint could not take now."""
_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 60.0


def wait_before(attempt: int, retry_after: str = "") -> float:
    """Tell how long to wait before a request is made again.

    Args:
        attempt: How many tries there have been, from 1.
        retry_after: What the endpoint stated as ``Retry-After`` (RFC 9110, section 10.2.3): seconds, or a date.

    Returns:
        Seconds, at most 60: as stated, or else half a second that doubles with each try, a little more by chance.
    """
    return _stated(retry_after.strip()) or _FIRST_WAIT * 2 ** (attempt - 1) * (1 + random.random() / 4)  # noqa: S311


def _stated(text: str) -> float:
    if text.isdecimal():
        return min(float(text), _LONGEST_WAIT)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return min(max((until - datetime.now(UTC)).total_seconds(), 0.0), _LONGEST_WAIT)
