"""The rules once more, as slowly and plainly as they can be said: what the matcher is compared with."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from trajectory import ArgumentPolicy, MatchMode, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Accepts = Callable[[ToolCall, ToolCall], bool]

ASCII = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def text_equal(one: str, other: str, *, case_sensitive: bool) -> bool:
    return one == other if case_sensitive else one.translate(ASCII) == other.translate(ASCII)


def equal(one: Any, other: Any, *, case_sensitive: bool) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            equal(one[key], other[key], case_sensitive=case_sensitive) for key in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            equal(a, b, case_sensitive=case_sensitive) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, str) and isinstance(other, str):
        return text_equal(one, other, case_sensitive=case_sensitive)
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return False


def accepting(policy: ArgumentPolicy) -> Accepts:
    def accepts(expected: ToolCall, actual: ToolCall) -> bool:
        return (
            text_equal(expected.name, actual.name, case_sensitive=policy.case_sensitive)
            and isinstance(expected.arguments, dict)
            and isinstance(actual.arguments, dict)
            and equal(expected.arguments, actual.arguments, case_sensitive=policy.case_sensitive)
        )

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
