"""Keep what was recorded text: on the page nothing of it is ever markup, code or an order to the reader's screen."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from trajectory.json_values import number_text

_BYTE: Final = 0xFF
_PLANE: Final = 0xFFFF
_KEPT: Final = frozenset("\n\t")

_IN_SCRIPT: Final = re.compile(
    "[<>&\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    "\ud800-\udfff\ue000-\uf8ff\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
"""What never stands as itself in a script block: all that could close it, and what a reader of the source cannot see."""

EXACT: Final = "\0"
"""Begins the text of a number that JavaScript would change, and of a text that begins with it itself."""

_SAFE_INTEGER: Final = 2**53 - 1


def visible(text: str) -> str:
    r"""Write every character that does not print as an escape such as ``\x1b``; line feeds and tabs stay.

    Args:
        text: Any text.

    Returns:
        A text that prints; it is not yet escaped for HTML.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _KEPT else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if code <= _BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _PLANE else f"\\u{{{code:x}}}"


def script_json(document: Any) -> str:
    """Write plain JSON so that it can stand in a script block of a page: whatever it holds, it cannot end the block.

    Args:
        document: The JSON. A number that is not finite becomes null.

    Returns:
        JSON without white space, in which every character that could mean something to HTML is escaped.
    """
    try:
        text = _dumped(document)
    except ValueError:
        text = _dumped(_finite(document))
    return _IN_SCRIPT.sub(_json_escape, text)


def _dumped(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= _PLANE:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value


def exact(value: Any) -> Any:
    """Write recorded JSON so that JavaScript shows it as it was recorded.

    JavaScript knows neither integers beyond 53 bits nor the difference between ``1`` and ``1.0``: such a number becomes
    its own text behind `EXACT` and a ``#``.

    Args:
        value: Plain JSON.

    Returns:
        JSON in which each number is what JavaScript makes of it.
    """
    match value:
        case str():
            return EXACT + value if value.startswith(EXACT) else value
        case bool() | None:
            return value
        case int() | float():
            return value if _kept(value) else f"{EXACT}#{number_text(value)}"
        case dict():
            return {key: exact(item) for key, item in value.items()}
        case _:
            return [exact(item) for item in value]


def _kept(number: float) -> bool:
    if isinstance(number, int):
        return abs(number) <= _SAFE_INTEGER
    return math.isfinite(number) and not number.is_integer() and "e" not in repr(number)
