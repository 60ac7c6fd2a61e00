"""A verdict on calls of which some arguments were not recorded stands whatever they were."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.matching.strategies import MODES, POLICIES, REPEATS, pairs
from trajectory import NOT_RECORDED, ArgumentPolicy, MatchMode, ToolCall
from trajectory.matching import match_trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator

SANE = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
EXACT = ArgumentPolicy()


@st.composite
def partly_recorded(draw: st.DrawFn) -> tuple[list[ToolCall], list[ToolCall]]:
    sides = draw(pairs(max_size=3))
    calls = [call for side in sides for call in side]
    assume(calls)
    lost = draw(st.sets(st.integers(0, len(calls) - 1), min_size=1, max_size=2))
    blank = [
        call.model_copy(update={"arguments": NOT_RECORDED}) if place in lost else call
        for place, call in enumerate(calls)
    ]
    return blank[: len(sides[0])], blank[len(sides[0]) :]


def completions(sides: tuple[list[ToolCall], list[ToolCall]]) -> Iterator[list[list[ToolCall]]]:
    """Fill every gap with each of the arguments that occur, and with some that occur nowhere."""
    calls = [call for side in sides for call in side]
    gaps = [place for place, call in enumerate(calls) if call.arguments is NOT_RECORDED]
    known: list[Any] = [{}, *(call.arguments for call in calls if call.arguments is not NOT_RECORDED)]
    choices = [[*known, {"somewhere": f"else {place}"}] for place in gaps]
    for filling in product(*choices):
        filled = list(calls)
        for place, arguments in zip(gaps, filling, strict=True):
            filled[place] = calls[place].model_copy(update={"arguments": arguments})
        yield [filled[: len(sides[0])], filled[len(sides[0]) :]]


@SANE
@given(partly_recorded(), MODES, POLICIES, REPEATS)
def test_a_verdict_stands_whatever_the_arguments_were(
    sides: tuple[list[ToolCall], list[ToolCall]], mode: MatchMode, policy: ArgumentPolicy, repeats: Any
) -> None:
    match = match_trajectory(*sides, mode, policy, repeats)
    if match.undecided is None:
        for expected, actual in completions(sides):
            assert match_trajectory(expected, actual, mode, policy, repeats).passed is match.passed


@SANE
@given(partly_recorded(), MODES)
def test_where_there_is_no_verdict_the_arguments_decide(
    sides: tuple[list[ToolCall], list[ToolCall]], mode: MatchMode
) -> None:
    if match_trajectory(*sides, mode).undecided:
        verdicts = {match_trajectory(expected, actual, mode).passed for expected, actual in completions(sides)}
        assert verdicts == {True, False}
