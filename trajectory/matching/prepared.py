"""Calls made ready for comparison: what depends on one call alone is worked out once per call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajectory.conversation import MalformedArguments, NotRecorded, ToolCall
from trajectory.json_values import NotJson, describe
from trajectory.matching.equality import Key, canonical_key, fold

if TYPE_CHECKING:
    from collections.abc import Hashable

    from trajectory.settings import ArgumentPolicy


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """One call, ready to be compared.

    Attributes:
        call: The call; one whose arguments are no plain JSON has become a call with malformed arguments.
        name: The tool's name, folded where case does not matter.
        key: Equal for calls that agree as far as equality decides; a key of its own for a call that equals nothing.
        recorded: Whether the call's arguments are known where a comparison needs them.
    """

    call: ToolCall
    name: str
    key: Hashable
    recorded: bool = True


def prepare(call: ToolCall, policy: ArgumentPolicy) -> PreparedCall:
    """Make one call ready for comparison.

    Args:
        call: The call.
        policy: The argument policy in force.

    Returns:
        The prepared call; never raises, whatever the call was built of.
    """
    if type(call.name) is not str:
        call = _malformed(call.model_copy(update={"name": describe(call.name)}), "the name is no string")
    name = call.name if policy.case_sensitive else fold(call.name)
    arguments = call.arguments
    if isinstance(arguments, NotRecorded):
        return PreparedCall(call, name, object(), recorded=False)
    if isinstance(arguments, MalformedArguments):
        return PreparedCall(call, name, object())
    try:
        key = _key(arguments, policy)
    except NotJson as problem:
        return PreparedCall(_malformed(call, str(problem)), name, object())
    return PreparedCall(call, name, (name, key))


def _key(arguments: object, policy: ArgumentPolicy) -> Key:
    if type(arguments) is not dict:  # built past validation
        raise NotJson("", f"{describe(arguments)} is not an object")
    return canonical_key(arguments, case_sensitive=policy.case_sensitive)


def _malformed(call: ToolCall, reason: str) -> ToolCall:
    return call.model_copy(update={"arguments": MalformedArguments(text="", reason=reason)})
