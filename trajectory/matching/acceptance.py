"""Whether an expected JSON value accepts an actual one, under the policy of one tool."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from trajectory.matching.equality import fold
from trajectory.matching.schemas import is_matcher, matcher_accepts

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.settings import Tolerance, ToolPolicy

_EXACT_IN_A_DOUBLE: Final = 2**53
_NUMBERS: Final = (int, float)  # a union would be made anew for each look


def accepts_value(expected: JsonValue, actual: JsonValue, policy: ToolPolicy) -> bool:
    """Tell whether an expected value accepts an actual one.

    Args:
        expected: The expected value; what the policy ignores is taken out already.
        actual: The actual value, likewise.
        policy: The policy of the tool.

    Returns:
        Whether it does. Takes no recursion.
    """
    pending = [(expected, actual)]
    for pair in pending:  # grows while it is walked: what differs at the top is seen before the walk into the depth
        parts = _parts(*pair, policy)
        if parts is None:
            return False
        pending += parts
    return True


def _parts(expected: JsonValue, actual: JsonValue, policy: ToolPolicy) -> list[tuple[JsonValue, JsonValue]] | None:
    """Return the pairs of parts on which acceptance depends; ``None`` where it fails already."""
    if policy.matchers and is_matcher(expected):
        return [] if matcher_accepts(expected, actual) else None
    if isinstance(expected, dict) and isinstance(actual, dict):
        if not _keys_agree(expected, actual, policy):
            return None
        return [(expected[key], actual[key]) for key in expected if key in actual]
    if isinstance(expected, list) and isinstance(actual, list):
        return list(zip(expected, actual, strict=True)) if len(expected) == len(actual) else None
    return [] if accepts_scalar(expected, actual, policy) else None


def _keys_agree(expected: JsonObject, actual: JsonObject, policy: ToolPolicy) -> bool:
    return (policy.policy == "subset" or expected.keys() <= actual.keys()) and (
        policy.policy == "superset" or actual.keys() <= expected.keys()
    )


def missing_keys(expected: JsonObject, actual: JsonObject, policy: ToolPolicy) -> list[str]:
    """List the expected keys that the actual object must have and has not."""
    return [] if policy.policy == "subset" else [key for key in expected if key not in actual]


def surplus_keys(expected: JsonObject, actual: JsonObject, policy: ToolPolicy) -> list[str]:
    """List the actual keys that the expected object does not allow."""
    return [] if policy.policy == "superset" else [key for key in actual if key not in expected]


def accepts_scalar(expected: JsonValue, actual: JsonValue, policy: ToolPolicy) -> bool:
    """Tell whether two values that are not both objects or both arrays agree."""
    if isinstance(expected, str) and isinstance(actual, str):
        return expected == actual or (not policy.case_sensitive and fold(expected) == fold(actual))
    if is_number(expected) and is_number(actual):
        return bool(expected == actual) or (bool(policy.tolerance) and close(expected, actual, policy.tolerance))
    return expected is actual and (expected is None or isinstance(expected, bool))


def is_number(value: JsonValue) -> bool:
    """Tell whether a JSON value is a number; booleans are none."""
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def close(expected: float, actual: float, tolerance: Tolerance) -> bool:
    """Tell whether two numbers lie within a tolerance, as `math.isclose` does, and exactly where doubles are too coarse."""
    if max(abs(expected), abs(actual)) <= _EXACT_IN_A_DOUBLE:
        return math.isclose(expected, actual, rel_tol=tolerance.relative, abs_tol=tolerance.absolute)
    one, other = Fraction(expected), Fraction(actual)
    allowed = max(Fraction(tolerance.relative) * max(abs(one), abs(other)), Fraction(tolerance.absolute))
    return abs(one - other) <= allowed
