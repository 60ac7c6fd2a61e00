"""Which adapter takes an object for an agent.

An adapter is recognised by the packages that the object's classes come from, so no framework is imported to find out.
Other distributions offer adapters as entry points of the group ``trajectory.adapters``.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajectory.replay.agents import Agent

GROUP: Final = "trajectory.adapters"
"""The group of entry points by which other distributions offer adapters: functions like `Adapter.adapt`."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter for the agents of a framework.

    Attributes:
        name: What the framework is called in messages; also the name of the extra that installs it.
        packages: The top-level packages whose objects are offered to the adapter.
        module: The module with the function ``adapt(value) -> Agent | None``, which gives ``None`` for an object of the
            framework that is no agent; and, if the framework's tools can answer from a recording,
            ``recorded_tool(tool, answer)``, which gives ``None`` for what is no tool.
        distribution: What installs the framework.
    """

    name: str
    packages: tuple[str, ...]
    module: str
    distribution: str = ""

    def adapt(self, value: Any) -> Agent | None:
        """Make an agent of an object of the framework; ``None`` where it is none.

        Raises:
            AgentError: It is one, and cannot be replayed into.
        """
        adapt: Callable[[Any], Agent | None] = importlib.import_module(self.module).adapt
        return adapt(value)


_HERE: Final = "trajectory.replay.adapters"
ADAPTERS: Final = (
    Adapter("pydantic-ai", ("pydantic_ai",), f"{_HERE}.pydantic_ai", "pydantic-ai-slim"),
    Adapter("openai-agents", ("agents",), f"{_HERE}.openai_agents", "openai-agents"),
    Adapter("langgraph", ("langgraph", "langchain", "langchain_core"), f"{_HERE}.langgraph", "langgraph"),
    Adapter("google-adk", ("google",), f"{_HERE}.google_adk", "google-adk"),
    Adapter("strands", ("strands",), f"{_HERE}.strands", "strands-agents"),
)
"""The adapters of this package."""


def adapted(value: Any) -> Agent | None:
    """Make an agent of an object that an adapter knows.

    Args:
        value: What a user gives as an agent.

    Returns:
        The agent; ``None`` when no adapter knows the object.

    Raises:
        AgentError: An adapter knows it, and it cannot be replayed into; or an adapter cannot be imported.
    """
    origins = {cls.__module__.partition(".")[0] for cls in type(value).__mro__}
    for adapter in ADAPTERS:
        if origins.intersection(adapter.packages) and (agent := _adapted_by(adapter, value)) is not None:
            return agent
    return next(filter(None, _offered(value)), None)


def _adapted_by(adapter: Adapter, value: Any) -> Agent | None:
    """Ask an adapter; an object whose classes only bear the name of a framework's package is none of its agents."""
    try:
        return adapter.adapt(value)
    except ImportError as problem:
        try:
            version = metadata.version(adapter.distribution)
        except metadata.PackageNotFoundError:
            return None
        raise AgentError(
            f"the adapter for {adapter.name} does not work with its version {version}: {problem}"
        ) from problem


def adapted_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a framework's tool so that recorded results answer.

    Args:
        tool: What may be a tool of a framework.
        answer: Gives the recorded result of a call, raises `RecordedToolError` for one that failed, or raises `GoLive`
            where the tool itself is to be called.

    Returns:
        The copy; ``None`` when no adapter knows the tool.
    """
    origins = {cls.__module__.partition(".")[0] for cls in type(tool).__mro__}
    for adapter in ADAPTERS:
        if origins.intersection(adapter.packages):
            copy = getattr(importlib.import_module(adapter.module), "recorded_tool", None)
            if copy is not None and (made := copy(tool, answer)) is not None:
                return made
    return None


def tried() -> str:
    """Name the frameworks whose agents are known, to be said of an object that none of the adapters knows."""
    return ", ".join([adapter.name for adapter in ADAPTERS] + [point.name for point in _points()])


@lru_cache(maxsize=1)
def _points() -> tuple[Any, ...]:
    return tuple(entry_points(group=GROUP))


def _offered(value: Any) -> Iterator[Agent | None]:
    for point in _points():
        try:
            adapt = point.load()
        except Exception as problem:
            raise AgentError(f"the adapter {point.name!r} ({point.value}) cannot be imported: {problem!r}") from problem
        yield adapt(value)
