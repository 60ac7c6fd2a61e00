"""Matching trajectories in the worst order: the actual calls are the expected ones, reversed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.benchmarks.workloads import tool_calls
from trajectory import ArgumentPolicy, MatchMode, ToolCall, match_trajectory

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Comparison

MODES = tuple(MatchMode)


def both_sides(count: int) -> tuple[list[ToolCall], list[ToolCall]]:
    calls = [ToolCall.read(call) for call in tool_calls(count)]
    return calls, [call.model_copy() for call in reversed(calls)]


@pytest.mark.parametrize("mode", MODES)
def test_exact(compare: Comparison, mode: MatchMode) -> None:
    expected, actual = both_sides(5000)
    data = json.dumps([tool_calls(5000)] * 2).encode()
    compare(
        f"match 5,000 calls, {mode}",
        lambda: match_trajectory(expected, actual, mode),
        reference="json.loads of the same calls",
        against=lambda: json.loads(data),
        at_most=12,
    )


@pytest.mark.parametrize("mode", MODES)
def test_growth(compare: Comparison, mode: MatchMode) -> None:
    few, many = both_sides(1000), both_sides(5000)
    compare(
        f"match 5,000 calls, {mode}",
        lambda: match_trajectory(*many, mode),
        reference="1,000 calls",
        against=lambda: match_trajectory(*few, mode),
        at_most=8,  # five times the calls: what is quadratic takes 25 times as long
    )


@pytest.mark.parametrize("policy", ["ignore", "subset", "superset"])
def test_looser_policies(compare: Comparison, policy: Any) -> None:
    expected, actual = both_sides(1000)
    looser = ArgumentPolicy(policy=policy)
    compare(
        f"match 1,000 calls, UNORDERED, {policy}",
        lambda: match_trajectory(expected, actual, "UNORDERED", looser),
        reference="the exact policy",
        against=lambda: match_trajectory(expected, actual, "UNORDERED"),
        at_most=5,
        rounds=3,
    )


@pytest.mark.parametrize(("count", "rounds", "at_most"), [(1000, 3, 1 / 5), (5000, 1, 1 / 20)])
def test_agentevals(compare: Comparison, count: int, rounds: int, at_most: float) -> None:
    """Compare from plain data to the verdict, on both sides."""
    agentevals = pytest.importorskip("agentevals.trajectory.match")
    evaluate = agentevals.create_trajectory_match_evaluator(trajectory_match_mode="unordered")
    expected, actual = tool_calls(count), tool_calls(count)[::-1]
    messages, reference_messages = _messages(actual), _messages(expected)
    assert match_trajectory(expected, actual, "UNORDERED")
    compare(
        f"match {count:,} calls as plain data, UNORDERED",
        lambda: match_trajectory(expected, actual, "UNORDERED"),
        reference="agentevals, unordered",
        against=lambda: evaluate(outputs=messages, reference_outputs=reference_messages),
        at_most=at_most,
        rounds=rounds,
    )


def _messages(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    functions = [{"name": call["name"], "arguments": json.dumps(call["arguments"])} for call in calls]
    return [{"role": "assistant", "content": "", "tool_calls": [{"function": function}]} for function in functions]
