"""The rules once more, as slowly and plainly as they can be said: what the matcher is compared with."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from trajectory import ArgumentPolicy, MatchMode, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.settings import ToolPolicy

    Accepts = Callable[[ToolCall, ToolCall], bool]

ASCII = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def text_equal(one: str, other: str, *, case_sensitive: bool) -> bool:
    return one == other if case_sensitive else one.translate(ASCII) == other.translate(ASCII)


def in_force(policy: ArgumentPolicy, tool: str) -> ToolPolicy:
    for name, stated in policy.tools.items():
        if text_equal(name, tool, case_sensitive=policy.case_sensitive):
            return policy.model_copy(update={key: getattr(stated, key) for key in stated.model_fields_set})
    return policy


def ignored(place: tuple[str, ...], policy: ToolPolicy) -> bool:
    """Compare a place with each pattern, step by step."""
    return any(
        len(steps) == len(place) and all(step in ("*", here) for step, here in zip(steps, place, strict=True))
        for steps in (path.split("/")[1:] for path in policy.ignore_paths)
    )


def without_ignored(value: Any, policy: ToolPolicy, place: tuple[str, ...] = ()) -> Any:
    if isinstance(value, dict):
        kept = ((key, (*place, key), item) for key, item in value.items())
        return {key: without_ignored(item, policy, here) for key, here, item in kept if not ignored(here, policy)}
    if isinstance(value, list):
        places = (((*place, str(index)), item) for index, item in enumerate(value))
        return [without_ignored(item, policy, here) for here, item in places if not ignored(here, policy)]
    return value


def near_enough(one: float, other: float, policy: ToolPolicy) -> bool:
    relative, absolute = policy.tolerance.relative, policy.tolerance.absolute
    if one == other:
        return True
    if max(abs(one), abs(other)) <= 2**53:
        return math.isclose(one, other, rel_tol=relative, abs_tol=absolute)
    a, b = Fraction(one), Fraction(other)
    return abs(a - b) <= max(Fraction(relative) * max(abs(a), abs(b)), Fraction(absolute))


def agree(one: Any, other: Any, policy: ToolPolicy) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        keys_agree = {
            "exact": one.keys() == other.keys(),
            "subset": other.keys() <= one.keys(),
            "superset": one.keys() <= other.keys(),
        }[policy.policy]
        return keys_agree and all(agree(one[key], other[key], policy) for key in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(agree(a, b, policy) for a, b in zip(one, other, strict=True))
    if isinstance(one, str) and isinstance(other, str):
        return text_equal(one, other, case_sensitive=policy.case_sensitive)
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    return isinstance(one, int | float) and isinstance(other, int | float) and near_enough(one, other, policy)


def accepting(arguments: ArgumentPolicy) -> Accepts:
    def accepts(expected: ToolCall, actual: ToolCall) -> bool:
        if not text_equal(expected.name, actual.name, case_sensitive=arguments.case_sensitive):
            return False
        if not (isinstance(expected.arguments, dict) and isinstance(actual.arguments, dict)):
            return False
        policy = in_force(arguments, expected.name)
        one, other = (without_ignored(call.arguments, policy) for call in (expected, actual))
        return policy.policy == "ignore" or agree(one, other, policy)

    return accepts


def passes(mode: MatchMode, expected: Sequence[ToolCall], actual: Sequence[ToolCall], accepts: Accepts) -> bool:
    """Try every selection and every order."""

    def in_step(some: Sequence[ToolCall], others: Sequence[ToolCall]) -> bool:
        return len(some) == len(others) and all(map(accepts, some, others))

    match mode:
        case MatchMode.STRICT:
            return in_step(expected, actual)
        case MatchMode.IN_ORDER:
            return any(in_step(expected, some) for some in combinations(actual, len(expected)))
        case MatchMode.UNORDERED:
            return any(in_step(expected, order) for order in permutations(actual))
        case MatchMode.SUBSET:
            return any(in_step(some, actual) for some in permutations(expected, len(actual)))
        case MatchMode.SUPERSET:
            return any(in_step(expected, some) for some in permutations(actual, len(expected)))
