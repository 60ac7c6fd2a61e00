"""JSON values as text on a terminal: short, escaped, and never without the place in which two of them differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from trajectory.conversation import MalformedArguments, NotRecorded
from trajectory.json_values import describe, number_text, printable
from trajectory.matching.steps import Absent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.json_values import JsonValue

ELLIPSIS: Final = "..."


def quoted(text: str) -> str:
    """Write a text as a JSON string in which everything is visible."""
    return printable(json.dumps(text, ensure_ascii=False))


def brief(value: object, width: int) -> str:
    """Write a value on one line, cut to a width.

    Args:
        value: A JSON value, arguments of a call, or what stands where there is nothing.
        width: How many characters there is room for; at least some ten.

    Returns:
        The value as JSON, or in words where it is none; an ellipsis says that something was cut off.
    """
    text = ""
    for piece in _pieces(value, width):
        text += piece
        if len(text) > width:
            return text[: width - len(ELLIPSIS)] + ELLIPSIS
    return text


def _pieces(value: object, width: int) -> Iterator[str]:
    """Write a value piece by piece, so that a long one is not written to its end."""
    match value:
        case str():
            yield quoted(value[: width + 1])
        case dict():
            yield from _pieces_of_object(value, width)
        case list():
            yield "["
            for index, item in enumerate(value):
                yield ", " if index else ""
                yield from _pieces(item, width)
            yield "]"
        case None | bool() | int() | float():
            yield number_text(value) if value is not None else "null"
        case MalformedArguments():
            yield f"malformed {quoted(value.text[:width])}"
        case NotRecorded() | Absent():
            yield value.value
        case _:
            yield describe(value)


def _pieces_of_object(value: dict[str, JsonValue], width: int) -> Iterator[str]:
    yield "{"
    for index, (key, item) in enumerate(value.items()):
        yield ", " if index else ""
        yield f"{quoted(key[: width + 1])}: "
        yield from _pieces(item, width)
    yield "}"


class Contrast(NamedTuple):
    """Two different texts, shown so that the first place in which they differ is seen.

    Attributes:
        expected: The expected text.
        actual: The actual text.
        place: The first character that differs, from 1, where something in front of it was cut off; else ``None``.
    """

    expected: str
    actual: str
    place: int | None


def contrast(expected: str, actual: str, width: int, *, quote: str = '"') -> Contrast:
    """Write two different texts, cut around the place in which they differ.

    Args:
        expected: The expected text.
        actual: The actual text.
        width: How many characters there is room for, for each.
        quote: What stands around a text; an ellipsis for what was cut off stands outside of it.

    Returns:
        Both texts, with everything visible.
    """
    same = next((i for i, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b), None)
    same = min(len(expected), len(actual)) if same is None else same
    room = max(width - 2 * (len(ELLIPSIS) + len(quote)), 12)
    start = 0
    if not (_fits(expected, room) and _fits(actual, room)):
        after = max(len("".join(_fitting(text[same : same + room], room * 2 // 3))) for text in (expected, actual))
        start = same - len(_fitting(reversed(expected[:same]), room - after))
    return Contrast(
        _window(expected, start, room, quote), _window(actual, start, room, quote), same + 1 if start else None
    )


def _fits(text: str, room: int) -> bool:
    return len(text) <= room and len(_fitting(text, room)) == len(text)


def _fitting(chars: Iterable[str], room: int) -> list[str]:
    """Return as many characters, each made visible, as there is room for."""
    shown: list[str] = []
    used = 0
    for char in chars:
        piece = printable(json.dumps(char, ensure_ascii=False)[1:-1])
        used += len(piece)
        if used > room:
            break
        shown.append(piece)
    return shown


def _window(text: str, start: int, room: int, quote: str) -> str:
    shown = _fitting(text[start : start + room], room)
    before = ELLIPSIS if start else ""
    after = ELLIPSIS if start + len(shown) < len(text) else ""
    return f"{before}{quote}{''.join(shown)}{quote}{after}"
