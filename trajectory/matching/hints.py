"""Say why two values differ where that is hard to see: values that print alike, or nearly."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Final

from trajectory.matching.acceptance import close, is_number
from trajectory.matching.equality import canonical_key
from trajectory.settings import Tolerance

if TYPE_CHECKING:
    from trajectory.json_values import JsonValue

_LOOK_ALIKE: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421"
    "\u0422\u0425\u0406\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u0131"
    "\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u201c\u201d",
    "aeopcyxijsABEKMHOPCTXIABEZHIKMNOPTYXoi------''\"\"",
)
"""Cyrillic and Greek letters, dashes and quotation marks, and what they look like."""

_LAST_DIGITS: Final = Tolerance(relative=1e-9)

_TEXT_LIMIT: Final = 100_000
"""Beyond this many characters no text is searched for a hint."""


def hint(expected: JsonValue, actual: JsonValue) -> str:
    """Say why two different JSON values differ, if that is hard to see.

    Args:
        expected: The expected value.
        actual: The actual value.

    Returns:
        The reason in a few words; empty where both values speak for themselves.
    """
    if isinstance(expected, str) and isinstance(actual, str):
        return text_hint(expected, actual)
    if is_number(expected) and is_number(actual):
        return "differs in the last digits only" if close(expected, actual, _LAST_DIGITS) else ""
    if _is_json_text_of(actual, expected):
        return "JSON text, not the value itself"
    if _is_json_text_of(expected, actual):
        return "the value itself, not JSON text"
    one, other = _kind(expected), _kind(actual)
    return f"{other}, not {one}" if one != other else ""


def text_hint(expected: str, actual: str) -> str:
    """Say why two different texts differ, if that is hard to see.

    Args:
        expected: The expected text.
        actual: The actual text.

    Returns:
        The reason in a few words; empty where both texts speak for themselves.
    """
    if max(len(expected), len(actual)) > _TEXT_LIMIT:
        return ""
    if expected.casefold() == actual.casefold():
        return "differs in case only"
    if expected.split() == actual.split():
        return "differs in white space only"
    if unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", actual):
        return "the same letters, composed differently in Unicode"
    if _looks(expected) == _looks(actual):
        return f"looks alike: {_first_odd_characters(expected, actual)}"
    return ""


def _kind(value: JsonValue) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case _:
            return "an object"


def _is_json_text_of(text: JsonValue, value: JsonValue) -> bool:
    """Tell whether a text holds an object or an array that stands on the other side as such."""
    if not (isinstance(text, str) and isinstance(value, dict | list)):
        return False
    try:
        return canonical_key(json.loads(text)) == canonical_key(value)
    except (ValueError, RecursionError):
        return False


def _looks(text: str) -> str:
    """Reduce a text to what the eye sees: look-alikes become one character, invisible ones vanish."""
    visible = "".join(char for char in text if unicodedata.category(char) not in {"Cc", "Cf"})
    return unicodedata.normalize("NFKC", visible).translate(_LOOK_ALIKE)


def _first_odd_characters(expected: str, actual: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b), None)
    if at is None:
        longer = max(expected, actual, key=len)
        return f"U+{ord(longer[min(len(expected), len(actual))]):04X} at the end"
    return f"U+{ord(actual[at]):04X} instead of U+{ord(expected[at]):04X}"
