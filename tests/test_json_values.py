"""Plain JSON: what counts as it, copies of it, and words for it."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.json_values import (
    MAX_DEPTH,
    NotJson,
    describe,
    escape_token,
    number_text,
    plain_json,
    printable,
    shorten,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


class Colour(StrEnum):
    RED = "red"


class Number(IntEnum):
    ONE = 1


class Plain(Enum):
    A = 1


def containers(value: Any) -> set[int]:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = {id(value)} if isinstance(value, dict | list) else set()
    return own.union(*map(containers, items))


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


# ---------------------------------------------------------------------------------------------------------- plain_json


@given(JSON)
def test_a_copy_is_equal_and_shares_no_container(value: Any) -> None:
    copy = plain_json(value)
    assert json.dumps(copy) == json.dumps(value)
    assert containers(copy).isdisjoint(containers(value))


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, (2,)), [1, [2]]),
        (Colour.RED, "red"),
        ({Colour.RED: Number.ONE}, {"red": 1}),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        pytest.param(10**5000, 10**5000, id="huge"),
        (-0.0, -0.0),
    ],
)
def test_other_types_become_plain_ones(value: Any, plain: Any) -> None:
    copy = plain_json(value)
    assert copy == plain
    assert type(copy) is type(plain)


@pytest.mark.parametrize(
    ("value", "pointer", "reason"),
    [
        (math.nan, "", "nan is not a JSON number"),
        ({"a": [0, math.inf]}, "/a/1", "inf is not a JSON number"),
        ({"a/b": {"c~d": -math.inf}}, "/a~1b/c~0d", "-inf is not a JSON number"),
        ({1: "x"}, "", "the key 1 is not a string"),
        ({"a": {None: "x"}}, "/a", "the key None is not a string"),
        ({"a": {1, 2}}, "/a", "a value of type set is not JSON"),
        (b"x", "", "a value of type bytes is not JSON"),
        (1j, "", "a value of type complex is not JSON"),
        (Plain.A, "", "a value of type Plain is not JSON"),
        ([object()], "/0", "a value of type object is not JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(value: Any, pointer: str, reason: str) -> None:
    with pytest.raises(NotJson) as caught:
        plain_json(value)
    assert (caught.value.pointer, caught.value.reason) == (pointer, reason)
    assert str(caught.value) == (f"{reason} at {pointer}" if pointer else reason)


def test_nesting_up_to_the_limit() -> None:
    assert plain_json(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    with pytest.raises(NotJson, match="nesting beyond 200 levels"):
        plain_json(nested(MAX_DEPTH + 1))


def test_a_container_inside_itself() -> None:
    looped: list[Any] = []
    looped += [looped, looped]
    with pytest.raises(NotJson, match="nesting beyond 200 levels"):
        plain_json(looped)


# --------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ("a", 'the string "a"'),
        ('say "é"\n', r'the string "say \"é\"\n"'),
        ("x" * 100, 'the string "' + "x" * 56 + "..."),
        (5, "the number 5"),
        (1.5, "the number 1.5"),
        ([], "an empty array"),
        ([1], "an array of 1 item"),
        ((1, 2), "an array of 2 items"),
        ({}, "an empty object"),
        ({"a": 1, "b": 2}, "an object with the keys a, b"),
        ({1: 2}, "an object with the keys 1"),
        (b"", "a bytes"),
    ],
)
def test_descriptions(value: Any, words: str) -> None:
    assert describe(value) == words


@given(JSON)
def test_a_description_is_one_short_printable_line(value: Any) -> None:
    words = describe(value)
    assert words.isprintable()
    assert len(words) < 100


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_too_long_to_be_written(sign: int) -> None:
    assert number_text(sign * 10**5000) == "<an integer of about 5001 digits>"


@pytest.mark.parametrize(
    ("key", "token"), [("a", "a"), ("a/b~c", "a~1b~0c"), ("~1", "~01"), ("", ""), (3, "3"), ("*", "*")]
)
def test_steps_of_a_pointer(key: object, token: str) -> None:
    assert escape_token(key) == token


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 \\n", "plain é 漢 \\n"),
        ("a\nb\tc\rd", r"a\u000ab\u0009c\u000dd"),
        ("\x1b[31m", r"\u001b[31m"),
        ("\u202e\ufeff", r"\u202e\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\U000e0001"),
        ("", ""),
    ],
)
def test_what_does_not_print_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters()))
def test_what_is_shown_prints(text: str) -> None:
    assert printable(text).isprintable()
    assert printable(printable(text)) == printable(text)


@given(st.text(), st.integers(3, 50))
def test_shortening_keeps_the_width(text: str, width: int) -> None:
    short = shorten(text, width)
    assert len(short) <= width
    assert short == text or (short.endswith("...") and text.startswith(short[:-3]))
