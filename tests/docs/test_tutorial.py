"""The tutorial is done as it is told, and every output shown is what comes out."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import PAGES, ROOT, Block, blocks_of
from trajectory import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

TUTORIAL = next(page for page in PAGES if page.name == "tutorial.md")
VARYING = re.compile(r" in \d+\.\d+s =+$")


def _commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Split a block at its prompts into commands and the lines that they print."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *output = part.splitlines()
        yield command, [line for line in output if line.strip() and line != "..."]


def _pattern(line: str) -> str:
    escaped = re.sub(r"([\[?*])", r"[\1]", line)
    return VARYING.sub(" in *", escaped)


def _do(command: str, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> list[str]:
    program, *words = shlex.split(command)
    if program == "pytest":
        return pytester.runpytest_inprocess(*words, "-p", "no:cacheprovider", "-p", "no:randomly").outlines
    if program == "trajectory":
        cli.main(words)
        return capsys.readouterr().out.splitlines()
    subprocess.run(command, shell=True, check=True)  # noqa: S602 - `sed` with a redirection, of our own making
    return []


@pytest.mark.skipif(sys.platform == "win32", reason="the tutorial speaks to a POSIX shell")
def test_the_tutorial(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = 0
    for block in blocks_of(TUTORIAL):
        if block.file:
            pytester.path.joinpath(block.file).write_text(block.text, encoding="utf-8")
        for command, output in _commands(block) if block.language == "console" else ():
            monkeypatch.chdir(ROOT if "evalsets/" in command else pytester.path)
            printed = _do(command, pytester, capsys)
            pytest.LineMatcher(printed).fnmatch_lines([_pattern(line) for line in output])
            done += 1
    assert done == 7
