"""The match modes: what makes a verdict of two lists of calls.

Where order does not matter and equality alone decides between the calls of a tool, counting keys gives the verdict in
linear time. Otherwise the largest one-to-one assignment does: claiming the first free partner would give wrong
verdicts.

With ``repeats="ignore"`` both sides are sets. Order then speaks of first occurrences: ``STRICT`` compares both sides
without later repeats, ``IN_ORDER`` looks for the expected calls without later repeats among all actual ones (so that
one more actual call never breaks it).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeAlias

from trajectory.matching.assignment import UNPAIRED, maximum_matching
from trajectory.matching.prepared import accepts, may_accept
from trajectory.settings import MatchMode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from trajectory.matching.prepared import PreparedCall
    from trajectory.settings import Repeats

    Calls: TypeAlias = Sequence[PreparedCall]
    Accepts: TypeAlias = Callable[[PreparedCall, PreparedCall], bool]


def verdict(mode: MatchMode, repeats: Repeats, expected: Calls, actual: Calls) -> bool | None:
    """Decide whether the actual calls are what the mode asks for.

    Arguments that were not recorded could have been anything. Where the verdict is the same whether they are accepted
    everywhere or nowhere, it stands.

    Args:
        mode: The match mode.
        repeats: Whether repeated calls count.
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        The verdict; ``None`` where it depends on arguments that were not recorded.
    """
    count = repeats == "count"
    sides = without_repeats(mode, repeats, expected, actual)
    surely = _passes(mode, *sides, accepts, count=count)
    if all(call.recorded for side in sides for call in side):
        return surely
    if count:
        return True if surely else _perhaps(mode, *sides, count=True)
    # A call that was not recorded may repeat another one, and then makes no place in the order.
    if mode is MatchMode.STRICT:
        return _perhaps(MatchMode.UNORDERED, *sides, count=False)
    return True if surely else _perhaps(MatchMode.SUPERSET if mode is MatchMode.IN_ORDER else mode, *sides, count=False)


def _perhaps(mode: MatchMode, expected: Calls, actual: Calls, *, count: bool) -> Literal[False] | None:
    """Return no verdict where the calls could pass, had all arguments been recorded."""
    return None if _passes(mode, expected, actual, may_accept, count=count) else False


def without_repeats(mode: MatchMode, repeats: Repeats, expected: Calls, actual: Calls) -> tuple[Calls, Calls]:
    """Drop the later repeats of equal calls where they do not count.

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


def _first_of_each(calls: Calls) -> Calls:
    first: dict[Hashable, PreparedCall] = {}
    for call in calls:
        first.setdefault(call.key, call)
    return list(first.values())


def _passes(mode: MatchMode, expected: Calls, actual: Calls, accepting: Accepts, *, count: bool) -> bool:
    def accepted(actual: PreparedCall, expected: PreparedCall) -> bool:
        return accepting(expected, actual)

    match mode:
        case MatchMode.STRICT:
            return len(expected) == len(actual) and all(map(accepting, expected, actual))
        case MatchMode.IN_ORDER:
            # The earliest acceptable call leaves the most for those that follow.
            rest = iter(actual)
            return all(any(accepting(call, other) for other in rest) for call in expected)
        case MatchMode.UNORDERED:
            return _all_paired(expected, actual, accepting, count=count) and (
                len(expected) == len(actual) if count else _all_paired(actual, expected, accepted, count=False)
            )
        case MatchMode.SUBSET:
            return _all_paired(actual, expected, accepted, count=count)
        case MatchMode.SUPERSET:
            return _all_paired(expected, actual, accepting, count=count)


def _all_paired(calls: Calls, others: Calls, agree: Accepts, *, count: bool) -> bool:
    """Tell whether each call finds a partner, one of its own where repeats count; partners are calls of one tool."""
    groups = by_name(others)
    return all(_tool_paired(same, groups.get(name, []), agree, count=count) for name, same in by_name(calls).items())


def _tool_paired(calls: Calls, others: Calls, agree: Accepts, *, count: bool) -> bool:
    if all(call.rules.by_key and call.recorded for call in (*calls, *others)):
        keys, other_keys = Counter(call.key for call in calls), Counter(other.key for other in others)
        return keys <= other_keys if count else keys.keys() <= other_keys.keys()
    if calls[0].rules.transitive:
        calls, others = without_equals(calls, others, count=count)
    neighbours: list[list[int]] = []
    for call in calls:
        neighbours.append([index for index, other in enumerate(others) if agree(call, other)])
        if not neighbours[-1]:
            return False
    return not count or UNPAIRED not in maximum_matching(neighbours, len(others))


def without_equals(calls: Calls, others: Calls, *, count: bool) -> tuple[Calls, Calls]:
    """Settle the calls that have an equal one on the other side.

    To pair them is never wrong where acceptance is transitive: whoever would have needed one of the two accepts, or is
    accepted by, the partner of the other one.

    Args:
        calls: The calls that look for a partner.
        others: Those among which they look.
        count: Whether each partner is taken once at most.

    Returns:
        What is left of both sides.
    """
    free = Counter(other.key for other in others)
    left: list[PreparedCall] = []
    for call in calls:
        if not free[call.key]:
            left.append(call)
        elif count:
            free[call.key] -= 1
    if not count:
        return left, others
    other_left: list[PreparedCall] = []
    for other in others:
        if free[other.key]:
            free[other.key] -= 1
            other_left.append(other)
    return left, other_left


def by_name(calls: Calls) -> dict[str, list[PreparedCall]]:
    """Group calls by the names of their tools."""
    groups: dict[str, list[PreparedCall]] = {}
    for call in calls:
        groups.setdefault(call.name, []).append(call)
    return groups
