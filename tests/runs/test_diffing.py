"""Two conversations side by side."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sets import Turn, call, conversation
from trajectory import NOT_RECORDED, ArgumentPolicy, FunctionMessage, ToolCall
from trajectory.report.diff_text import thread_lines
from trajectory.runs.diffing import How, RunsDiff, diff
from trajectory.runs.sides import Conversation, conversations_of
from trajectory.runs.sides import Turn as Played

ADD = call("add", a=1)


def played(*turns: Turn) -> Conversation:
    (made,) = conversations_of([conversation("t", list(turns))])
    return made


def course(first: Conversation, second: Conversation) -> tuple[Any, ...]:
    found = diff(first, second)
    return (
        found.same,
        [(turn.number, turn.first is not None, turn.second is not None, turn.same_way) for turn in found.turns],
        found.diverges and found.diverges.number,
        found.meets and found.meets.number,
    )


ONE: Turn = ("one", [ADD])
TWO: Turn = ("two", [call("get")])
THREE: Turn = ("three", [])
OTHER: Turn = ("two", [call("put")])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([ONE, TWO], [ONE, TWO], (True, [(1, True, True, True), (2, True, True, True)], None, None)),
        ([ONE, TWO], [ONE, OTHER], (False, [(1, True, True, True), (2, True, True, False)], 2, None)),
        (
            [ONE, TWO, THREE],
            [ONE, OTHER, THREE],
            (False, [(1, True, True, True), (2, True, True, False), (3, True, True, True)], 2, 3),
        ),
        (
            [ONE, THREE],
            [ONE, TWO, THREE],
            (False, [(1, True, True, True), (2, False, True, False), (2, True, True, True)], 2, 2),
        ),
        ([ONE, TWO], [ONE], (False, [(1, True, True, True), (2, True, False, False)], 2, None)),
        ([ONE], [("uno", [ADD])], (False, [(1, True, True, False)], 1, None)),
        ([], [], (True, [], None, None)),
    ],
)
def test_where_two_part_and_where_they_meet(first: list[Turn], second: list[Turn], expected: Any) -> None:
    assert course(played(*first), played(*second)) == expected


def test_a_query_is_the_same_but_for_white_space_at_its_ends() -> None:
    assert diff(played(ONE), played((" one\n", [ADD]))).turns[0].same_query


def test_an_answer_a_result_or_an_error_that_differs_is_another_matter_than_the_way() -> None:
    def turn(**facts: Any) -> Conversation:
        return Conversation("t", (Played("q", **facts),))

    def calls(result: str | None, *, error: bool | None = None) -> tuple[ToolCall, ...]:
        given = None if result is None else FunctionMessage.of_sound(name="get", content=result, error=error)
        return (ToolCall.of_sound(name="get", arguments={}, result=given),)

    answers = diff(turn(response="a"), turn(response="b"))
    assert (answers.same, answers.diverges) == (False, None)
    assert not diff(turn(error="boom"), turn(error=None)).same
    results = diff(turn(calls=calls("1")), turn(calls=calls("2"))).turns[0]
    assert (results.same_way, results.same, len(results.other_results)) == (True, False, 1)
    assert diff(turn(calls=calls("1")), turn(calls=calls(None))).same  # not recorded tells nothing
    assert not diff(turn(calls=calls("1", error=True)), turn(calls=calls("1", error=False))).same
    assert diff(turn(calls=calls("1", error=None)), turn(calls=calls("1", error=False))).same


def test_what_two_calls_are_the_same_by_can_be_loosened() -> None:
    first, second = (
        played(("q", [call("add", a=1, at="today"), call("log")])),
        played(("q", [call("add", a=1, at="now")])),
    )
    assert not diff(first, second).same
    how = How(ArgumentPolicy(ignore_paths=("/at",)), ("log",))
    assert diff(first, second, how).turns[0].same_calls


def test_arguments_that_were_not_recorded_are_not_the_same_as_others() -> None:
    unknown = Conversation("t", (Played("q", calls=(ToolCall.of_sound(name="add", arguments=NOT_RECORDED),)),))
    found = diff(unknown, played(("q", [ADD])))
    assert not found.turns[0].same_calls
    assert any("cannot be compared" in line for line in thread_lines(found))


def test_thousands_of_turns_are_paired_by_their_position() -> None:
    many = Conversation("t", tuple(Played("go on") for _ in range(5000)))
    less = Conversation("t", many.turns[:-1])
    found = diff(many, less)
    assert (len(found.turns), found.diverges and found.diverges.number) == (5000, 5000)


TURNS = st.lists(st.sampled_from([ONE, TWO, OTHER, THREE]), max_size=6)


@given(TURNS, TURNS)
def test_every_turn_of_both_stands_in_the_diff_once_and_in_order(first: list[Turn], second: list[Turn]) -> None:
    one, other = played(*first), played(*second)
    found = diff(one, other)
    assert [turn.first for turn in found.turns if turn.first] == list(one.turns)
    assert [turn.second for turn in found.turns if turn.second] == list(other.turns)
    assert found.same == (first == second)
    assert found.same == diff(other, one).same
    assert RunsDiff("a", "b", (found,)).same == found.same


@given(TURNS)
def test_a_conversation_is_the_same_as_itself(turns: list[Turn]) -> None:
    assert diff(played(*turns), played(*turns)).same
