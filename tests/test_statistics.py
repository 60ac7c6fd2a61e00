"""The estimators against their definitions, counted out, and against a known table."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.statistics import mean, pass_all, pass_at, wilson

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
