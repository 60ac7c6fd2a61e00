"""Recordings that are damaged in every way: read with notes, or refused in words; never anything else, and never long."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.recordings.mutations import CHANGES, DAMAGES, Change, Damage, changed, damaged, packed
from trajectory.errors import EvalSetError
from trajectory.evalset.document import Document
from trajectory.recordings import load_recordings
from trajectory.recordings.containers import Content, read_content
from trajectory.recordings.detection import known_formats, read_recording
from trajectory.recordings.stores import read_session_store

FOLDER = Path(__file__).parents[2] / "fixtures" / "recordings"
CORPUS = os.environ.get("TRAJECTORY_CORPUS")
SECONDS = 10
SMALL = 12_000
OWN = [pytest.param(file, id=file.name) for file in sorted(FOLDER.iterdir()) if file.is_file()]
OTHERS = [
    pytest.param(file, id=f"{file.parent.name}/{file.name}")
    for file in sorted(Path(CORPUS or "nowhere").glob("[!t]*/**/*.*"))
    if file.is_file() and file.stat().st_size < SMALL
]

alike = settings(derandomize="CI" in os.environ)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


def survives(file: Path) -> None:
    """Load a damaged file, and look at all that came of it; an error has to be in words."""
    begin = time.monotonic()
    try:
        found = load_recordings(file)
    except EvalSetError as refused:
        assert file.name in str(refused)  # noqa: PT017 - either outcome is fine, if it is worded
        return
    finally:
        assert time.monotonic() - begin < SECONDS
    assert all(isinstance(note, str) for note in found.notes)
    for trace in (trace for thread in found.threads for trace in thread.traces):
        assert all(isinstance(call.name, str) for call in trace.trajectory)


def records(file: Path) -> list[Any]:
    """Give the documents of a file that is whole."""
    return [document.value for document in read_content(str(file)).documents]


def change_values(file: Path, folder: Path, changes: list[Change]) -> None:
    found = changed(records(file), changes)
    damaged = folder / file.name
    lines = found if isinstance(found, list) else [found]
    damaged.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    survives(damaged)


def change_bytes(file: Path, folder: Path, damages: list[Damage]) -> None:
    broken = folder / file.name
    broken.write_bytes(damaged(file.read_bytes(), damages))
    survives(broken)


def test_there_is_a_recording_of_every_format() -> None:
    names = {load_recordings(file).format for file in FOLDER.iterdir()}
    assert names == {known.name for known in known_formats()}


@pytest.mark.parametrize("file", OWN)
@given(changes=CHANGES)
@settings(alike, max_examples=30)
def test_changed_values(file: Path, folder: Path, changes: list[Change]) -> None:
    change_values(file, folder, changes)


@pytest.mark.parametrize("file", OWN)
@given(damages=DAMAGES)
@settings(alike, max_examples=15)
def test_changed_bytes(file: Path, folder: Path, damages: list[Damage]) -> None:
    change_bytes(file, folder, damages)


@pytest.mark.parametrize("file", OTHERS)
@given(changes=CHANGES, damages=DAMAGES)
@settings(alike, max_examples=5)
def test_recordings_of_others(file: Path, folder: Path, changes: list[Change], damages: list[Damage]) -> None:
    try:
        change_values(file, folder, changes)
    except EvalSetError:
        return  # it cannot be read even while it is whole
    change_bytes(file, folder, damages)


@given(changes=CHANGES)
@settings(alike, max_examples=30)
def test_a_changed_session_store(changes: list[Change]) -> None:
    content = read_session_store(str(FOLDER / "strands_session"))
    (document,) = content.documents
    try:
        read_recording(Content(content.file, (Document(content.file, "", changed(document.value, changes)),)))
    except EvalSetError as refused:
        assert content.file in str(refused)  # noqa: PT017 - as above


@given(damages=DAMAGES)
@settings(alike, max_examples=60)
def test_changed_bytes_of_a_compressed_file(folder: Path, damages: list[Damage]) -> None:
    broken = folder / "run.jsonl.gz"
    whole = packed((FOLDER / "openai_chat_rows.jsonl").read_bytes())
    broken.write_bytes(damaged(whole, damages))
    survives(broken)
