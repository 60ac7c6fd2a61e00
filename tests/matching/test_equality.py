"""The equality table of the matching rules, seen through a verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.matching.strategies import JSON
from trajectory import ArgumentPolicy, MalformedArguments, MatchMode, ToolCall
from trajectory.json_values import NotJson
from trajectory.matching import match_trajectory
from trajectory.matching.equality import canonical_key, fold

EQUAL = [
    ("1", "1.0"),
    ("1", "1e0"),
    ("0", "-0.0"),
    ("1.0", "1.00"),
    ("100", "1e2"),
    ("true", "true"),
    ("null", "null"),
    ('"1"', '"1"'),
    ("[1, 2]", "[1, 2.0]"),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
    ('{"a": [{"b": {}}]}', '{"a": [{"b": {}}]}'),
    ("9007199254740993", "9007199254740993"),
    ("1" + "0" * 400, "1" + "0" * 400),
    ("0.1", "0.10"),
]

DIFFERENT = [
    ("true", "1"),
    ("false", "0"),
    ("true", "1.0"),
    ("null", "false"),
    ("null", "0"),
    ("[true]", "[1]"),
    ('{"b": {"c": true}}', '{"b": {"c": 1}}'),
    ('"1"', "1"),
    ('"true"', "true"),
    ('"null"', "null"),
    ('"x "', '"x"'),
    ('"x"', '"X"'),
    ('"\\u00e9"', '"e\\u0301"'),
    ("[1, 2]", "[2, 1]"),
    ("[1]", "[1, 1]"),
    ("[]", "{}"),
    ("[]", "null"),
    ("[[], 1]", "[[1]]"),
    ('{"a": 1}', '{"a": 1, "b": null}'),
    ('{"a": {}}', '{"a": null}'),
    ('{"a": 1}', '{"A": 1}'),
    ('["a"]', '{"a": 0}'),
    ("9007199254740993", "9007199254740992"),
    ("9007199254740993", "9007199254740992.0"),
    ("0.30000000000000004", "0.3"),
    ("1" + "0" * 400, "1" + "0" * 399 + "1"),
]


def agree(expected: Any, actual: Any, **policy: Any) -> bool:
    calls = ({"name": "f", "arguments": {"x": value}} for value in (expected, actual))
    return match_trajectory([next(calls)], [next(calls)], arguments=ArgumentPolicy(**policy)).passed


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal(one: str, other: str) -> None:
    assert agree(json.loads(one), json.loads(other))
    assert agree(json.loads(other), json.loads(one))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: str, other: str) -> None:
    assert not agree(json.loads(one), json.loads(other))
    assert not agree(json.loads(other), json.loads(one))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"name": "search"}, {"name": "search", "arguments": {}}, True),
        ({"name": "search", "arguments": None}, {"name": "search", "arguments": {}}, True),
        ({"name": "search", "arguments": {"a": None}}, {"name": "search", "arguments": {}}, False),
        ({"name": "search"}, {"name": "Search"}, False),
        ({"name": "search"}, {"name": "search "}, False),
        ({"name": "\u00e9"}, {"name": "e\u0301"}, False),
        ({"name": "search", "id": "1"}, {"name": "search", "id": "2"}, True),
        ({"name": "f", "arguments": '{"a": 1}'}, {"name": "f", "arguments": {"a": 1}}, True),
        ({"name": "f", "arguments": '{"a": 1'}, {"name": "f", "arguments": '{"a": 1'}, False),
    ],
)
def test_calls(one: dict[str, Any], other: dict[str, Any], equal: bool) -> None:  # noqa: FBT001 - a table
    for mode in MatchMode:
        assert match_trajectory([one], [other], mode).passed is equal
        assert match_trajectory([other], [one], mode).passed is equal


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Paris", "pARIS", True),
        (["A", {"x": "B"}], ["a", {"x": "b"}], True),
        ({"Key": "v"}, {"key": "v"}, False),
        ("É", "é", False),
        ("caf\u00e9 A", "CAF\u00e9 a", True),
        ("ß", "SS", False),
        ("İ", "i̇", False),
        ("I", "ı", False),  # noqa: RUF001
        ("\u212a", "k", False),
        ("Ａ", "a", False),  # noqa: RUF001
        ("Ａ", "ａ", False),  # noqa: RUF001
        ("\ud800A", "\ud800a", True),
        (True, "TRUE", False),
    ],
)
def test_folding_is_ascii_only_and_spares_keys(one: Any, other: Any, equal: bool) -> None:  # noqa: FBT001 - a table
    assert agree(one, other, case_sensitive=False) is equal
    assert agree(other, one, case_sensitive=False) is equal
    assert not agree(one, other)


def test_names_fold_like_values() -> None:
    policy = ArgumentPolicy(case_sensitive=False)
    assert match_trajectory([{"name": "Search"}], [{"name": "seaRch"}], arguments=policy)
    assert not match_trajectory([{"name": "É"}], [{"name": "é"}], arguments=policy)


@given(st.text())
def test_folding_is_idempotent_and_keeps_the_length(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert len(fold(text)) == len(text)
    assert all(fold(a) == (a.lower() if a.isascii() else a) for a in text)


@given(JSON)
def test_a_key_is_hashable_and_equals_that_of_a_copy(value: Any) -> None:
    copy = json.loads(json.dumps(value)) if not _has_huge_number(value) else value
    assert hash(canonical_key(value)) == hash(canonical_key(copy))
    assert canonical_key(value) == canonical_key(copy)


def _has_huge_number(value: Any) -> bool:
    return "0" * 300 in repr(value)


def _nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def _cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = [value]
    return value


NO_JSON = [
    _nested(100_000),
    _cyclic(),
    {"a": {1, 2}},
    {"a": object()},
    {"a": float("nan")},
    {"a": float("-inf")},
    {"a": (1, 2)},
    {1: "a"},
    {"a": {"b": 1, 2: 3}},
    [1, 2],
    "text",
    7,
]


@pytest.mark.parametrize("arguments", NO_JSON, ids=lambda value: type(value).__name__)
def test_arguments_built_past_validation_count_as_malformed(arguments: Any) -> None:
    call = ToolCall.model_construct(name="f", arguments=arguments, id=None)
    for mode in MatchMode:
        result = match_trajectory([call], [call], mode)
        assert not result.passed
        assert isinstance(result.actual[0].arguments, MalformedArguments)


def test_a_name_built_past_validation_counts_as_malformed() -> None:
    number: Any = 7
    call = ToolCall.model_construct(name=number, arguments={})
    assert not match_trajectory([call], [call])


def test_the_deepest_accepted_nesting_compares() -> None:
    call = ToolCall(name="f", arguments=_nested(199))
    assert match_trajectory([call], [call])
    with pytest.raises(NotJson, match="nesting beyond 200 levels"):
        canonical_key(_nested(300))
