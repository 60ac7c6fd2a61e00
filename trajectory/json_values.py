"""Plain JSON values: what counts as one, and copies that nobody else can change.

Files are checked by their reader. Values that come out of a running program (an agent's result, a call built in code)
pass through `plain_json` once, so that everything behind it can rely on plain, finite, acyclic JSON.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Final, TypeAlias

JsonValue: TypeAlias = Any
"""A JSON value: ``dict`` with string keys, ``list``, ``str``, ``int``, ``float``, ``bool`` or ``None``."""

JsonObject: TypeAlias = dict[str, Any]

_SCALARS: Final = frozenset({str, int, bool, type(None)})
_KEYS: Final = frozenset({str})
"""The types of which each value is plain JSON as it stands."""

MAX_DEPTH = 200
"""Nesting beyond this is refused at reading (eval-set format, reading rules)."""


class NotJson(ValueError):  # noqa: N818 - named for what it says
    """A value that JSON cannot hold, with the JSON Pointer of the culprit."""

    def __init__(self, pointer: str, reason: str) -> None:
        self.pointer = pointer
        self.reason = reason
        super().__init__(pointer, reason)

    def __str__(self) -> str:
        return f"{self.reason} at {self.pointer}" if self.pointer else self.reason


def escape_token(key: object) -> str:
    """Write one step of a JSON Pointer (RFC 6901, section 3)."""
    return str(key).replace("~", "~0").replace("/", "~1")


def plain_json(value: object) -> JsonValue:
    """Copy a value as plain JSON.

    Tuples become lists; subclasses of the plain types become the plain types.

    Args:
        value: Anything.

    Returns:
        A copy that shares no container with ``value``.

    Raises:
        NotJson: The value, or something inside it, is no JSON: another type, a key that is no string, a number that is
            not finite, a container inside itself, or nesting beyond `MAX_DEPTH` levels.
    """
    return _plain(value, MAX_DEPTH)


def _plain(value: object, levels: int) -> JsonValue:
    if type(value) in _SCALARS:
        return value
    if type(value) is dict and levels and _is_flat(value):
        return value.copy()
    if isinstance(value, str):
        return str.__str__(value)  # not str(value): an enum member would give its name
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson("", f"{float(value)!r} is not a JSON number")
        return float(value)
    if not isinstance(value, dict | list | tuple):
        raise NotJson("", f"a value of type {type(value).__name__} is not JSON")
    if levels == 0:
        # A container inside itself ends here as well: the first way down that has no end.
        raise NotJson("", f"nesting beyond {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {_plain_key(key): _plain_item(key, item, levels) for key, item in value.items()}
    return [_plain_item(index, item, levels) for index, item in enumerate(value)]


def _is_flat(value: dict[object, object]) -> bool:
    """Tell in a short time of an object that there is nothing in it that has to be looked at."""
    return _KEYS.issuperset(map(type, value)) and _SCALARS.issuperset(map(type, value.values()))


def _plain_item(key: object, item: object, levels: int) -> JsonValue:
    try:
        return _plain(item, levels - 1)
    except NotJson as problem:
        raise NotJson(f"/{escape_token(key)}{problem.pointer}", problem.reason) from None


def _plain_key(key: object) -> str:
    if not isinstance(key, str):
        raise NotJson("", f"the key {key!r} is not a string")
    return str.__str__(key)


def describe(value: object) -> str:
    """Say in a few words what a JSON value is, for error messages: ``the number 5``, ``an array of 3 items``."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the string {shorten(printable(json.dumps(value, ensure_ascii=False)))}"
        case Decimal():
            return f"the number {value}"
        case int() | float():
            return f"the number {shorten(number_text(value))}"
        case list() | tuple():
            return "an empty array" if not value else f"an array of {len(value)} item{'s' * (len(value) != 1)}"
        case dict():
            keys = shorten(printable(", ".join(map(str, value))))
            return f"an object with the keys {keys}" if value else "an empty object"
        case _:
            return f"a {type(value).__name__}"


def number_text(value: float) -> str:
    """Write a number as JSON does; integers too long for ``str`` are written as their leading digits and length."""
    try:
        return json.dumps(value)
    except ValueError:
        digits = int(value.bit_length() * math.log10(2)) + 1 if isinstance(value, int) else 0
        return f"<an integer of about {digits} digits>"


def shorten(text: str, width: int = 60) -> str:
    """Cut a text to a width, saying so with an ellipsis."""
    return text if len(text) <= width else text[: width - 3] + "..."


def printable(text: str) -> str:
    r"""Escape every character that does not print: control and bidirectional characters, lone surrogates and the like.

    Args:
        text: Any text.

    Returns:
        The text with such characters as ``\uXXXX``; it can be printed and encoded.
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the end of the basic plane
