"""Why a turn has no result, in words for people who look for the bug in their agent."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trajectory.errors import TrajectoryError
from trajectory.json_values import shorten

_OWN_CODE: Final = str(Path(__file__).parent.parent) + os.sep
_MACHINERY: Final = frozenset({"asyncio", "importlib"})
_FRAMES_SHOWN: Final = 3
_MESSAGE_SHOWN: Final = 2000


@dataclass(frozen=True, slots=True)
class AgentFailure:
    """Why a turn could not be evaluated.

    Attributes:
        text: What happened, at most some 2,000 characters of it.
        details: Where it happened and what it came from, line by line.
        exception: What was raised, if anything was.
    """

    text: str
    details: tuple[str, ...] = ()
    exception: BaseException | None = None

    @classmethod
    def of(cls, exception: BaseException) -> AgentFailure:
        """Describe an exception: the agent's own by name and place, one of this package by its text alone."""
        if isinstance(exception, TrajectoryError):
            return cls(_message(exception), exception=exception)
        return cls(f"the agent raised {_named(exception)}", tuple(_details(exception)), exception)

    @classmethod
    def of_giving_up(cls, exception: BaseException) -> AgentFailure:
        """Describe a turn that somebody else gave up on, such as a test runner with a time limit of its own."""
        return cls(f"given up on: {_named(exception)}", exception=exception)

    @classmethod
    def of_timeout(cls, seconds: float) -> AgentFailure:
        """Describe a turn that took too long."""
        return cls(f"the agent did not answer within {seconds:g} s (--turn-timeout)")


def _named(exception: BaseException) -> str:
    message = _message(exception)
    return f"{type(exception).__name__}: {message}" if message else type(exception).__name__


def _message(exception: BaseException) -> str:
    try:
        return shorten(str(exception), _MESSAGE_SHOWN)
    except BaseException as problem:  # noqa: BLE001 - an agent's exception may do anything in its str
        return f"<its text raises {type(problem).__name__}>"


def _details(exception: BaseException) -> list[str]:
    lines = [_frame(frame) for frame in _agent_frames(exception)[-_FRAMES_SHOWN:]]
    if isinstance(exception, BaseExceptionGroup):
        lines += [f"one of them: {_named(inner)}" for inner in exception.exceptions[:_FRAMES_SHOWN]]
    cause = exception.__cause__ or (None if exception.__suppress_context__ else exception.__context__)
    if cause is not None:
        lines.append(f"caused by {_named(cause)}")
        lines += [_frame(frame) for frame in _agent_frames(cause)[-1:]]
    return lines


def _agent_frames(exception: BaseException) -> list[traceback.FrameSummary]:
    frames = traceback.extract_tb(exception.__traceback__)
    mine = [frame for frame in frames if not frame.filename.startswith(_OWN_CODE) and _is_code(frame)]
    return mine or list(frames)


def _is_code(frame: traceback.FrameSummary) -> bool:
    """Tell frames that a person can open from those of the event loop and of Python's import."""
    return _MACHINERY.isdisjoint(Path(frame.filename).parts) and not frame.filename.startswith("<frozen")


def _frame(frame: traceback.FrameSummary) -> str:
    try:
        path = Path(frame.filename).relative_to(Path.cwd())
    except (ValueError, OSError):  # elsewhere, or the working folder is gone
        path = Path(frame.filename)
    return f"at {path}:{frame.lineno} in {frame.name}" + (f": {frame.line}" if frame.line else "")
