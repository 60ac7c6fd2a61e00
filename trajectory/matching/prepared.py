"""Calls made ready for comparison: what depends on one call alone is worked out once per call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajectory.conversation import MalformedArguments, NotRecorded, ToolCall
from trajectory.json_values import NotJson, describe
from trajectory.matching.acceptance import accepts_value
from trajectory.matching.equality import canonical_key, fold
from trajectory.matching.ignored_paths import PathTree, path_tree, without

if TYPE_CHECKING:
    from collections.abc import Hashable

    from trajectory.conversation import Arguments
    from trajectory.json_values import JsonObject
    from trajectory.settings import ArgumentPolicy, ToolPolicy


@dataclass(frozen=True, slots=True)
class Rules:
    """How the calls of one tool are compared.

    Attributes:
        policy: What is in force for the tool.
        ignored: The paths that are taken out of the arguments first.
        by_key: Whether two calls agree exactly if their keys are equal.
        transitive: Whether a call accepts whatever is accepted by a call that it accepts.
    """

    policy: ToolPolicy
    ignored: PathTree
    by_key: bool
    transitive: bool


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """One call, ready to be compared.

    Attributes:
        call: The call; one whose arguments are no plain JSON has become a call with malformed arguments.
        name: The tool's name, folded where case does not matter.
        arguments: The arguments without what is ignored.
        key: Equal for calls that agree as far as equality decides; a key of its own for a call that equals nothing.
        rules: How calls of this tool are compared.
        recorded: Whether the arguments are known, or not needed.
    """

    call: ToolCall
    name: str
    arguments: Arguments
    key: Hashable
    rules: Rules
    recorded: bool

    @property
    def malformed(self) -> bool:
        """Whether the arguments are no JSON object: such a call was made and equals nothing."""
        return isinstance(self.arguments, MalformedArguments)


class Preparation:
    """Makes calls ready under one argument policy."""

    def __init__(self, arguments: ArgumentPolicy) -> None:
        """Take the policy for all tools, with what it states for single ones."""
        self._case_sensitive = arguments.case_sensitive
        self._general = _rules(arguments)
        self._tools = {
            self.name(tool): _rules(
                arguments.model_copy(update={key: getattr(stated, key) for key in stated.model_fields_set})
            )
            for tool, stated in arguments.tools.items()
        }

    def name(self, name: str) -> str:
        """Return the name of a tool as it is compared."""
        return name if self._case_sensitive else fold(name)

    def prepare(self, call: ToolCall) -> PreparedCall:
        """Make one call ready.

        Args:
            call: The call.

        Returns:
            The prepared call; never raises, whatever the call was built of.
        """
        if type(call.name) is not str:
            call = _malformed(call.model_copy(update={"name": describe(call.name)}), "the name is no string")
        name = self.name(call.name)
        rules = self._tools.get(name, self._general)
        if isinstance(call.arguments, NotRecorded):
            needed = rules.policy.policy != "ignore"
            return PreparedCall(call, name, call.arguments, object() if needed else name, rules, recorded=not needed)
        try:
            arguments, key = _ready(call.arguments, name, rules)
        except NotJson as problem:
            call = call if isinstance(call.arguments, MalformedArguments) else _malformed(call, str(problem))
            return PreparedCall(call, name, call.arguments, object(), rules, recorded=True)
        return PreparedCall(call, name, arguments, key, rules, recorded=True)


def _rules(policy: ToolPolicy) -> Rules:
    literal = not policy.tolerance and not policy.matchers
    by_key = policy.policy == "ignore" or (policy.policy == "exact" and literal)
    return Rules(policy, path_tree(policy.ignore_paths), by_key=by_key, transitive=literal)


def _ready(arguments: object, name: str, rules: Rules) -> tuple[JsonObject, Hashable]:
    """Return the arguments that are compared, and their key."""
    if not isinstance(arguments, dict):
        raise NotJson("", f"{describe(arguments)} is not an object")
    key = canonical_key(arguments, case_sensitive=rules.policy.case_sensitive)
    if rules.policy.policy == "ignore":
        return arguments, name
    if not rules.ignored:
        return arguments, (name, key)
    rest: JsonObject = without(arguments, rules.ignored)
    return rest, (name, canonical_key(rest, case_sensitive=rules.policy.case_sensitive))


def _malformed(call: ToolCall, reason: str) -> ToolCall:
    return call.model_copy(update={"arguments": MalformedArguments(text="", reason=reason)})


def accepts(expected: PreparedCall, actual: PreparedCall) -> bool:
    """Tell whether an expected call surely accepts an actual one, whatever was not recorded.

    Args:
        expected: The expected call.
        actual: The actual call.

    Returns:
        Whether it does; malformed arguments are never accepted.
    """
    if expected.name != actual.name or expected.malformed or actual.malformed:
        return False
    policy = expected.rules.policy
    if not (expected.recorded and actual.recorded):
        # No arguments are a subset of any, and of no arguments any are a superset.
        empty_side = {"subset": actual, "superset": expected}.get(policy.policy)
        return empty_side is not None and empty_side.arguments == {}
    if expected.key == actual.key and not policy.matchers:
        return True
    return not expected.rules.by_key and accepts_value(expected.arguments, actual.arguments, policy)


def may_accept(expected: PreparedCall, actual: PreparedCall) -> bool:
    """Tell whether an expected call could accept an actual one, had all arguments been recorded.

    Args:
        expected: The expected call.
        actual: The actual call.

    Returns:
        Whether it does, or could.
    """
    if expected.recorded and actual.recorded:
        return accepts(expected, actual)
    return expected.name == actual.name and not expected.malformed and not actual.malformed
