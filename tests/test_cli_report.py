"""The command that reports a run."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.report.run_files import RUNS
from tests.sets import eval_set_text
from trajectory.cli import main
from trajectory.report.forms import FORMS
from trajectory.runs import JOURNAL_SUFFIX, Journal, save_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        if name != "hostile":
            save_run(run, tmp_path / f"{name}.json")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "code"),
    [("passing", 0), ("tolerated", 0), ("failing", 1), ("errors", 3), ("halted", 3), ("incomplete", 3), ("empty", 3)],
)
def test_the_exit_code_is_what_the_run_comes_to(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, code: int
) -> None:
    assert main(["report", f"{name}.json"]) == code
    assert main(["report", f"{name}.json", "--format", "json"]) == code
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_printed(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert main(["report", "failing.json", "-f", form]) == 1
    assert "lamp" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "begin"),
    [("a.json", "{"), ("a.xml", "<?xml"), ("a.md", "### "), ("a.html", "<!doctype html>"), ("a.txt", "traj")],
)
def test_the_suffix_says_the_form(folder: Path, capsys: pytest.CaptureFixture[str], file: str, begin: str) -> None:
    assert main(["report", "failing.json", "-o", file]) == 1
    assert capsys.readouterr().out.startswith(f"{file}: ")
    assert (folder / file).read_text("utf-8").startswith(begin)


def test_a_stated_form_outweighs_the_suffix(folder: Path) -> None:
    assert main(["report", "failing.json", "-o", "a.txt", "-f", "json"]) == 1
    assert json.loads((folder / "a.txt").read_text("utf-8"))["standing"] == "failed"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing.json",), "nothing.json: expected a run file"),
        (("x.evalset.json",), "expected a run file"),
        (("failing.json", "-o", "a.yaml"), "-o a.yaml: expected a name that ends in .txt, .json, .xml, .md, .html"),
        (("failing.json", "-f", "yaml"), "'yaml' is not one of"),
        (("failing.json", "-o", "no/such/a.md"), "no/such/a.md: the report cannot be written"),
        (("failing.json", "--compare", "nothing.json"), "nothing.json: expected a run file"),
        ((".",), ".: expected a run file, found a folder"),
        (("failing.json", "--compare", "/"), "/: expected a run file, found a folder"),
        ((), "Missing argument 'RUN'"),
    ],
)
def test_bad_input(folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    (folder / "x.evalset.json").write_text(eval_set_text({"a": []}), encoding="utf-8")
    assert main(["report", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.out == ""


def test_a_run_that_was_interrupted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = RUNS["passing"]
    journal = Journal(folder / "cut.json", run.model_copy(update={"threads": (), "gates": (), "complete": False}))
    journal.add(run.threads[0])
    assert (folder / f"cut.json{JOURNAL_SUFFIX}").exists()
    assert main(["report", "cut.json"]) == 3
    assert "the run is not complete" in capsys.readouterr().out


def test_what_changed_since_a_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "failing.json", "--compare", "passing.json"]) == 1
    assert "newly failing  lamp" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "terminal", "no_color", "coloured"),
    [
        ((), False, "", False),
        ((), True, "", True),
        ((), True, "1", False),
        (("--color",), False, "1", True),
        (("--no-color",), True, "", False),
    ],
)
def test_colour(  # noqa: PLR0913, PLR0917 - a row of the table
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    terminal: bool,  # noqa: FBT001
    no_color: str,
    coloured: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setenv("NO_COLOR", no_color)
    assert main(["report", "failing.json", *words]) == 1
    assert ("\x1b[" in capsys.readouterr().out) is coloured
