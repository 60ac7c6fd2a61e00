"""Pair as many calls of two trajectories as possible that are accepted in the same order."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Final, TypeAlias

from trajectory.matching.prepared import accepts

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from trajectory.matching.prepared import PreparedCall

    Calls: TypeAlias = Sequence[PreparedCall]
    Pairs: TypeAlias = dict[int, int]

CELLS_COMPARED: Final = 90_000
"""Up to this many pairs of calls (300 by 300), the most calls in order are found exactly; beyond, by their keys."""


def pairs_in_order(expected: Calls, actual: Calls) -> Pairs:
    """Pair as many calls as possible that are accepted in the same order.

    Args:
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        The index of the actual call for the index of each expected call that has one.
    """
    whole = _subsequence(expected, actual)
    if len(whole) == len(expected):
        return whole
    start = _common_start(expected, actual)
    end = _common_start(expected[start:][::-1], actual[start:][::-1])
    middle, other_middle = expected[start : len(expected) - end], actual[start : len(actual) - end]
    small = len(middle) * len(other_middle) <= CELLS_COMPARED
    inner = _longest_common(middle, other_middle) if small else _longest_rising(pairs_by_key(middle, other_middle))
    pairs = {index: index for index in range(start)}
    pairs |= {start + index: start + other for index, other in inner.items()}
    return pairs | {len(expected) - back: len(actual) - back for back in range(end, 0, -1)}


def _subsequence(expected: Calls, actual: Calls) -> Pairs:
    """Pair each expected call with the earliest actual one that is left, as far as that goes."""
    pairs: Pairs = {}
    rest = iter(enumerate(actual))
    for index, call in enumerate(expected):
        found = next((other for other, candidate in rest if accepts(call, candidate)), None)
        if found is None:
            break
        pairs[index] = found
    return pairs


def _common_start(expected: Calls, actual: Calls) -> int:
    for index, (call, other) in enumerate(zip(expected, actual, strict=False)):
        if not accepts(call, other):
            return index
    return min(len(expected), len(actual))


def _longest_common(expected: Calls, actual: Calls) -> Pairs:
    """Find a longest common subsequence."""
    agree = [[accepts(call, other) for other in actual] for call in expected]
    longest = [[0] * (len(actual) + 1) for _ in range(len(expected) + 1)]
    for i in range(len(expected) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(actual) - 1, -1, -1):
            row[j] = max(below[j], row[j + 1], below[j + 1] + agree[i][j])
    pairs: Pairs = {}
    i = j = 0
    while i < len(expected) and j < len(actual):
        if agree[i][j]:  # to pair two that agree never costs another pair
            pairs[i] = j
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i][j + 1]:
            j += 1
        else:
            i += 1
    return pairs


def pairs_by_key(expected: Calls, actual: Calls) -> Pairs:
    """Pair calls with equal keys, first with first."""
    free: dict[Hashable, deque[int]] = defaultdict(deque)
    for other, call in enumerate(actual):
        free[call.key].append(other)
    return {index: free[call.key].popleft() for index, call in enumerate(expected) if free[call.key]}


def _longest_rising(pairs: Pairs) -> Pairs:
    """Keep as many pairs as possible of which none crosses another one (patience sorting)."""
    ends: list[int] = []
    tails: list[int] = []
    before: dict[int, int | None] = {}
    for index, other in pairs.items():
        place = bisect_left(ends, other)
        ends[place : place + 1] = [other]
        tails[place : place + 1] = [index]
        before[index] = tails[place - 1] if place else None
    kept: Pairs = {}
    last = tails[-1] if tails else None
    while last is not None:
        kept[last] = pairs[last]
        last = before[last]
    return kept
