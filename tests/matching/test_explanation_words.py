"""How single differences, values and hints are worded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matching.strategies import CALLS, JSON, MALFORMED_CALLS, MODES, near
from trajectory import ArgumentPolicy, MatchMode, ToolCall
from trajectory.json_values import printable
from trajectory.matching import ABSENT, Difference, match_trajectory
from trajectory.matching.acceptance import accepts_value
from trajectory.matching.differences import DIFFERENCES_LISTED, walk
from trajectory.matching.hints import hint
from trajectory.matching.values import brief, contrast

EXACT = ArgumentPolicy()


def places(expected: Any, actual: Any, **policy: Any) -> list[tuple[str, Any, Any]]:
    found = walk(expected, actual, ArgumentPolicy.model_validate(policy))
    return [(difference.pointer, difference.expected, difference.actual) for difference in found]


@pytest.mark.parametrize(
    ("expected", "actual", "differences"),
    [
        ({"a": 1}, {"a": 2}, [("/a", 1, 2)]),
        ({"a": 1}, {}, [("/a", 1, ABSENT)]),
        ({}, {"a": None}, [("/a", ABSENT, None)]),
        ({"a": {"b/c": {"d~e": [0, True]}}}, {"a": {"b/c": {"d~e": [0, 1]}}}, [("/a/b~1c/d~0e/1", True, 1)]),
        ([1, 2, 3], [1, 3], [("/1", 2, ABSENT)]),
        ([1, 3], [1, 2, 3], [("/1", ABSENT, 2)]),
        ([{"a": 1}, {"a": 2}], [{"a": 2}], [("/0", {"a": 1}, ABSENT)]),
        ([1, 2, 3, 4], [4, 1, 2, 3], [("/0", ABSENT, 4), ("/3", 4, ABSENT)]),
        ([1, 2], [3, 4], [("/0", 1, 3), ("/1", 2, 4)]),
        ([True, 1, 1.0], [1, 1, 1], [("/0", True, 1)]),
        ([], {}, [("", [], {})]),
        ({"a": [1]}, {"a": 1}, [("/a", [1], 1)]),
        ([[[[1]]]], [[[[2]]]], [("/0/0/0/0", 1, 2)]),
    ],
)
def test_places(expected: Any, actual: Any, differences: list[Any]) -> None:
    assert [(p, repr(e), repr(a)) for p, e, a in places(expected, actual)] == [
        (p, repr(e), repr(a)) for p, e, a in differences
    ]


def test_a_policy_decides_what_is_a_difference() -> None:
    assert places({"a": 1, "b": 2}, {"a": 1}, policy="subset") == []
    assert places({"a": 1}, {"a": 1, "b": 2}, policy="subset") == [("/b", ABSENT, 2)]
    assert places({"a": 1}, {"a": 1, "b": 2}, policy="superset") == []
    assert places({"a": 100}, {"a": 101}, tolerance=0.1) == []
    assert places({"a": "X"}, {"a": "x"}, case_sensitive=False) == []
    assert places([{}, {"a": 1}], [{"a": 1}, {"a": 1, "b": 1}], policy="superset") == []


@settings(max_examples=100, deadline=None)
@given(JSON, st.data(), st.sampled_from(["exact", "subset", "superset"]))
def test_there_are_differences_exactly_where_nothing_is_accepted(value: Any, data: st.DataObject, name: Any) -> None:
    policy = ArgumentPolicy(policy=name)
    other = data.draw(st.sampled_from([value, *near(value)]) | JSON)
    assert (walk(value, other, policy) == ()) is accepts_value(value, other, policy)


def test_very_many_differences_are_listed_up_to_a_limit() -> None:
    assert len(walk(list(range(5_000)), list(range(1, 10_000, 2)), EXACT)) == DIFFERENCES_LISTED


def test_a_nest_of_arrays_is_walked_once() -> None:
    one: Any = 1
    other: Any = 2
    for _ in range(190):
        one, other = [one], [other]
    assert [difference.pointer for difference in walk(one, other, EXACT)] == ["/0" * 190]


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        (1, True, "a boolean, not a number"),
        (True, 1, "a number, not a boolean"),
        ("1", 1, "a number, not text"),
        (1, "1", "text, not a number"),
        (None, "null", "text, not null"),
        ({}, [], "an array, not an object"),
        ({"a": 1}, '{"a": 1}', "JSON text, not the value itself"),
        ("[1]", [1], "the value itself, not JSON text"),
        ("[1", [1], "an array, not text"),
        ("Oslo", "OSLO", "differs in case only"),
        ("É", "é", "differs in case only"),
        ("a b", "a  b ", "differs in white space only"),
        ("caf\u00e9", "cafe\u0301", "the same letters, composed differently in Unicode"),
        ("Pavel", "P\u0430vel", "looks alike: U+0430 instead of U+0061"),
        ("10-12", "10\u201312", "looks alike: U+2013 instead of U+002D"),
        ("x", "x\u200b", "looks alike: U+200B at the end"),
        (0.3, 0.1 + 0.2, "differs in the last digits only"),
        (10**400, 10**400 + 1, "differs in the last digits only"),
        (1, 2, ""),
        (10**400, 1.5, ""),
        ("yes", "no", ""),
    ],
)
def test_hints(expected: Any, actual: Any, said: str) -> None:
    assert hint(expected, actual) == said


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_everything_that_is_shown_prints(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    shown.encode()


@settings(max_examples=100, deadline=None)
@given(JSON, st.integers(10, 60))
def test_a_brief_value_fits(value: Any, width: int) -> None:
    assert len(brief(value, width)) <= width
    assert brief(value, width).isprintable()


TEXTS = st.text(alphabet='ab\x00\u202e"\\ é', max_size=120)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, st.text(alphabet="abc\x00", max_size=100), st.integers(30, 80))
def test_a_contrast_never_hides_the_difference(start: str, end: str, middle: str, width: int) -> None:
    one, other = f"{start}X{end}", f"{start}{middle}{end}"
    shown = contrast(one, other, width)
    assert shown.expected != shown.actual
    assert max(len(shown.expected), len(shown.actual)) <= width
    assert "X" in shown.expected


@settings(max_examples=60, deadline=None)
@given(st.lists(CALLS | MALFORMED_CALLS, max_size=4), st.lists(CALLS | MALFORMED_CALLS, max_size=4), MODES)
def test_any_match_can_be_explained_within_the_width(
    expected: list[ToolCall], actual: list[ToolCall], mode: MatchMode
) -> None:
    text = match_trajectory(expected, actual, mode).explain(60)
    assert all(len(line) <= 60 and line.isprintable() for line in text.splitlines())
    text.encode()


def test_a_tool_with_a_long_and_hostile_name() -> None:
    text = match_trajectory([{"name": "x" * 500 + "\n\x1b[31m"}], [{"name": ""}]).explain()
    assert all(len(line) <= 80 and line.isprintable() for line in text.splitlines())


def test_a_difference_is_a_value() -> None:
    assert Difference("/a", 1, 2) == Difference("/a", 1, 2, "")
