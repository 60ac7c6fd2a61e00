"""Keep what was recorded text: on the page nothing of it is ever markup, code or an order to the reader's screen."""

from __future__ import annotations

import json
import math
from typing import Any, Final
from urllib.parse import quote

from trajectory.json_values import number_text
from trajectory.report.html.engine import Markup, escape

_BYTE: Final = 0xFF
_PLANE: Final = 0xFFFF
_SURROGATES: Final = range(0xD800, 0xE000)
_KEPT: Final = frozenset("\n\t")
_ON_ONE_LINE: Final = {ord("\n"): "&#10;", ord("\t"): "&#9;"}

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


def markup(text: str) -> Markup:
    """Write a text for the markup of the page: it stands on one line of the source, so that no line of it is its own.

    Args:
        text: Any text.

    Returns:
        Markup that shows the text, and in which neither HTML nor a CI service that prints the page finds anything.
    """
    shown = str(escape(visible(text))).replace("##", "#&#35;")
    return Markup(shown.translate(_ON_ONE_LINE))


def in_fragment(text: str) -> str:
    """Write a text as a value in the fragment of an address, as the script of the page reads it.

    Args:
        text: Any text.

    Returns:
        The text in percent encoding.
    """
    return quote(text.encode("utf-8", "backslashreplace"), safe="")


def script_json(document: Any) -> str:
    """Write plain JSON for a script block of a page: whatever it holds, it cannot end the block.

    Args:
        document: The JSON. A number that is not finite becomes null.

    Returns:
        JSON on one line, in which all is escaped that could mean something to HTML, or that a reader of it cannot see.
    """
    try:
        text = _dumped(document)
    except ValueError:
        text = _dumped(_finite(document))
    told = {ord(char): _json_escape(ord(char)) for char in {*"<>&", *text} if char in "<>&" or not char.isprintable()}
    return text.translate(told).replace("##", "#\\u0023")


def _dumped(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _json_escape(code: int) -> str:
    if code in _SURROGATES:
        return f"\\\\u{code:04x}"  # half a character: no address can hold it
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
