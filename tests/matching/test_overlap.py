"""How much of two trajectories is the same: precision, recall and F1 of calls."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.matching.strategies import CALLS, MALFORMED_CALLS, MODES, POLICIES
from tests.sets import call
from trajectory import ArgumentPolicy, MatchMode, ToolCall, match_trajectory
from trajectory.matching import Overlap
from trajectory.matching.prepared import Preparation, accepts

A, B, C = call("a", x=1), call("b"), call("a", x=2)


@pytest.mark.parametrize(
    ("expected", "actual", "f1"),
    [
        ([], [], Fraction(1)),
        ([A], [], Fraction(0)),
        ([], [A], Fraction(0)),
        ([A], [A], Fraction(1)),
        ([A, B], [B, A], Fraction(1)),  # the order is the mode's matter
        ([A, B], [A], Fraction(2, 3)),
        ([A], [A, B], Fraction(2, 3)),
        ([A, B], [A, C], Fraction(1, 2)),
        ([A], [A, A, A], Fraction(1, 2)),  # repeats count
        ([A, A, A], [A], Fraction(1, 2)),
        ([A], [C], Fraction(0)),
    ],
)
@pytest.mark.parametrize("mode", MatchMode)
def test_f1_in_any_mode(expected: list[Any], actual: list[Any], f1: Fraction, mode: MatchMode) -> None:
    assert match_trajectory(expected, actual, mode).overlap.f1 == f1


def test_repeats_that_do_not_count_count_once() -> None:
    assert match_trajectory([A], [A, A, B], repeats="ignore").overlap == Overlap(1, 2, 1, 1)


def test_the_policy_decides_what_is_the_same() -> None:
    loose = ArgumentPolicy(policy="superset")
    wide, narrow = call("a", x=1, y=2), call("a", x=1)
    assert match_trajectory([narrow], [wide], arguments=loose).overlap.f1 == 1
    # A greedy pairing gives the narrow expected call the only partner that the wide one could have.
    assert match_trajectory([narrow, wide], [wide, narrow], arguments=loose).overlap.f1 == 1
    assert match_trajectory([wide], [narrow], arguments=loose).overlap.f1 == 0


SIDE = st.lists(CALLS | MALFORMED_CALLS, max_size=4)


@given(SIDE, SIDE, POLICIES)
def test_no_pairing_has_more_pairs(expected: list[ToolCall], actual: list[ToolCall], policy: ArgumentPolicy) -> None:
    found = match_trajectory(expected, actual, arguments=policy).overlap
    preparation = Preparation(policy)
    ours, theirs = [[preparation.prepare(one) for one in side] for side in (expected, actual)]
    width = max(len(ours), len(theirs))
    padded = [*theirs, *[None] * (width - len(theirs))]
    best = max(
        sum(other is not None and accepts(one, other) for one, other in zip(ours, order, strict=False))
        for order in permutations(padded)
    )
    assert found == Overlap(len(expected), len(actual), best, best)


@given(SIDE, SIDE, MODES, st.sampled_from(["count", "ignore"]), POLICIES)
def test_what_passes_as_unordered_has_an_f1_of_1_and_nothing_else(
    expected: list[ToolCall], actual: list[ToolCall], mode: MatchMode, repeats: Any, policy: ArgumentPolicy
) -> None:
    unordered = match_trajectory(expected, actual, MatchMode.UNORDERED, policy, repeats)
    assert (unordered.overlap.f1 == 1) == unordered.passed
    assert match_trajectory(expected, actual, mode, policy, repeats).overlap == unordered.overlap


def test_it_is_linear_under_the_exact_policy() -> None:
    calls = [call("a", x=number) for number in range(20_000)]
    assert match_trajectory(calls, calls[::-1], MatchMode.UNORDERED).overlap.f1 == 1


def test_parts_add_up() -> None:
    total = Overlap.total([Overlap(2, 1, 1, 1), Overlap(0, 1, 0, 0), Overlap()])
    assert (total, total.f1) == (Overlap(2, 2, 1, 1), Fraction(1, 2))
