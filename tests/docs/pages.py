"""The pages of the documentation, and the code blocks on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = tuple(
    sorted(
        [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "evalsets" / "README.md", *(ROOT / "docs").rglob("*.md")],
    )
)

_BLOCK: Final = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_NAMED: Final = re.compile(r"`([^`\s]+)`:\s*\Z")


@dataclass(frozen=True)
class Block:
    """A code block.

    Attributes:
        page: The page it stands on, relative to the repository.
        line: The line of its fence.
        language: What stands behind the fence.
        text: What stands between the fences.
        file: The file that it is, where the line above it names one.
    """

    page: str
    line: int
    language: str
    text: str
    file: str | None

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        before, indent = text[: found.start()], len(found["indent"])
        lines = "".join(line[indent:] if line.strip() else line for line in found["text"].splitlines(keepends=True))
        named = _NAMED.search(before)
        yield Block(shown(page), before.count("\n") + 1, found["language"], lines, named and named[1])


def blocks(*languages: str) -> list[Block]:
    return [block for page in PAGES for block in blocks_of(page) if block.language in languages]


def table_rows(text: str) -> list[list[str]]:
    """The rows of all tables on a page, cell by cell, without their heads."""
    lines = text.splitlines()
    rows = [line for number, line in enumerate(lines) if line.startswith("|") and not _is_head(lines, number)]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def _is_head(lines: list[str], number: int) -> bool:
    return any("|---" in line for line in lines[number : number + 2])
