"""The command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sets import call, eval_set_text
from trajectory import __version__
from trajectory.cli import main
from trajectory.cli.main import _COMMANDS

GOOD = eval_set_text({"a": [("hi", [call("f")])], "b": []})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.evalset.json").write_text(GOOD, encoding="utf-8")
    (tmp_path / "one.evalset.json").write_text(eval_set_text({"a": [("hi", [])]}), encoding="utf-8")
    (tmp_path / "bad.evalset.json").write_text('{"id": 5', encoding="utf-8")
    misspelt = eval_set_text({"a": []}, evaluation={"match_mod": "STRICT"})
    (tmp_path / "misspelt.evalset.json").write_text(misspelt, encoding="utf-8")
    return tmp_path


def test_a_file_that_can_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "good.evalset.json", "one.evalset.json"]) == 0
    said = capsys.readouterr()
    assert "good.evalset.json: " in said.out
    assert ", 2 threads, 1 turn\n" in said.out
    assert ", 1 thread, 1 turn\n" in said.out
    assert said.err == ""


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("bad.evalset.json", "bad.evalset.json:1:"),
        ("misspelt.evalset.json", "did you mean 'match_mode'?"),
        ("missing.evalset.json", "missing.evalset.json: "),
        (".", "expected a file"),
    ],
)
def test_a_file_that_cannot(folder: Path, file: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", file]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_every_file_is_looked_at(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "bad.evalset.json", "good.evalset.json", "missing.evalset.json"]) == 2
    said = capsys.readouterr()
    assert "good.evalset.json" in said.out
    assert "bad.evalset.json" in said.err
    assert "missing.evalset.json" in said.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Usage: trajectory"),
        (["validate"], "Missing argument 'FILE...'"),
        (["valdate", "x"], "No such command 'valdate'. Did you mean 'validate'?"),
        (["validate", "--no-such-option", "x"], "No such option"),
    ],
)
def test_wrong_usage_ends_in_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"trajectory {__version__}\n"


def test_every_command_has_help_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for name in _COMMANDS:
        assert f"  {name} " in listed
        assert main([name, "--help"]) == 0
        assert f"trajectory {name}" in capsys.readouterr().out.partition("Examples:")[2]


def test_problems_as_annotations(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--format", "github", "bad.evalset.json", "misspelt.evalset.json", "missing.json"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error file=bad.evalset.json,line=1,col=9::bad.evalset.json:1:9: /id expected")
    assert lines[1].startswith("::error file=misspelt.evalset.json,line=")
    assert lines[2].startswith("::error file=missing.json::")


def test_the_exit_code_is_that_of_the_process(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trajectory.cli", "validate", str(folder / "bad.evalset.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
@pytest.mark.parametrize("words", [["schema"], ["show", "x.evalset.json"], ["check", "x.evalset.json", "run.json"]])
def test_an_output_that_is_full_is_no_pass(folder: Path, words: list[str]) -> None:
    for name in ("x.evalset.json", "run.json"):
        (folder / name).write_text(eval_set_text({"a": [("hi", [])]}), encoding="utf-8")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "trajectory.cli", *words],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr.decode() == "what is to be said cannot be written: No space left on device\n"
    assert done.returncode == 3
