"""What recordings tell beside a message: when it was said, and what the request to the model took."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trajectory.conversation import Time, Usage

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS: Final = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3))


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model.

    Attributes:
        usage: What it took; ``None`` where that was not recorded.
        model: The name of the model that answered.
    """

    usage: Usage | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """A message and what stands beside it.

    Attributes:
        message: The message, in any form that the reader of chat messages understands; ``None`` for facts about the turn
            that no message carries.
        time: When it was said; of what a tool gave back, when it came.
        request: The request that it answers.
        failure: The error in which the agent's work stopped there; forgotten when it says something more in this turn.
    """

    message: object = None
    time: Time | None = None
    request: Request | None = None
    failure: str | None = None


def failed(words: object, otherwise: str, time: Time | None = None) -> Beside:
    """Say that the agent's work stopped in an error.

    Args:
        words: What was recorded of it, or an object that holds this as its message.
        otherwise: What to say where no words were recorded.
        time: When it stopped.

    Returns:
        What to put behind the last message before the error.
    """
    told = words.get("message") if isinstance(words, dict) else words
    return Beside(time=time, failure=told if isinstance(told, str) and told.strip() else otherwise)


def request_of(usage: Usage | None, model: object) -> Request:
    """Make a request of what was read; a model that is named by no text is not known."""
    return Request(usage, model if isinstance(model, str) and model else None)


def time_of(value: object) -> str | None:
    """Read a time: a date and time, or a number since 1970, whose size tells its unit.

    Args:
        value: What stands there. A date and time without a zone is taken for UTC.

    Returns:
        The time; ``None`` for what is none, for a recording is not worth less for that.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            unit = next((unit for least, unit in _UNITS if value >= least), 1)
            return (_EPOCH + timedelta(seconds=value / unit)).isoformat()
        found = datetime.fromisoformat(value)  # type: ignore[arg-type]
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (TypeError, ValueError, OverflowError):
        return None
