"""List every place in the arguments of two calls where the actual one is not what the expected one accepts.

The walk is our own and not deepdiff's: deepdiff compares the items of arrays with Python's ``==`` (``[true]`` and
``[1]`` do not differ for it), and words an object taken out of the middle of an array as a change of all that follow.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from trajectory.conversation import MalformedArguments
from trajectory.errors import nearest
from trajectory.matching.acceptance import accepts_scalar, accepts_value, missing_keys, surplus_keys
from trajectory.matching.equality import canonical_key
from trajectory.matching.hints import hint
from trajectory.matching.ignored_paths import join_pointer
from trajectory.matching.schemas import is_matcher, matcher_accepts, why_not
from trajectory.matching.steps import ABSENT, Difference
from trajectory.matching.values import quoted

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.matching.prepared import PreparedCall
    from trajectory.matching.steps import Side
    from trajectory.settings import ToolPolicy

DIFFERENCES_LISTED: Final = 200
"""How many differences of one pair of calls are listed."""

_ITEMS_ALIGNED: Final = 300
"""Up to this many items, arrays are aligned; longer ones are compared item by item."""

_KEYS_SEARCHED: Final = 50

Steps: TypeAlias = tuple[object, ...]


class _Pair(NamedTuple):
    steps: Steps
    expected: JsonValue
    actual: JsonValue


def differences(expected: PreparedCall, actual: PreparedCall) -> tuple[Difference, ...]:
    """List the differences between the arguments of two calls.

    Args:
        expected: The expected call.
        actual: The actual call.

    Returns:
        The differences in the order of the document, at most `DIFFERENCES_LISTED`. None for two calls of which one
        accepts the other.
    """
    if not (isinstance(expected.arguments, dict) and isinstance(actual.arguments, dict)):
        return _incomparable(expected, actual)
    policy = expected.rules.policy
    if policy.policy == "ignore":
        return ()
    return walk(expected.arguments, actual.arguments, policy)


def _incomparable(expected: PreparedCall, actual: PreparedCall) -> tuple[Difference, ...]:
    """Show arguments that are no JSON object, or were not recorded."""
    if not (expected.malformed or actual.malformed) and expected.recorded and actual.recorded:
        return ()
    reasons = [call.arguments.reason for call in (expected, actual) if isinstance(call.arguments, MalformedArguments)]
    return (Difference("", expected.arguments, actual.arguments, "; ".join(dict.fromkeys(reasons))),)


def walk(expected: JsonValue, actual: JsonValue, policy: ToolPolicy) -> tuple[Difference, ...]:
    """List the differences between two JSON values.

    Args:
        expected: The expected value.
        actual: The actual value.
        policy: The policy of the tool.

    Returns:
        The differences, at most `DIFFERENCES_LISTED`.
    """
    found: list[Difference] = []
    pending: list[_Pair | Difference] = [_Pair((), expected, actual)]
    while pending and len(found) < DIFFERENCES_LISTED:
        item = pending.pop()
        if isinstance(item, Difference):
            found.append(item)
        else:
            pending.extend(reversed(_compare(item, policy)))
    return tuple(found)


def _compare(pair: _Pair, policy: ToolPolicy) -> list[_Pair | Difference]:
    """Take one pair apart: what differs for certain, and what is still to be compared."""
    steps, expected, actual = pair
    if policy.matchers and is_matcher(expected):
        accepted = matcher_accepts(expected, actual)
        return [] if accepted else [Difference(join_pointer(steps), expected, actual, why_not(expected, actual))]
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _compare_objects(pair, policy)
    if isinstance(expected, list) and isinstance(actual, list):
        return _compare_arrays(pair, policy)
    if accepts_scalar(expected, actual, policy):
        return []
    return [Difference(join_pointer(steps), expected, actual, hint(expected, actual))]


def _compare_objects(pair: _Pair, policy: ToolPolicy) -> list[_Pair | Difference]:
    steps, expected, actual = pair
    missing, surplus = set(missing_keys(expected, actual, policy)), surplus_keys(expected, actual, policy)
    parts: list[_Pair | Difference] = []
    for key, value in expected.items():
        if key in missing:
            parts.append(Difference(join_pointer((*steps, key)), value, ABSENT, _other_key(key, actual, expected)))
        elif key in actual:
            parts.append(_Pair((*steps, key), value, actual[key]))
    return parts + [Difference(join_pointer((*steps, key)), ABSENT, actual[key]) for key in surplus]


def _other_key(key: str, actual: JsonObject, expected: JsonObject) -> str:
    """Name the key that stands there instead, if one looks as if it did."""
    others = [other for other in actual if other not in expected]
    guess = nearest(key, others[:_KEYS_SEARCHED]) if others else None
    return f"there is {quoted(guess)}" if guess else ""


def _compare_arrays(pair: _Pair, policy: ToolPolicy) -> list[_Pair | Difference]:
    """Compare item by item, unless more items agree when some are taken as inserted or removed."""
    _, expected, actual = pair
    if accepts_value(expected, actual, policy):
        return []
    keys, other_keys = [canonical_key(item) for item in expected], [canonical_key(item) for item in actual]
    in_place = sum(key == other for key, other in zip(keys, other_keys, strict=False))
    if max(len(keys), len(other_keys)) <= _ITEMS_ALIGNED:
        matcher = SequenceMatcher(None, keys, other_keys, autojunk=False)
        if sum(block.size for block in matcher.get_matching_blocks()) > in_place:
            blocks = [(block[1:]) for block in matcher.get_opcodes() if block[0] != "equal"]
            return [part for block in blocks for part in _compare_items(pair, *block)]
    return _compare_items(pair, 0, len(expected), 0, len(actual))


def _compare_items(pair: _Pair, start: int, end: int, other_start: int, other_end: int) -> list[_Pair | Difference]:
    """Compare a stretch of one array with a stretch of the other; what one has more than the other is left over."""
    steps, expected, actual = pair
    both = min(end - start, other_end - other_start)
    pairs = [_Pair((*steps, start + i), expected[start + i], actual[other_start + i]) for i in range(both)]
    gone = [_left_over(steps, i, expected[i], ABSENT, "item missing") for i in range(start + both, end)]
    new = [_left_over(steps, i, ABSENT, actual[i], "item added") for i in range(other_start + both, other_end)]
    return [*pairs, *gone, *new]


def _left_over(steps: Steps, index: int, expected: Side, actual: Side, reason: str) -> Difference:
    return Difference(join_pointer((*steps, index)), expected, actual, reason)
