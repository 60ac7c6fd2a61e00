"""The steps of an explanation: complete, in keeping with the verdict, and as cheap as pairing can be."""

from __future__ import annotations

import time
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.matching.strategies import EXACT_POLICIES, MODES, POLICIES, REPEATS, pairs
from trajectory import ArgumentPolicy, MatchMode, ToolCall
from trajectory.matching import MARKERS, StepKind, match_trajectory
from trajectory.matching.cheapest import cheapest_pairing
from trajectory.matching.in_order import pairs_in_order
from trajectory.matching.prepared import Preparation

if TYPE_CHECKING:
    from trajectory.matching import TrajectoryMatch

SANE = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def letters(text: str) -> list[dict[str, Any]]:
    return [{"name": "f", "arguments": {"letter": letter}} for letter in text]


def pattern(expected: str, actual: str, mode: str = "STRICT", **options: Any) -> str:
    """Write the steps of a match as text: ``1=1`` same, ``1~2`` differs, ``1^2`` out of order, ``-1``, ``+1``."""
    signs = {StepKind.SAME: "=", StepKind.DIFFERS: "~", StepKind.OUT_OF_ORDER: "^"}
    match = match_trajectory(letters(expected), letters(actual), mode, **options)
    return " ".join(
        f"-{step.expected_index}"
        if step.actual_index is None
        else f"+{step.actual_index}"
        if step.expected_index is None
        else f"{step.expected_index}{signs[step.kind]}{step.actual_index}"
        for step in match.steps
    )


@pytest.mark.parametrize(
    ("expected", "actual", "steps"),
    [
        ("", "", ""),
        ("abc", "abc", "0=0 1=1 2=2"),
        ("abc", "axbc", "0=0 +1 1=2 2=3"),
        ("abc", "ac", "0=0 -1 2=1"),
        ("abc", "axc", "0=0 1~1 2=2"),
        ("ab", "ba", "0=1 1^0"),
        ("abcd", "bcda", "0^3 1=0 2=1 3=2"),
        ("ab", "aab", "0=0 +1 1=2"),
        ("aab", "ab", "0=0 -1 2=1"),
        ("aab", "abb", "0=0 1~1 2=2"),
        ("ab", "", "-0 -1"),
        ("", "ab", "+0 +1"),
        ("a" * 3, "a" * 4, "0=0 1=1 2=2 +3"),
    ],
)
def test_steps_in_order(expected: str, actual: str, steps: str) -> None:
    assert pattern(expected, actual) == steps


@pytest.mark.parametrize(
    ("expected", "actual", "steps"),
    [
        ("ab", "ba", "0=1 1=0"),
        ("abc", "cxa", "0=2 1~1 2=0"),
        ("ab", "abc", "0=0 1=1 +2"),
        ("abc", "ca", "0=1 -1 2=0"),
    ],
)
def test_steps_without_order(expected: str, actual: str, steps: str) -> None:
    assert pattern(expected, actual, "UNORDERED") == steps


def test_repeats_that_are_ignored_make_no_step() -> None:
    assert pattern("aab", "abb", repeats="ignore") == "0=0 2=1"
    assert pattern("ab", "aabb", repeats="ignore") == "0=0 1=2"


def test_a_partner_may_serve_several_calls_where_repeats_are_ignored() -> None:
    expected = [{"name": "f", "arguments": {"a": 1, "b": 2}}]
    actual = [{"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {"b": 2}}]
    match = match_trajectory(expected, actual, "SUBSET", ArgumentPolicy(policy="subset"), "ignore")
    assert match.passed
    assert [(step.kind, step.breach) for step in match.steps] == [(StepKind.SAME, False)] * 2


def test_a_call_is_shown_against_its_closest_counterpart() -> None:
    one, two = "the quick brown fox jumps over the lazy dog", "pack my box with five dozen liquor jugs"
    expected = [{"name": "note", "arguments": {"text": text}} for text in (one, two)]
    actual = [{"name": "note", "arguments": {"text": text}} for text in (two.replace("five", "six"), one + "!")]
    steps = match_trajectory(expected, actual).steps
    assert [(step.expected_index, step.actual_index) for step in steps] == [(0, 1), (1, 0)]


def test_a_renamed_tool_is_shown_as_one_difference() -> None:
    arguments = {"city": "Oslo", "nights": 3}
    step, *rest = match_trajectory(
        [{"name": "search", "arguments": arguments}], [{"name": "lookup", "arguments": arguments}]
    ).steps
    assert (step.kind, step.differences, rest) == (StepKind.DIFFERS, (), [])


def test_calls_that_have_nothing_in_common_are_not_shown_as_a_pair() -> None:
    steps = match_trajectory(
        [{"name": "search", "arguments": {"city": "Oslo"}}], [{"name": "pay", "arguments": {"sum": 3}}]
    ).steps
    assert [step.kind for step in steps] == [StepKind.MISSING, StepKind.UNEXPECTED]


@pytest.mark.parametrize(
    ("mode", "missing", "unexpected"),
    [
        ("STRICT", True, True),
        ("IN_ORDER", True, False),
        ("UNORDERED", True, True),
        ("SUBSET", False, True),
        ("SUPERSET", True, False),
    ],
)
def test_what_the_mode_minds(mode: str, missing: bool, unexpected: bool) -> None:  # noqa: FBT001 - a table
    assert match_trajectory(letters("a"), [], mode).steps[0].breach is missing
    assert match_trajectory([], letters("a"), mode).steps[0].breach is unexpected


def check_complete(match: TrajectoryMatch, *, every_call: bool) -> None:
    expected = [step.expected_index for step in match.steps if step.expected_index is not None]
    actual = [step.actual_index for step in match.steps if step.actual_index is not None]
    assert expected == sorted(expected)
    if every_call:
        assert expected == list(range(len(match.expected)))
        assert sorted(actual) == list(range(len(match.actual)))
    for step in match.steps:
        assert step.expected is None or step.expected is match.expected[step.expected_index or 0]
        assert step.actual is None or step.actual is match.actual[step.actual_index or 0]


@SANE
@given(pairs(malformed=True), MODES, POLICIES, REPEATS)
def test_the_steps_say_what_the_verdict_says(
    sides: tuple[list[ToolCall], list[ToolCall]], mode: MatchMode, policy: ArgumentPolicy, repeats: Any
) -> None:
    match = match_trajectory(*sides, mode, policy, repeats)
    check_complete(match, every_call=repeats == "count")
    assert match.passed is not any(step.breach for step in match.steps)
    assert match.steps == match_trajectory(*sides, mode, policy, repeats).steps


@SANE
@given(pairs(malformed=True), MODES, POLICIES)
def test_only_pairs_that_differ_show_differences(
    sides: tuple[list[ToolCall], list[ToolCall]], mode: MatchMode, policy: ArgumentPolicy
) -> None:
    for step in match_trajectory(*sides, mode, policy).steps:
        if step.kind is StepKind.DIFFERS:
            assert step.expected
            assert step.actual
            assert step.differences or step.expected.name != step.actual.name
        else:
            assert not step.differences


@SANE
@given(pairs(), EXACT_POLICIES)
def test_as_many_calls_in_order_as_there_can_be(
    sides: tuple[list[ToolCall], list[ToolCall]], policy: ArgumentPolicy
) -> None:
    preparation = Preparation(policy)
    expected, actual = ([preparation.prepare(call) for call in side] for side in sides)
    pairs = list(pairs_in_order(expected, actual).items())
    assert all(expected[i].key == actual[j].key for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({j for _, j in pairs}) == len(pairs)
    assert len(pairs) == _longest_common(expected, actual)


def _longest_common(one: list[Any], other: list[Any]) -> int:
    if not one or not other:
        return 0
    if one[0].key == other[0].key:
        return 1 + _longest_common(one[1:], other[1:])
    return max(_longest_common(one[1:], other), _longest_common(one, other[1:]))


@SANE
@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.integers(rows, 5).flatmap(
            lambda columns: st.lists(
                st.lists(st.integers(0, 9), min_size=columns, max_size=columns), min_size=rows, max_size=rows
            )
        )
    )
)
def test_the_cheapest_pairing(costs: list[list[int]]) -> None:
    columns = cheapest_pairing(costs)
    assert len(set(columns)) == len(costs)
    least = min(
        sum(row[column] for row, column in zip(costs, choice, strict=True))
        for choice in permutations(range(len(costs[0])), len(costs))
    )
    assert sum(row[column] for row, column in zip(costs, columns, strict=True)) == least


def test_nothing_to_pair() -> None:
    assert cheapest_pairing([]) == []


SIZE = 5_000
MANY = [ToolCall(name="search", arguments={"query": f"text {n}", "page": n}) for n in range(SIZE)]
SHAPES = {
    "reversed": MANY[::-1],
    "different": [ToolCall(name="search", arguments={"query": f"other {n}", "page": -n}) for n in range(SIZE)],
    "repeated": [MANY[7]] * SIZE,
    "shifted": [*MANY[1:], MANY[0]],
}


@pytest.mark.parametrize("mode", [MatchMode.STRICT, MatchMode.SUBSET])
@pytest.mark.parametrize("shape", SHAPES)
def test_explaining_five_thousand_calls_stays_quick(mode: MatchMode, shape: str) -> None:
    expected, actual = MANY, SHAPES[shape]
    match = match_trajectory(expected, actual, mode)
    start = time.process_time()
    text = match.explain()
    assert time.process_time() - start < 1.5, "under a second on a machine that does nothing else"
    assert len(text.splitlines()) < 250
    if shape == "reversed":
        assert f"{SIZE}" in text


def test_the_report_says_what_it_left_out() -> None:
    expected = [ToolCall(name="f", arguments={"n": n}) for n in range(400)]
    text = match_trajectory(expected, [ToolCall(name="g", arguments={"m": n}) for n in range(400)]).explain()
    assert "more calls are left out: " in text.splitlines()[-2]
    assert "only the first 60 calls of each side that found no partner were compared" in text.splitlines()[-1]


def test_every_line_begins_with_a_marker() -> None:
    text = match_trajectory(letters("abcde"), letters("acbxf")).explain()
    assert {line[:2] for line in text.splitlines()[1:]} <= set(MARKERS.values())
    assert set(MARKERS) == set(StepKind)
