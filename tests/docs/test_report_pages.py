"""The pages on reports are done as they are told, and every output shown is what comes out."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT, blocks_of
from tests.docs.test_tutorial import _commands, _do, _pattern

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [ROOT / "docs" / "how-to" / f"{name}.md" for name in ("report-in-a-pull-request", "read-the-html-report")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_done_as_it_is_told(
    page: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("evalsets", "fixtures"):
        shutil.copytree(ROOT / folder, pytester.path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    done = 0
    for block in blocks_of(page):
        for command, output in _commands(block) if block.language == "console" else ():
            printed = _do(command, pytester, capsys)
            capsys.readouterr()
            pytest.LineMatcher(printed).fnmatch_lines([_pattern(line) for line in output])
            done += 1
    assert done > 2
