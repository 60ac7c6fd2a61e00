"""Pair the calls of two trajectories so that as little as possible is left to explain.

First come the calls that are accepted, as many of them in order as there can be where order counts; then those that
are accepted out of order; what is left is paired at the least cost, each call with its closest counterpart.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from trajectory.matching.assignment import UNPAIRED, maximum_matching
from trajectory.matching.cheapest import cheapest_pairing
from trajectory.matching.differences import differences
from trajectory.matching.in_order import CELLS_COMPARED, pairs_by_key, pairs_in_order
from trajectory.matching.likeness import ALONE, pairing_cost, traits
from trajectory.matching.modes import without_repeats
from trajectory.matching.prepared import accepts
from trajectory.matching.steps import Step, StepKind
from trajectory.settings import MatchMode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.matching.modes import Calls
    from trajectory.matching.prepared import PreparedCall
    from trajectory.settings import Repeats

CALLS_PAIRED: Final = 60
"""So many calls of each side that are not accepted are shown against their closest counterpart."""

_FINER: Final = 1_000
"""How much finer than one unit of cost the distance between two places is."""

_ORDERED: Final = {MatchMode.STRICT, MatchMode.IN_ORDER}
_EXTRA_ALLOWED: Final = {MatchMode.IN_ORDER, MatchMode.SUPERSET}


@dataclass(frozen=True, slots=True)
class _Row:
    """One step by its places in the lists that are aligned."""

    kind: StepKind
    expected: int | None
    actual: int | None


@dataclass(frozen=True, slots=True)
class _Pairing:
    """What has been paired so far."""

    expected: Calls
    actual: Calls
    rows: list[_Row] = field(default_factory=list)

    def add(self, kind: StepKind, pairs: Iterable[tuple[int, int]]) -> None:
        self.rows.extend(_Row(kind, index, other) for index, other in pairs)

    def left(self) -> tuple[list[int], list[int]]:
        """Return the places of the expected and of the actual calls that have no partner yet."""
        paired = {row.expected for row in self.rows}
        taken = {row.actual for row in self.rows}
        return (
            [index for index in range(len(self.expected)) if index not in paired],
            [index for index in range(len(self.actual)) if index not in taken],
        )


def align(mode: MatchMode, repeats: Repeats, expected: Calls, actual: Calls) -> tuple[Step, ...]:
    """Explain two trajectories step by step.

    Args:
        mode: The match mode.
        repeats: Where repeats do not count, the later ones of equal calls make no step.
        expected: The expected calls.
        actual: The actual calls.

    Returns:
        The steps in the order of the expected calls; calls that were not expected stand where they were made, or, where
        order does not count, at the end.
    """
    pairing = _Pairing(*without_repeats(mode, repeats, expected, actual))
    ordered = mode in _ORDERED
    if ordered:
        pairing.add(StepKind.SAME, pairs_in_order(pairing.expected, pairing.actual).items())
    pairing.add(StepKind.OUT_OF_ORDER if ordered else StepKind.SAME, _accepted(pairing))
    if repeats == "ignore" and not ordered:
        pairing.add(StepKind.SAME, _covered(pairing))
    pairing.add(StepKind.DIFFERS, _closest(pairing))
    places = {id(call): place for side in (expected, actual) for place, call in enumerate(side)}
    rows = _in_reading_order(pairing, ordered=ordered)
    return tuple(_step(row, mode, pairing, places) for row in rows)


def _accepted(pairing: _Pairing) -> Iterator[tuple[int, int]]:
    """Pair as many of the calls that are left as possible with one that they accept."""
    left, other_left = pairing.left()
    calls, others = [pairing.expected[i] for i in left], [pairing.actual[i] for i in other_left]
    if _by_key((*calls, *others)) or len(calls) * len(others) > CELLS_COMPARED:
        pairs = pairs_by_key(calls, others)
    else:
        neighbours = [[j for j, other in enumerate(others) if accepts(call, other)] for call in calls]
        matching = enumerate(maximum_matching(neighbours, len(others)))
        pairs = {i: j for i, j in matching if j != UNPAIRED}
    return ((left[i], other_left[j]) for i, j in pairs.items())


def _by_key(calls: Iterable[PreparedCall]) -> bool:
    return all(call.rules.by_key for call in calls)


def _covered(pairing: _Pairing) -> list[tuple[int, int]]:
    """Find a partner among all calls for what is left, where one partner may serve several."""
    left, other_left = pairing.left()
    if _by_key((*pairing.expected, *pairing.actual)):
        return []  # what is equal has been paired
    found = [
        (i, _first(j for j, other in enumerate(pairing.actual) if accepts(pairing.expected[i], other))) for i in left
    ]
    turned = [
        (_first(i for i, call in enumerate(pairing.expected) if accepts(call, pairing.actual[j])), j)
        for j in other_left
    ]
    return [(i, j) for i, j in (*found, *turned) if i is not None and j is not None]


def _first(places: Iterator[int]) -> int | None:
    return next(places, None)


def _closest(pairing: _Pairing) -> list[tuple[int, int]]:
    """Pair what is left so that the sum of what separates the pairs is least; near places break ties."""
    left, other_left = (places[:CALLS_PAIRED] for places in pairing.left())
    calls, others = [pairing.expected[i] for i in left], [pairing.actual[i] for i in other_left]
    one, other = [traits(call) for call in calls], [traits(call) for call in others]
    costs = [
        [
            pairing_cost(calls[i], others[j], one[i], other[j]) * _FINER + min(abs(left[i] - other_left[j]), _FINER - 1)
            for j in range(len(others))
        ]
        for i in range(len(calls))
    ]
    turned = len(calls) > len(others)
    columns = cheapest_pairing([list(column) for column in zip(*costs, strict=True)] if turned else costs)
    pairs = [(j, i) if turned else (i, j) for i, j in enumerate(columns)]
    return [(left[i], other_left[j]) for i, j in pairs if costs[i][j] < 2 * ALONE * _FINER]


def _in_reading_order(pairing: _Pairing, *, ordered: bool) -> Iterator[_Row]:
    """Sort by expected calls; let calls that were not expected stand where they were made, if order counts."""
    missing, unexpected = pairing.left()
    rows = [*pairing.rows, *(_Row(StepKind.MISSING, place, None) for place in missing)]
    waiting = deque(unexpected)
    for row in sorted(rows, key=lambda row: (row.expected or 0, row.actual or 0)):
        in_place = ordered and row.kind in {StepKind.SAME, StepKind.DIFFERS}
        while waiting and in_place and row.actual is not None and waiting[0] < row.actual:
            yield _Row(StepKind.UNEXPECTED, None, waiting.popleft())
        yield row
    for place in waiting:
        yield _Row(StepKind.UNEXPECTED, None, place)


def _step(row: _Row, mode: MatchMode, pairing: _Pairing, places: dict[int, int]) -> Step:
    expected = None if row.expected is None else pairing.expected[row.expected]
    actual = None if row.actual is None else pairing.actual[row.actual]
    return Step(
        kind=row.kind,
        expected=None if expected is None else expected.call,
        actual=None if actual is None else actual.call,
        expected_index=None if expected is None else places[id(expected)],
        actual_index=None if actual is None else places[id(actual)],
        differences=differences(expected, actual) if row.kind is StepKind.DIFFERS and expected and actual else (),
        breach=_is_breach(row.kind, mode),
    )


def _is_breach(kind: StepKind, mode: MatchMode) -> bool:
    match kind:
        case StepKind.SAME:
            return False
        case StepKind.MISSING:
            return mode is not MatchMode.SUBSET
        case StepKind.UNEXPECTED:
            return mode not in _EXTRA_ALLOWED
        case StepKind.DIFFERS | StepKind.OUT_OF_ORDER:
            return True
