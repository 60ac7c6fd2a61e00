"""Links inside the repository lead somewhere, and every page can be reached."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import PAGES, ROOT, shown

if TYPE_CHECKING:
    from pathlib import Path

_LINK = re.compile(r"\[[^\]]*\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")


def _targets(page: Path) -> list[Path]:
    return [
        (page.parent / target).resolve() if target else page for target, _ in _LINK.findall(page.read_text("utf-8"))
    ]


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_relative_links_resolve(page: Path) -> None:
    assert [target for target in _targets(page) if not target.exists()] == []


def test_the_index_names_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    named = {index, *_targets(index)}
    assert [shown(page) for page in sorted((ROOT / "docs").rglob("*.md")) if page not in named] == []
