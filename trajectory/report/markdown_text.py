"""Recorded text in Markdown: shown as it stands, and nothing in it is a marker, a link, a name or HTML.

Everything recorded stands in a code span or a fenced block. GitHub and GitLab look for names, numbers of issues and
links outside of code alone, and a backslash does not keep them from it.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten
from trajectory.workflow_commands import defuse

if TYPE_CHECKING:
    from collections.abc import Iterable

_TICKS: Final = re.compile(r"`+")
_LONGEST: Final = 300


def code(text: str, width: int = _LONGEST) -> str:
    """Write a text as a code span of one line."""
    shown = defuse(shorten(printable(text), width))
    if not shown.strip():
        return "(empty)"
    fence = "`" * (_longest(shown) + 1)
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def cell(text: str, width: int = _LONGEST) -> str:
    """Write a text as a code span in a cell of a table; there, a bar ends the cell even inside of code."""
    return code(text, width).replace("|", "\\|")


def block(lines: Iterable[str], language: str = "") -> list[str]:
    """Write lines as a fenced block that none of them can close."""
    shown = [defuse(printable(line)) for line in lines]
    fence = "`" * max(3, 1 + max(map(_longest, shown), default=0))
    return [f"{fence}{language}", *shown, fence]


def html_code(text: str, width: int = 100) -> str:
    """Write a text as code inside of HTML, on one line."""
    return f"<code>{html.escape(defuse(shorten(printable(text), width)))}</code>"


def _longest(text: str) -> int:
    return max((len(found[0]) for found in _TICKS.finditer(text)), default=0)
