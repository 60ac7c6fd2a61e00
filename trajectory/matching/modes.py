"""The match modes: what makes a verdict of two lists of calls.

Each mode exists twice. Where two calls agree exactly if their keys are equal, counting keys decides in linear time.
Where an expected call accepts actual ones in some other way, the largest one-to-one assignment decides: claiming the
first free partner would give wrong verdicts.

With ``repeats="ignore"`` both sides are sets. Order then speaks of first occurrences: ``STRICT`` compares both sides
without later repeats, ``IN_ORDER`` looks for the expected calls without later repeats among all actual ones (so that
one more actual call never breaks it).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from trajectory.matching.assignment import UNPAIRED, maximum_matching
from trajectory.settings import MatchMode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from trajectory.matching.prepared import PreparedCall
    from trajectory.settings import Repeats

    Accepts: TypeAlias = Callable[[PreparedCall, PreparedCall], bool]


def without_repeats(
    mode: MatchMode, repeats: Repeats, expected: Sequence[PreparedCall], actual: Sequence[PreparedCall]
) -> tuple[Sequence[PreparedCall], Sequence[PreparedCall]]:
    """Drop the later repeats of equal calls that do not count.

    Args:
        mode: The match mode; ``IN_ORDER`` keeps every actual call.
        repeats: Nothing is dropped where repeats count.
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        The expected and the actual calls that are left.
    """
    if repeats == "count":
        return expected, actual
    return _first_of_each(expected), actual if mode is MatchMode.IN_ORDER else _first_of_each(actual)


def _first_of_each(calls: Sequence[PreparedCall]) -> list[PreparedCall]:
    first: dict[Hashable, PreparedCall] = {}
    for call in calls:
        first.setdefault(call.key, call)
    return list(first.values())


def verdict_by_keys(mode: MatchMode, expected: Sequence[PreparedCall], actual: Sequence[PreparedCall]) -> bool:
    """Decide by counting calls with equal keys.

    Args:
        mode: The match mode.
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        Whether the actual calls pass.
    """
    expected_keys, actual_keys = [call.key for call in expected], [call.key for call in actual]
    match mode:
        case MatchMode.STRICT:
            return expected_keys == actual_keys
        case MatchMode.IN_ORDER:
            rest = iter(actual_keys)
            return all(key in rest for key in expected_keys)
        case MatchMode.UNORDERED:
            return Counter(expected_keys) == Counter(actual_keys)
        case MatchMode.SUBSET:
            return Counter(actual_keys) <= Counter(expected_keys)
        case MatchMode.SUPERSET:
            return Counter(expected_keys) <= Counter(actual_keys)


def verdict_by_acceptance(
    mode: MatchMode,
    repeats: Repeats,
    expected: Sequence[PreparedCall],
    actual: Sequence[PreparedCall],
    accepts: Accepts,
) -> bool:
    """Decide by asking which expected call accepts which actual one.

    Args:
        mode: The match mode.
        repeats: Where repeats count, each call needs a partner of its own; otherwise it needs some partner.
        expected: The expected calls.
        actual: The actual calls.
        accepts: Whether an expected call (first) accepts an actual one (second).

    Returns:
        Whether the actual calls pass.
    """
    count = repeats == "count"
    match mode:
        case MatchMode.STRICT:
            return len(expected) == len(actual) and all(map(accepts, expected, actual))
        case MatchMode.IN_ORDER:
            # The earliest acceptable call leaves the most for those that follow.
            rest = iter(actual)
            return all(any(accepts(call, other) for other in rest) for call in expected)
        case MatchMode.UNORDERED if count:
            return len(expected) == len(actual) and _all_paired(expected, actual, accepts, count=True)
        case MatchMode.UNORDERED:
            return _all_paired(expected, actual, accepts, count=False) and _all_paired(
                actual, expected, _turned(accepts), count=False
            )
        case MatchMode.SUBSET:
            return _all_paired(actual, expected, _turned(accepts), count=count)
        case MatchMode.SUPERSET:
            return _all_paired(expected, actual, accepts, count=count)


def _turned(accepts: Accepts) -> Accepts:
    return lambda actual, expected: accepts(expected, actual)


def _all_paired(
    calls: Sequence[PreparedCall], others: Sequence[PreparedCall], accepts: Accepts, *, count: bool
) -> bool:
    """Tell whether each call finds a partner; one of its own where repeats count."""
    if count and len(calls) > len(others):
        return False
    by_name: dict[str, list[int]] = {}
    for index, other in enumerate(others):
        by_name.setdefault(other.name, []).append(index)
    neighbours: list[list[int]] = []
    for call in calls:
        neighbours.append([index for index in by_name.get(call.name, ()) if accepts(call, others[index])])
        if not neighbours[-1]:
            return False
    return not count or UNPAIRED not in maximum_matching(neighbours, len(others))
