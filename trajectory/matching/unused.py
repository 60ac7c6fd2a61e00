"""Find what an argument policy states and nothing uses: a misspelt tool or path would else go unnoticed."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trajectory.errors import did_you_mean
from trajectory.matching.ignored_paths import ANY_STEP, split_pointer
from trajectory.matching.prepared import Preparation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.conversation import ToolCall
    from trajectory.json_values import JsonValue
    from trajectory.matching.prepared import PreparedCall
    from trajectory.settings import ArgumentPolicy


def unused_settings(
    arguments: ArgumentPolicy, trajectories: Iterable[Iterable[ToolCall]], *, ignore_tools: Iterable[str] = ()
) -> tuple[str, ...]:
    """List what a policy states and no call uses.

    Args:
        arguments: The argument policy.
        trajectories: The calls of all traces to which it applies, expected and actual ones.
        ignore_tools: The names and patterns of tools that are ignored.

    Returns:
        One sentence each, to be shown as a warning; nothing where there are no calls at all.
    """
    preparation = Preparation(arguments)
    calls = [preparation.prepare(call) for trajectory in trajectories for call in trajectory]
    return tuple(_unused(arguments, preparation, calls, tuple(ignore_tools))) if calls else ()


def _unused(
    arguments: ArgumentPolicy, preparation: Preparation, calls: Sequence[PreparedCall], ignore_tools: Sequence[str]
) -> Iterator[str]:
    names = {call.name: call.call.name for call in calls}
    for tool in arguments.tools:
        if preparation.name(tool) not in names:
            yield _with_hint(
                f"arguments.tools names the tool {tool!r}, which no recorded call uses", tool, names.values()
            )
    for pattern in ignore_tools:
        if not any(fnmatchcase(name, preparation.name(pattern)) for name in names):
            yield _with_hint(f"ignore_tools names {pattern!r}, which no recorded call uses", pattern, names.values())
    own = {
        preparation.name(tool): tool
        for tool, policy in arguments.tools.items()
        if "ignore_paths" in policy.model_fields_set
    }
    yield from _unused_paths("arguments.ignore_paths", arguments.ignore_paths, [c for c in calls if c.name not in own])
    for name, tool in own.items():
        where = f"arguments.tools.{tool}.ignore_paths"
        yield from _unused_paths(where, arguments.tools[tool].ignore_paths, [c for c in calls if c.name == name])


def _with_hint(warning: str, word: str, names: Iterable[str]) -> str:
    hint = did_you_mean(word, names)
    return f"{warning} ({hint})" if hint else warning


def _unused_paths(where: str, paths: Iterable[str], calls: Sequence[PreparedCall]) -> Iterator[str]:
    for path in paths:
        if calls and not any(_leads_somewhere(split_pointer(path), call.call.arguments) for call in calls):
            yield f"{where} names {path}, which no recorded call has"


def _leads_somewhere(steps: Sequence[str], value: JsonValue) -> bool:
    """Follow a path, level by level, along every branch that fits."""
    here = [value]
    for step in steps:
        branches = [_branches(item) for item in here]
        here = [item for branch in branches for key, item in branch.items() if step in {ANY_STEP, key}]
    return bool(here)


def _branches(value: JsonValue) -> dict[str, JsonValue]:
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    return value if isinstance(value, dict) else {}
