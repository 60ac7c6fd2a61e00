"""The fast parser against the standard one: where it answers, both say the same."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajectory import json_texts
from trajectory.evalset.parsing import parse
from trajectory.json_texts import read_sound
from trajectory.json_values import MAX_DEPTH

DIGITS = sys.get_int_max_str_digits()
SPACE = st.sampled_from(["", " ", "\n", "\r\n\t", "\u00a0", "\ufeff", "\x0c"])
NUMBERS = st.one_of(
    st.from_regex(r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,4})?", fullmatch=True),
    st.floats().map(json.dumps),
    st.sampled_from(
        ["1e400", "-1e400", "1.7976931348623159e308", "9" * 309, "9" * 309 + ".0", "5e-324", "01", "1.", "+1"]
    ),
    st.sampled_from([DIGITS, DIGITS + 1]).map(lambda digits: "7" * digits),
)
PIECES = st.sampled_from(
    ["\\ud83d", "\\ude00", "\\uD83D\\uDE00", "\\\\ud83d", "\\u0041", "A", "\\n", "\n", "\x00", "\\x", "é", "😀"]
)
STRINGS = st.lists(PIECES, max_size=3).map(lambda pieces: f'"{"".join(pieces)}"')
SCALARS = NUMBERS | STRINGS | st.sampled_from(["true", "false", "null", "None", "NaN", "-Infinity", "", "[],[]", "1]"])


def _array(items: list[str]) -> str:
    return f"[{','.join(items)}]"


def _object(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"


def _deep(depth: int) -> str:
    return "[" * depth + "]" * depth


def _deep_objects(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


TEXTS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(_array)
        | st.lists(st.tuples(STRINGS | st.just('"A"'), inner), max_size=3).map(_object)
    ),
    max_leaves=8,
)
DOCUMENTS = st.tuples(SPACE, TEXTS, SPACE, st.sampled_from(["", "", "", "x", "]", ",1", "\x00"])).map("".join)


def _parsed_slowly(text: str) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_texts, "jiter", None)
        try:
            return [parse(text)]
        except (ValueError, RecursionError):
            return []


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same to the type, the sign of a zero and the order of keys."""
    return repr(one) == repr(other)


@given(DOCUMENTS)
@example(_deep(MAX_DEPTH))
@example(_deep(MAX_DEPTH + 1))
@example(_deep_objects(MAX_DEPTH))
@example(_deep_objects(MAX_DEPTH + 1))
@example('{"a": {"b": 1, "\\u0062": 2}}')
@example("[-0, -0.0, 1e400]")
def test_says_what_the_standard_parser_says(text: str) -> None:
    assert _same([parse(text)] if read_sound(text) else [], read_sound(text))
    assert not read_sound(text) or _same(read_sound(text), _parsed_slowly(text))


@given(DOCUMENTS)
def test_only_the_platform_decides_which_parser_reads(text: str) -> None:
    slowly = _parsed_slowly(text)
    try:
        assert _same([parse(text)], slowly)
    except (ValueError, RecursionError):
        assert slowly == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a": 1, "a": 1}', id="a key twice"),
        pytest.param('[{"a": {"b": 1, "\\u0062": 2}}]', id="a key twice in two spellings"),
        pytest.param("NaN", id="not a number"),
        pytest.param("[1e400]", id="too large for a double"),
        pytest.param('{"a": [-1e400]}', id="too small for a double"),
        pytest.param('"\\ud83d"', id="half of a surrogate pair"),
        pytest.param('"\ud83d"', id="half of a surrogate pair, not escaped"),
        pytest.param(_deep(MAX_DEPTH + 1), id="nested too deep"),
        pytest.param(_deep_objects(MAX_DEPTH + 1), id="objects nested too deep"),
        pytest.param("9" * (DIGITS + 1), id="an integer longer than Python reads"),
        pytest.param("\ufeff1", id="a byte-order mark"),
        pytest.param("", id="nothing"),
        pytest.param("1, 2", id="two values with a comma"),
        pytest.param("1] [2", id="brackets that would fit"),
        pytest.param("[1,]", id="a comma too many"),
    ],
)
def test_keeps_out_of_what_is_in_doubt(text: str) -> None:
    assert read_sound(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        (" [1] ", [1]),
        ("-0", 0),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ('"\\ud83d\\ude00\\u0000"', "😀\x00"),
        (_deep_objects(MAX_DEPTH - 1), json.loads(_deep_objects(MAX_DEPTH - 1))),
        (_deep(MAX_DEPTH), json.loads(_deep(MAX_DEPTH))),
        ("9" * DIGITS, int("9" * DIGITS)),
    ],
)
def test_reads_what_is_sound(text: str, value: Any) -> None:
    assert read_sound(text) == [value]


def test_the_largest_double_is_finite() -> None:
    assert read_sound(repr(sys.float_info.max)) == [sys.float_info.max]
    assert math.isinf(json.loads("1e400"))


def test_reads_nothing_where_the_parser_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_texts, "jiter", None)
    assert read_sound("1") == []
    assert parse("1") == 1
