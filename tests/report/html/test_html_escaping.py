"""What was recorded stays text, and stays exact."""

from __future__ import annotations

import html
import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.test_workflow_commands import forged
from trajectory.report.html.escaping import EXACT, exact, in_fragment, markup, script_json, visible

ODD = st.text(
    st.sampled_from("ab<>&/!-#:\"'\\ \n\t\r\x00\x1b\x7f\x9b\xa0\xad\u2028\u202e\ud800\ufeff\U0010ffff\U0001f600")
)
NUMBERS = st.integers() | st.floats()
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | ODD, lambda inner: st.lists(inner) | st.dictionaries(ODD, inner), max_leaves=8
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\0b", "a\\x00b"),
        ("\u202eevil", "\\u202eevil"),
        ("\u2028", "\\u2028"),
        ("\U000e0041", "\\u{e0041}"),
        ("two\nlines\tand", "two\nlines\tand"),
        ("שלום é 😀", "שלום é 😀"),
        ("\r\n", "\\x0d\n"),
    ],
)
def test_what_does_not_print_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ODD)
@example("</script><!--")
@example("\n::error::x")
@example("##[error]")
def test_markup_is_one_printable_line_that_shows_the_text(text: str) -> None:
    shown = str(markup(text))
    assert shown.isprintable()
    assert not set(shown) & set("<>\"'")
    assert "##" not in shown
    assert html.unescape(shown) == visible(text)


@given(JSON)
@example("</script>")
@example("<!--<script>")
@example("##[error]")
def test_a_script_block_cannot_be_closed_and_holds_the_same(document: Any) -> None:
    text = script_json(document)
    assert text.isprintable()
    assert not set(text) & set("<>&")
    assert not forged(text)
    assert json.loads(text) == well_formed(document)


def well_formed(value: Any) -> Any:
    """JSON as the page holds it: nothing that is not finite, no half of a character."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {well_formed(key): well_formed(item) for key, item in value.items()}
        case list():
            return [well_formed(item) for item in value]
        case _:
            return value


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (2**53 - 1, 2**53 - 1),
        (2**53, f"{EXACT}#9007199254740992"),
        (12345678901234567890, f"{EXACT}#12345678901234567890"),
        (1.0, f"{EXACT}#1.0"),
        (1.5, 1.5),
        (True, True),
        (None, None),
        ("text", "text"),
        (f"{EXACT}#1.0", f"{EXACT}{EXACT}#1.0"),
        ({"a": [1.0, {"b": 2}]}, {"a": [f"{EXACT}#1.0", {"b": 2}]}),
    ],
)
def test_a_number_that_javascript_would_change_becomes_its_text(value: Any, kept: Any) -> None:
    assert exact(value) == kept
    assert type(exact(value)) is type(kept)


@given(JSON)
def test_what_is_exact_can_be_told_from_what_was_recorded(value: Any) -> None:
    assert same(restored(exact(value)), value)


def restored(value: Any) -> Any:
    match value:
        case str() if value.startswith(f"{EXACT}#"):
            number = value[2:]
            return int(number) if number.lstrip("-").isdigit() else float(number)
        case str():
            return value[1:] if value.startswith(EXACT) else value
        case dict():
            return {key: restored(item) for key, item in value.items()}
        case list():
            return [restored(item) for item in value]
        case _:
            return value


def same(one: Any, other: Any) -> bool:
    """Equality that knows integers from floats, and takes one NaN for another."""
    return repr(one) == repr(other)


@pytest.mark.parametrize(("text", "value"), [("a b", "a%20b"), ("a&b=#", "a%26b%3D%23"), ("\ud800", "%5Cud800")])
def test_a_value_in_a_fragment(text: str, value: str) -> None:
    assert in_fragment(text) == value
