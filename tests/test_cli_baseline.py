"""``trajectory baseline``: the only thing that changes a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.runs.made import made_run, made_thread
from trajectory.cli import main
from trajectory.runs import RunFile, load_run, save_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["baseline", *words]) == code
    captured = capsys.readouterr()
    return captured.out + captured.err


def accepted(run: RunFile, *words: str) -> int:
    save_run(run, "run.json")
    return main(["baseline", "accept", "run.json", "-o", "baseline.json", *words])


RUN = made_run(made_thread("a"), made_thread("b", "ppf"), made_thread("c", "f"))


def test_a_run_is_accepted_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert accepted(RUN) == 0
    told = capsys.readouterr().out
    assert "1 passed, 2 failed" in told
    assert "accepted as failing: b, c" in told
    assert said(capsys, "show", "baseline.json") == told
    baseline = load_run("baseline.json")
    assert baseline.accepted is not None
    assert baseline.accepted.source == "run.json"
    assert [[run.outcome for run in entry.runs] for entry in baseline.threads] == [
        [run.outcome for run in entry.runs] for entry in RUN.threads
    ]


def test_what_changes_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    accepted(RUN)
    capsys.readouterr()
    assert accepted(made_run(made_thread("a", "f"), made_thread("b", "ppp"), made_thread("d"))) == 0
    told = capsys.readouterr().out
    assert "newly failing: a" in told
    assert "new: d" in told
    assert "removed: c" in told
    assert "flaky: b" in told


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (made_run(made_thread("a"), complete=False, selected=3), "cut short: 1 of 3 threads came to an end"),
        (made_run(made_thread("a"), complete=False, halted="the run halted on its budget"), "halted on its budget"),
        (made_run(made_thread("a"), made_thread("b", "e")), "1 thread could not be evaluated: b"),
        (made_run(made_thread("a", "s")), "nothing was evaluated in it"),
        (made_run(), "nothing was evaluated in it"),
        (made_run(made_thread("a"), breaches=("the recording is incomplete",)), "the recording is incomplete"),
    ],
)
def test_what_can_be_no_baseline_is_refused(
    folder: Path, run: RunFile, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accepted(run, "--force") == 1
    assert reason in capsys.readouterr().err
    assert not (folder / "baseline.json").exists()


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (made_run(made_thread("x")), "no thread can be compared with the baseline: it has other threads"),
        (made_run(made_thread("a"), also=("b", "c")), "2 of its threads were not run"),
    ],
)
def test_a_baseline_is_not_lost_by_accident(run: RunFile, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    accepted(RUN)
    before = load_run("baseline.json")
    assert accepted(run) == 1
    assert f"baseline.json was not replaced: {reason} (--force" in capsys.readouterr().err
    assert load_run("baseline.json") == before
    assert accepted(run, "--force") == 0
    assert load_run("baseline.json") != before


def test_other_files_are_never_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_run(RUN, "other.json")
    save_run(RUN, "run.json")
    told = said(capsys, "accept", "run.json", "-o", "other.json", "--force", code=2)
    assert "other.json: expected a baseline, found a run that was not accepted" in told
    (folder / "notes.txt").write_text("mine")
    assert "expected a run file" in said(capsys, "accept", "run.json", "-o", "notes.txt", "--force", code=2)
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["accept", "none.json", "-o", "b.json"], "none.json: expected a run file, found nothing of that name"),
        (["show", "none.json"], "none.json: expected a run file, found nothing of that name"),
        (["accept", "run.json", "-o", "no/b.json"], "no/b.json: cannot be written: No such file or directory"),
        (["accept", "run.json"], "Missing option"),
        (["accept", "run.json", "-o", "."], ".: expected a run file, found a folder"),
        (["accept", ".", "-o", "b.json"], ".: expected a run file, found a folder"),
        (["show", "/"], "/: expected a run file, found a folder"),
        (["acept"], "No such command 'acept'"),
    ],
)
def test_bad_input(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    save_run(RUN, "run.json")
    assert message in said(capsys, *words, code=2)


def test_nothing_recorded_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile: Any = made_run(made_thread("\x1b[31m", "f"), agent="\x1b]0;x\x07")
    assert accepted(hostile) == 0
    assert "\x1b" not in capsys.readouterr().out
