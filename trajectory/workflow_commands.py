"""What a CI service reads out of the lines that a job prints: commands of our own, and none of a recording's.

GitHub Actions takes a line whose first text is ``::`` for a command, and, as Azure Pipelines does, everything behind a
``##[`` or ``##vso[`` wherever it stands.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "notice"]

_FIRST_ON_A_LINE: Final = re.compile(r"((?:^|\r)\s*)::", re.MULTILINE)


def annotation(  # noqa: PLR0913 - the properties of an annotation
    level: Level,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    column: int | None = None,
    title: str = "",
) -> str:
    """Write an annotation of GitHub Actions.

    Args:
        level: How much it matters.
        message: What it says; may have several lines.
        file: The file that it stands at.
        line: The line, from 1.
        column: The column, from 1.
        title: What stands above the message.

    Returns:
        One line, whatever the texts hold.
    """
    stated = {"file": file or None, "line": line, "col": column, "title": title or None}
    places = ",".join(f"{key}={_property(str(value))}" for key, value in stated.items() if value is not None)
    return f"::{level}{places and ' ' + places}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("##", "#\\u0023").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def defuse(text: str) -> str:
    r"""Keep lines from being taken for commands: what would begin one is written as ``\u003a`` or ``\u0023``."""
    return _FIRST_ON_A_LINE.sub(r"\1\\u003a:", text.replace("##", "#\\u0023"))
