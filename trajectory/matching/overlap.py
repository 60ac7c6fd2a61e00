"""How much of two trajectories is the same, whatever the match mode and the order: the ground of precision and recall."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from trajectory.matching.assignment import UNPAIRED, maximum_matching
from trajectory.matching.modes import by_name, without_equals, without_repeats
from trajectory.matching.prepared import accepts
from trajectory.settings import MatchMode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.matching.modes import Calls
    from trajectory.settings import Repeats


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many calls of two trajectories have a partner on the other side.

    Attributes:
        expected: How many calls were expected.
        actual: How many were made.
        expected_paired: How many of the expected calls accept an actual one; each one of its own where repeats count.
        actual_paired: How many of the actual calls are accepted, likewise.
    """

    expected: int = 0
    actual: int = 0
    expected_paired: int = 0
    actual_paired: int = 0

    @classmethod
    def total(cls, parts: Iterable[Overlap]) -> Overlap:
        """Add up what several trajectories have in common, such as those of the turns of a thread."""
        known = list(parts)
        return cls(
            sum(part.expected for part in known),
            sum(part.actual for part in known),
            sum(part.expected_paired for part in known),
            sum(part.actual_paired for part in known),
        )

    @property
    def f1(self) -> Fraction:
        """The harmonic mean of precision and recall: 1 when no call was expected and none made, 0 for one empty side."""
        if not (self.expected or self.actual):
            return Fraction(1)
        if not (self.expected_paired and self.actual_paired):
            return Fraction(0)
        precision = Fraction(self.actual_paired, self.actual)
        recall = Fraction(self.expected_paired, self.expected)
        return 2 * precision * recall / (precision + recall)


def overlap(repeats: Repeats, expected: Calls, actual: Calls) -> Overlap:
    """Count the calls that have a partner.

    Args:
        repeats: ``count``: as many pairs as possible are made, each call in one at most. ``ignore``: equal calls of a
            side count once, and each has a partner that is accepted by any call of the other side.
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        The counts. Arguments that were not recorded are accepted where they surely are.
    """
    expected, actual = without_repeats(MatchMode.UNORDERED, repeats, expected, actual)
    others = by_name(actual)
    parts = [_of_tool(repeats, same, others.get(name, [])) for name, same in by_name(expected).items()]
    found = Overlap.total(parts)
    return Overlap(len(expected), len(actual), found.expected_paired, found.actual_paired)


def _of_tool(repeats: Repeats, expected: Calls, actual: Calls) -> Overlap:
    if all(call.rules.by_key and call.recorded for call in (*expected, *actual)):
        shared = (Counter(call.key for call in expected) & Counter(call.key for call in actual)).total()
        return Overlap(expected_paired=shared, actual_paired=shared)
    settled = 0
    if repeats == "count" and expected[0].rules.transitive:
        left, actual = without_equals(expected, actual, count=True)
        settled, expected = len(expected) - len(left), left
    neighbours = [[index for index, other in enumerate(actual) if accepts(call, other)] for call in expected]
    if repeats == "ignore":
        reached = {index for found in neighbours for index in found}
        return Overlap(expected_paired=sum(map(bool, neighbours)), actual_paired=len(reached))
    pairs = settled + sum(right != UNPAIRED for right in maximum_matching(neighbours, len(actual)))
    return Overlap(expected_paired=pairs, actual_paired=pairs)
