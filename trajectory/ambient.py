"""How code deep inside a test learns what the test run was told, without knowing pytest."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES: ContextVar[Callable[[], tuple[Any, Any]] | None] = ContextVar("trajectory_sources", default=None)
"""Gives the settings of the command line and those of the ini file; whoever starts a run sets it."""

JUDGES: ContextVar[Callable[[], Any] | None] = ContextVar("trajectory_judges", default=None)
"""Gives the LLM judge that the current test run configures; a `trajectory.judges.JudgeInForce`, or ``None``."""
