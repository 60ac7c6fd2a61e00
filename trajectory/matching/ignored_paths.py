"""Take out of arguments what is not to be compared, named by JSON Pointers (RFC 6901) in which ``*`` is any step."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from trajectory.json_values import escape_token
from trajectory.matching.schemas import is_matcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajectory.json_values import JsonValue

PathTree: TypeAlias = "dict[str, PathTree | None]"
"""Paths as a tree of steps; ``None`` is the end of one: what stands there is taken out."""

ANY_STEP = "*"


def split_pointer(pointer: str) -> list[str]:
    """Split a JSON Pointer into its steps."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def join_pointer(steps: Iterable[object]) -> str:
    """Write steps as a JSON Pointer."""
    return "".join(f"/{escape_token(step)}" for step in steps)


def path_tree(pointers: Iterable[str]) -> PathTree:
    """Arrange JSON Pointers as a tree.

    Args:
        pointers: The pointers; one that leads through another one adds nothing.

    Returns:
        The tree.
    """
    tree: PathTree = {}
    for pointer in pointers:
        *steps, last = split_pointer(pointer)
        branch: PathTree | None = tree
        for step in steps:
            branch = branch.setdefault(step, {}) if branch is not None else None
        if branch is not None:
            branch[last] = None
    return tree


def without(value: JsonValue, *trees: PathTree) -> JsonValue:
    """Copy a JSON value without what the paths name.

    Args:
        value: The value; it stays as it is.
        *trees: The paths from here on.

    Returns:
        The rest of the value; parts that no path leads into are shared. A matcher is one value: no path leads into it.
    """
    if isinstance(value, dict) and not is_matcher(value):
        return {key: part for key, item in value.items() for part in _part(item, key, trees)}
    if isinstance(value, list):
        return [part for index, item in enumerate(value) for part in _part(item, str(index), trees)]
    return value


def _part(value: JsonValue, step: str, trees: Sequence[PathTree]) -> list[JsonValue]:
    """Return what is left of one item: nothing, or a list of one value."""
    onward: list[PathTree] = []
    for tree in trees:
        for spelling in {step, ANY_STEP} & tree.keys():
            branch = tree[spelling]
            if branch is None:
                return []
            onward.append(branch)
    return [without(value, *onward) if onward else value]
