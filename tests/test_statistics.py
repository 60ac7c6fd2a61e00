"""The estimators against their definitions, counted out, and against a known table."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.statistics import at_most_by_chance, mean, pass_all, pass_at, runs_to_tell, wilson

RUNS = st.lists(st.booleans(), min_size=1, max_size=7)


@given(RUNS, st.integers(1, 8))
def test_the_estimators_are_shares_of_all_choices_of_k_runs(runs: list[bool], k: int) -> None:
    choices = list(combinations(runs, k))
    expected_any = Fraction(sum(map(any, choices)), len(choices)) if choices else None
    expected_all = Fraction(sum(map(all, choices)), len(choices)) if choices else None
    assert pass_at(k, sum(runs), len(runs)) == expected_any
    assert pass_all(k, sum(runs), len(runs)) == expected_all


def test_too_few_runs_flatter_nobody() -> None:
    assert pass_at(3, 2, 2) is None
    assert pass_all(3, 2, 2) is None
    assert mean([Fraction(1), None]) is None
    assert mean([]) is None
    assert mean([Fraction(1), Fraction(0)]) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("passed", "evaluated", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 3, 0.0615, 0.7923),
        (90, 100, 0.8256, 0.9448),
    ],
)
def test_the_interval_of_wilson(passed: int, evaluated: int, low: float, high: float) -> None:
    assert wilson(passed, evaluated) == pytest.approx((low, high), abs=1e-4)


def test_nothing_evaluated_has_no_interval() -> None:
    assert wilson(0, 0) is None


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts) or (1, 0)
    assert 0 <= low <= counts[0] / counts[1] <= high <= 1


COUNTS = st.integers(1, 12).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))


@given(COUNTS, COUNTS)
def test_the_exact_test_counts_all_ways_to_deal_out_the_passes(fewer: tuple[int, int], more: tuple[int, int]) -> None:
    passes, size, runs = fewer[0] + more[0], fewer[1], fewer[1] + more[1]
    ways = [math.comb(size, k) * math.comb(runs - size, passes - k) for k in range(min(size, passes) + 1)]
    assert at_most_by_chance(fewer, more) == Fraction(sum(ways[: fewer[0] + 1]), sum(ways))


@given(COUNTS, COUNTS)
def test_the_exact_test_agrees_with_scipy(fewer: tuple[int, int], more: tuple[int, int]) -> None:
    stats = pytest.importorskip("scipy.stats")
    table = [[fewer[0], fewer[1] - fewer[0]], [more[0], more[1] - more[0]]]
    assert float(at_most_by_chance(fewer, more)) == pytest.approx(stats.fisher_exact(table, "less").pvalue)


@pytest.mark.parametrize(("runs", "chance"), [(3, 0.05), (4, 0.014), (5, 0.004)])
def test_none_of_n_after_all_of_n(runs: int, chance: float) -> None:
    assert float(at_most_by_chance((0, runs), (runs, runs))) == pytest.approx(chance, abs=5e-4)


@given(COUNTS, COUNTS)
def test_the_number_of_runs_that_would_tell_is_the_smallest(was: tuple[int, int], came: tuple[int, int]) -> None:
    more = runs_to_tell(was, came, 0.05)
    worse = came[0] * was[1] <= was[0] * came[1]

    def chance(extra: int) -> Fraction:
        total, share = came[1] + extra, Fraction(came[0], came[1])
        grown = (math.floor(share * total) if worse else math.ceil(share * total), total)
        return at_most_by_chance(grown, was) if worse else at_most_by_chance(was, grown)

    if more is not None:
        assert chance(more) <= 0.05
    assert all(chance(extra) > 0.05 for extra in range(1, more or 5))
