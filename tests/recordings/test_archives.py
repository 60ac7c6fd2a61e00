"""Logs of Inspect AI in zip files."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.errors import EvalSetError
from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEADER = {"version": 2, "status": "success", "eval": {}, "plan": {}}
START = {"version": 2, "eval": {}, "plan": {}}


def sample(number: int) -> dict[str, Any]:
    return {"id": number, "epoch": 1, "messages": [{"role": "user", "content": "hi"}]}


def archive(folder: Path, **members: Any) -> Path:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, value in members.items():
            made.writestr(name, json.dumps(value))
    (folder / "run.eval").write_bytes(buffer.getvalue())
    return folder / "run.eval"


def samples(*numbers: int) -> dict[str, Any]:
    return {f"samples/{number}_epoch_1.json": sample(number) for number in numbers}


def test_a_log(tmp_path: Path) -> None:
    recordings = load_recordings(archive(tmp_path, **{"header.json": HEADER}, **samples(10, 2)))
    assert (recordings.format, recordings.incomplete) == ("inspect-ai", False)
    assert [thread.id for thread in recordings.threads] == ["2_epoch_1", "10_epoch_1"]


def test_a_run_that_was_broken_off_is_incomplete(tmp_path: Path) -> None:
    recordings = load_recordings(archive(tmp_path, **{"_journal/start.json": START}, **samples(1)))
    assert recordings.incomplete
    assert "the run of this log has the status 'started'" in recordings.notes[0]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a.json": {}}, "expected a log of Inspect AI, found a zip file without header.json"),
        ({"header.json": {"a": 1}}, "expected a recording of a known format"),
    ],
)
def test_another_zip_file(tmp_path: Path, members: Any, message: str) -> None:
    with pytest.raises(EvalSetError, match=message):
        load_recordings(archive(tmp_path, **members))


@pytest.mark.parametrize("damage", [lambda data: data[:-30], lambda data: data[:45] + b"\xff\xff" + data[47:]])
def test_a_damaged_file(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = archive(tmp_path, **{"header.json": HEADER})
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(EvalSetError, match="expected a zip file that can be read, found one that cannot"):
        load_recordings(file)


def test_a_header_that_is_no_object(tmp_path: Path) -> None:
    with pytest.raises(EvalSetError, match="expected an object, found an array"):
        load_recordings(archive(tmp_path, **{"header.json": [1]}))
