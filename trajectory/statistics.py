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
