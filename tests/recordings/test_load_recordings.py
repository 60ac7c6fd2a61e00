"""Loading recorded runs: a file, a folder, a glob."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import trajectory
from tests.evalset.documents import eval_set_document, thread_document
from trajectory.errors import EvalSetError
from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``runs`` with recordings, in the working directory."""
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "runs"
    (runs / "old").mkdir(parents=True)
    (runs / ".hidden").mkdir()
    (runs / "b.json").write_text(json.dumps(eval_set_document(thread_document("b"), thread_document("a"))), "utf-8")
    (runs / "a.jsonl").write_text('{"id": "c", "traces": []}\n', "utf-8")
    (runs / "old" / "z.evalset.JSON").write_text(json.dumps(eval_set_document(thread_document("z"))), "utf-8")
    (runs / ".hidden" / "x.json").write_text("oops", "utf-8")
    (runs / "notes.txt").write_text("oops", "utf-8")
    return runs


def ids(path: str | Path) -> list[str]:
    return [thread.id for thread in load_recordings(path).threads]


def test_a_file(folder: Path) -> None:
    recordings = load_recordings("runs/a.jsonl")
    assert (recordings.format, [thread.id for thread in recordings.threads]) == ("native", ["c"])
    assert recordings.notes == ("runs/a.jsonl:1: no 'description', read as empty",)


def test_a_folder(folder: Path) -> None:
    assert ids(folder) == ids("runs") == ["c", "b", "a", "z"]


def test_a_glob(folder: Path) -> None:
    assert ids("runs/*.json") == ["b", "a"]
    assert ids("runs/**/*.evalset.JSON") == ["z"]


def test_a_file_whose_name_looks_like_a_glob(folder: Path) -> None:
    (folder / "[1].json").write_text(json.dumps(eval_set_document(thread_document("x"))), "utf-8")
    assert ids("runs/[1].json") == ["x"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("runs/none-*.json", "runs/none-*.json: expected recordings, found a pattern that matches no file"),
        ("empty", "empty: expected recordings, found a folder without .json and .jsonl files"),
        ("runs/c.jsonl", "runs/c.jsonl: expected a file, found nothing of that name (did you mean 'a.jsonl'?)"),
    ],
)
def test_nothing_there(folder: Path, path: str, message: str) -> None:
    (folder.parent / "empty").mkdir()
    with pytest.raises(EvalSetError) as caught:
        load_recordings(path)
    assert str(caught.value) == message


def test_problems_of_all_files_are_reported_together(folder: Path) -> None:
    (folder / "c.json").write_text("[", "utf-8")
    (folder / "d.jsonl").write_text('{"id": 5, "traces": []}', "utf-8")
    (folder / "e.json").write_text(json.dumps(eval_set_document(thread_document("a"))), "utf-8")
    with pytest.raises(EvalSetError) as caught:
        load_recordings("runs")
    assert str(caught.value).split("\n") == [
        "runs/c.json:1:2: /0 expected a value, found the end of the file (the text seems to be cut off)",
        "runs/d.jsonl:1:8: /id expected a string, found the number 5",
        'runs/e.json: expected thread ids that no other recording has, found the string "a" again (the first one stands in runs/b.json)',
    ]


def test_the_names_are_at_the_top_of_the_package() -> None:
    assert trajectory.load_recordings is load_recordings
    assert trajectory.Recordings.__name__ == "Recordings"
