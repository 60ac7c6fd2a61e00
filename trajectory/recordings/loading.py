"""Load recorded runs from files."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajectory.errors import EvalSetError, Problem
from trajectory.evalset.parsing import collector_paused
from trajectory.json_values import describe
from trajectory.recordings.containers import read_content
from trajectory.recordings.detection import read_recording
from trajectory.recordings.pairing_notes import pairing_notes
from trajectory.recordings.stores import is_session_store, read_session_store

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread

_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".traj", ".eval")
_PACKED: Final = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recorded conversations.

    Attributes:
        format: The format they were recorded in.
        threads: The conversations, in the order of the files and of their names.
        notes: What the readers had to say about the files.
        incomplete: Whether something is missing or could not be read, so that nothing that is checked may pass.
    """

    format: str
    threads: tuple[ConversationThread, ...]
    notes: tuple[str, ...] = ()
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    recordings: Recordings


def load_recordings(path: str | os.PathLike[str]) -> Recordings:
    """Load recorded runs, whatever format they have.

    Args:
        path: A file, plain or compressed; a folder, of which every file with recordings is read, also in folders inside
            it; or a glob, in which ``**`` stands for any number of folders.

    Returns:
        The recordings of all files.

    Raises:
        EvalSetError: No file is there, a file cannot be read, has no format that is known or more than one, or two
            conversations have one id.
    """
    files: list[_File] = []
    problems: list[Problem] = []
    for file in files_of(os.fsdecode(path)):
        try:
            files.append(_load(file))
        except EvalSetError as wrong:
            problems += wrong.problems
    problems += _repeated(files)
    if problems:
        raise EvalSetError(problems)
    loaded = [file.recordings for file in files]
    return Recordings(
        ", ".join(sorted({one.format for one in loaded})),
        tuple(thread for one in loaded for thread in one.threads),
        tuple(note for one in loaded for note in one.notes),
        any(one.incomplete for one in loaded),
    )


def _load(file: str) -> _File:
    with collector_paused():
        content = read_session_store(file) if Path(file).is_dir() else read_content(file)
        name, reading = read_recording(content)
    threads = _named(reading.threads, _plain(Path(file)).stem)
    found = pairing_notes(threads) if threads else ["no conversation stands in it"]
    notes = (*content.notes, *reading.notes, *(f"{file}: {note}" for note in found))
    return _File(file, Recordings(name, threads, notes, content.incomplete or reading.incomplete))


def _named(threads: tuple[ConversationThread, ...], name: str) -> tuple[ConversationThread, ...]:
    """Name the conversations that have no id after their file, and by their position where there are more."""
    if len(threads) == 1:
        return tuple(thread if thread.id else thread.model_copy(update={"id": name}) for thread in threads)
    return tuple(
        thread if thread.id else thread.model_copy(update={"id": f"{name}-{number}"})
        for number, thread in enumerate(threads, 1)
    )


def files_of(path: str) -> list[str]:
    """List the files that a path, a folder or a glob stands for; a single one need not be there.

    Raises:
        EvalSetError: A folder or a glob stands for none.
    """
    if is_session_store(Path(path)):
        return [path]
    if Path(path).is_dir():
        return _some(path, _inside(Path(path)), f"a folder without {' and '.join(_SUFFIXES[:2])} files")
    if glob.has_magic(path) and not Path(path).exists():
        found = sorted(name for name in glob.glob(path, recursive=True) if Path(name).is_file())  # noqa: PTH207
        return _some(path, found, "a pattern that matches no file")
    return [path]


def _inside(folder: Path) -> list[str]:
    stores = {file.parent for file in folder.rglob("session.json") if is_session_store(file.parent)}
    files = (file for file in folder.rglob("*") if _holds_recordings(file) and file.is_file())
    found = [*stores, *(file for file in files if not stores.intersection(file.parents))]
    return sorted(
        str(file) for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _holds_recordings(file: Path) -> bool:
    return _plain(file).suffix.lower() in _SUFFIXES


def _plain(file: Path) -> Path:
    """Name a file without the suffix of its compression."""
    return file.with_suffix("") if file.suffix.lower() in _PACKED else file


def _some(path: str, files: list[str], otherwise: str) -> list[str]:
    if not files:
        raise EvalSetError([Problem(path, None, None, "", "recordings", otherwise)])
    return files


def _repeated(files: list[_File]) -> list[Problem]:
    first: dict[str, str] = {}
    found: list[Problem] = []
    for file in files:
        for thread in file.recordings.threads:
            if thread.id in first:
                hint = f"the first one stands in {first[thread.id]}"
                expected = "thread ids that no other recording has"
                found.append(Problem(file.name, None, None, "", expected, f"{describe(thread.id)} again", hint))
            first.setdefault(thread.id, file.name)
    return found
