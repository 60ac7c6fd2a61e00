"""Put one difference into words: where, expected -> got, and why it is one where that is hard to see."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final, TypeAlias

from trajectory.json_values import number_text, printable
from trajectory.matching.acceptance import is_number
from trajectory.matching.hints import text_hint
from trajectory.matching.values import ELLIPSIS, brief, contrast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.matching.steps import Difference

INDENT: Final = " " * 6
"""What stands in front of the lines that belong to a step."""

Sides: TypeAlias = tuple[str, str]
EXPECTED_AND_GOT: Final = ("expected", "got")
"""What the two sides of a difference are called, unless somebody calls them otherwise."""

_ARROW: Final = " -> "
_LONG_ENOUGH: Final = 1_000
"""More characters of a value are never needed to tell whether it fits on a line."""


def name_lines(expected: str, actual: str, width: int, sides: Sides = EXPECTED_AND_GOT) -> list[str]:
    """Show that two tools differ.

    Args:
        expected: The name of the expected tool.
        actual: The name of the tool that was called.
        width: How many columns there are.
        sides: What the two sides are called.

    Returns:
        The lines.
    """
    return _lines("name", (expected, actual), text_hint(expected, actual), width, sides)


def difference_lines(difference: Difference, width: int, sides: Sides = EXPECTED_AND_GOT) -> list[str]:
    """Show one difference in the arguments.

    Args:
        difference: The difference.
        width: How many columns there are.
        sides: What the two sides are called.

    Returns:
        One line, or, where that would be too long, one for the place and one for each side.
    """
    place = printable(difference.pointer) or "arguments"
    return _lines(place, (difference.expected, difference.actual), difference.hint, width, sides)


def _lines(place: str, values: tuple[object, object], hint: str, width: int, sides: Sides) -> list[str]:
    expected, actual = values
    reason = f"  ({printable(hint)})" if hint else ""
    short = f"{INDENT}{place}  {brief(expected, _LONG_ENOUGH)}{_ARROW}{brief(actual, _LONG_ENOUGH)}{reason}"
    if len(short) <= width:
        return [short]
    label = max(map(len, sides)) + 1
    room = width - len(INDENT) - len("  ") - label
    one, other, cut = _two_sides(expected, actual, room)
    alike = "shown alike, yet not equal" if one == other and not hint else ""
    reasons = [reason for reason in (cut, printable(hint), alike) if reason]
    lines = [_cut_front(place, width - len(INDENT)), f"  {sides[0]:{label}}{one}", f"  {sides[1]:{label}}{other}"]
    told = [line for reason in reasons for line in wrap(f"({reason})", room, subsequent_indent=" ")]
    return [INDENT + line for line in (*lines, *(f"  {line}" for line in told))]


def _two_sides(expected: object, actual: object, room: int) -> tuple[str, str, str]:
    """Write both sides so that their difference is seen, and say where it is if something was cut off before it."""
    if isinstance(expected, str) and isinstance(actual, str):
        sides: Sequence[str] = (expected, actual)
        shown = contrast(expected, actual, room)
    elif is_number(expected) and is_number(actual):
        sides = [number_text(number) for number in (expected, actual)]  # type: ignore[arg-type]
        shown = contrast(sides[0], sides[1], room, quote="")
    else:
        return brief(expected, room), brief(actual, room), ""
    if shown.place is None:
        return shown.expected, shown.actual, ""
    what = "character" if isinstance(expected, str) else "digit"
    lengths = " and ".join(f"{len(side):,}" for side in sides)
    return shown.expected, shown.actual, f"from {what} {shown.place:,} on, of {lengths}"


def _cut_front(text: str, width: int) -> str:
    """Cut a text at its front: the end of a pointer says most."""
    return text if len(text) <= width else ELLIPSIS + text[len(ELLIPSIS) - width :]
