"""The scan agrees with the standard parser on what JSON is, and knows where everything stands."""

from __future__ import annotations

import json
import time
import timeit
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajectory.evalset.parsing import parse
from trajectory.evalset.scan import find_faults, find_places, positions
from trajectory.json_values import MAX_DEPTH, escape_token

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


def all_values(value: Any, pointer: str = "") -> dict[str, Any]:
    found = {pointer: value}
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        found |= all_values(child, f"{pointer}/{escape_token(step)}")
    return found


@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_every_value_is_found_where_it_stands(value: Any, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    expected = all_values(value)
    assert find_faults(text) == []
    found = find_places(text, expected)
    assert {pointer: json.JSONDecoder().raw_decode(text, at)[0] for pointer, at in found.items()} == expected


@given(JSON, st.data())
def test_some_values_are_found_whatever_stands_around_them(value: Any, data: st.DataObject) -> None:
    everything = all_values(value)
    wanted = data.draw(st.sets(st.sampled_from(sorted(everything))))
    text = json.dumps(value)
    found = find_places(text, wanted)
    assert {pointer: json.JSONDecoder().raw_decode(text, at)[0] for pointer, at in found.items()} == {
        pointer: everything[pointer] for pointer in wanted
    }


def test_only_what_is_wanted_is_held() -> None:
    assert find_places('{"a": {"b": [1, 2]}, "c": 3}', ["/a/b/1", "/nowhere"]) == {"/a/b/1": 16}


def test_a_pointer_is_no_path_of_slashes() -> None:
    text = '{"a/b": {"m~n": 1, "": 2}, "a": {"b": 3}}'
    found = find_places(text, ["/a~1b/m~0n", "/a~1b/", "/a/b"])
    assert {pointer: text[at] for pointer, at in found.items()} == {"/a~1b/m~0n": "1", "/a~1b/": "2", "/a/b": "3"}


def accepted(text: str) -> bool:
    try:
        parse(text)
    except (ValueError, RecursionError):
        return False
    return True


@st.composite
def damaged_json(draw: st.DrawFn) -> str:
    text = json.dumps(draw(JSON), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    at = draw(st.integers(0, len(text)))
    end = draw(st.integers(at, min(len(text), at + 3)))
    pieces = [
        "",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "\n",
        "\t",
        " ",
        "0",
        "-",
        "1e",
        "e999",
        ".",
        "NaN",
        "tru",
        "\\u",
    ]
    surrogates = ["\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\\\ud83d", "-Infinity", "\ufeff", "\x00", '"a":1,"a":2']
    return text[:at] + draw(st.sampled_from(pieces + surrogates)) + text[end:]


@given(damaged_json())
@example("")
@example("01")
@example("-")
@example("1.")
@example("-NaN")
@example('"\\u12"')
@example("\u00a01")
@example("1\x0c")
@example("[1]\u2028")
def test_scan_and_parser_agree_on_what_is_accepted(text: str) -> None:
    assert accepted(text) == (find_faults(text) == [])


@pytest.mark.parametrize(
    "text", ["1" * 4300, "-" + "1" * 4300, "1" * 4301, "-" + "1" * 4301, "1e308", "1e309", "0e999"]
)
def test_scan_and_parser_agree_on_long_numbers(text: str) -> None:
    assert accepted(text) == (find_faults(text) == [])


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"b":', "}]")])
def test_scan_and_parser_agree_on_depth(depth: int, opening: str, closing: str) -> None:
    each = opening.count("[") + opening.count("{")
    text = opening * (depth // each) + "1" + closing * (depth // each)
    assert accepted(text) == (find_faults(text) == []) == (depth // each * each <= MAX_DEPTH)


@given(st.text("ab\nü😀", max_size=30), st.data())
def test_positions_count_code_points(text: str, data: st.DataObject) -> None:
    offsets = data.draw(st.lists(st.integers(0, len(text)), max_size=5))
    for offset, (line, column) in positions(text, offsets).items():
        lines = text[:offset].split("\n")
        assert (line, column) == (len(lines), len(lines[-1]) + 1)


def test_positions_start_on_the_line_of_the_text() -> None:
    assert positions("a\nb", [0, 2], 7) == {0: (7, 1), 2: (8, 1)}


@pytest.mark.parametrize("scan", [find_faults, lambda text: find_places(text, ["/0"])])
def test_a_scan_is_linear(scan: Callable[[str], object]) -> None:
    def seconds(items: int) -> float:
        text = "[" + '{"key": [1, "x"], "other": null},' * items + "{}]"
        return min(timeit.repeat(lambda: scan(text), timer=time.process_time, number=1, repeat=5))

    short, long = (min(seconds(items) for _ in range(3)) for items in (2_000, 16_000))
    assert long < 30 * short  # it would be 64 times as long if it were quadratic
