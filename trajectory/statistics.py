"""The few numbers that repetitions and pass rates call for, each exact or not at all."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

Z_95: Final = 1.959963984540054
"""The two-sided 95 % point of the normal distribution."""


def pass_at(k: int, passed: int, runs: int) -> Fraction | None:
    """Estimate without bias how likely at least one of k runs passes.

    Args:
        k: How many runs somebody would make; at least 1.
        passed: How many of the runs that were made passed.
        runs: How many were made and have a verdict.

    Returns:
        ``1 - C(runs - passed, k) / C(runs, k)``; ``None`` when fewer than k runs have a verdict.
    """
    if runs < k:
        return None
    return 1 - Fraction(math.comb(runs - passed, k), math.comb(runs, k))


def pass_all(k: int, passed: int, runs: int) -> Fraction | None:
    """Estimate without bias how likely all of k runs pass (pass^k).

    Args:
        k: How many runs somebody would make; at least 1.
        passed: How many of the runs that were made passed.
        runs: How many were made and have a verdict.

    Returns:
        ``C(passed, k) / C(runs, k)``; ``None`` when fewer than k runs have a verdict.
    """
    if runs < k:
        return None
    return Fraction(math.comb(passed, k), math.comb(runs, k))


def mean(values: Sequence[Fraction | None]) -> Fraction | None:
    """Average values; not known when one of them is not, or when there are none."""
    known = [value for value in values if value is not None]
    return sum(known, Fraction()) / len(known) if known and len(known) == len(values) else None


def wilson(passed: int, evaluated: int, z: float = Z_95) -> tuple[float, float] | None:
    """Give the Wilson score interval of a pass rate.

    Args:
        passed: How many passed.
        evaluated: Of how many.
        z: The normal quantile; by default that of 95 %.

    Returns:
        The lower and the upper end, both in [0, 1]; ``None`` when nothing was evaluated.
    """
    if not evaluated:
        return None
    share, squared = passed / evaluated, z * z / evaluated
    centre = (share + squared / 2) / (1 + squared)
    half = z * math.sqrt(share * (1 - share) / evaluated + squared / (4 * evaluated)) / (1 + squared)
    lower = 0.0 if passed == 0 else max(0.0, centre - half)
    return lower, 1.0 if passed == evaluated else min(1.0, centre + half)


_MOST_RUNS_TRIED: Final = 1000


def at_most_by_chance(fewer: tuple[int, int], more: tuple[int, int]) -> Fraction:
    """Give the one-sided p-value of Fisher's exact test: that one side passes so seldom, or more seldom, by chance.

    Args:
        fewer: How many runs of the side that passes less often passed, and of how many.
        more: The same of the other side.

    Returns:
        The share of all ways to deal the passes out among the runs in which the first side has at most so many.
    """
    (low, size), (high, other) = fewer, more
    passes = low + high
    ways = sum(math.comb(size, k) * math.comb(other, passes - k) for k in range(max(0, passes - other), low + 1))
    return Fraction(ways, math.comb(size + other, passes))


def runs_to_tell(was: tuple[int, int], came: tuple[int, int], level: float) -> int | None:
    """Tell how many further runs would tell two sides apart, if they go on as they began.

    Args:
        was: How many of the earlier runs passed, and of how many; no more are made of these.
        came: The same of the runs that may go on.
        level: The p-value at which they are told apart.

    Returns:
        The smallest number; ``None`` when no number up to 1,000 does.
    """
    passed, runs = came
    worse = passed * was[1] <= was[0] * runs
    for total in range(runs + 1, runs + _MOST_RUNS_TRIED + 1):
        share = Fraction(passed * total, runs)
        grown = (math.floor(share) if worse else math.ceil(share), total)
        if (at_most_by_chance(grown, was) if worse else at_most_by_chance(was, grown)) <= level:
            return total - runs
    return None
