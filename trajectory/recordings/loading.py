"""Load recorded runs from files."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajectory.errors import EvalSetError, Problem
from trajectory.evalset import load_eval_set
from trajectory.json_values import describe

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.evalset import EvalSet

_SUFFIXES: Final = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recorded conversations.

    Attributes:
        format: The format they were recorded in.
        threads: The conversations, in the order of the files and of their names.
        notes: What the readers had to say about the files: nothing that keeps them from being used.
    """

    format: str
    threads: tuple[ConversationThread, ...]
    notes: tuple[str, ...] = ()


def load_recordings(path: str | os.PathLike[str]) -> Recordings:
    """Load recorded runs.

    Args:
        path: A file; a folder, of which every ``.json`` and ``.jsonl`` file is read, also in folders inside it; or a
            glob, in which ``**`` stands for any number of folders.

    Returns:
        The recordings of all files.

    Raises:
        EvalSetError: No file is there, a file cannot be read, or two files record a thread of the same id.
    """
    sets: list[EvalSet] = []
    problems: list[Problem] = []
    for file in _files(os.fsdecode(path)):
        try:
            sets.append(load_eval_set(file))
        except EvalSetError as wrong:
            problems += wrong.problems
    problems += _repeated(sets)
    if problems:
        raise EvalSetError(problems)
    shapes = sorted({recorded.shape for recorded in sets})
    threads = tuple(thread for recorded in sets for thread in recorded.threads)
    return Recordings(", ".join(shapes), threads, tuple(note for recorded in sets for note in recorded.notes))


def _files(path: str) -> list[str]:
    if Path(path).is_dir():
        return _some(path, _inside(Path(path)), f"a folder without {' and '.join(_SUFFIXES)} files")
    if glob.has_magic(path) and not Path(path).exists():
        found = sorted(name for name in glob.glob(path, recursive=True) if Path(name).is_file())  # noqa: PTH207
        return _some(path, found, "a pattern that matches no file")
    return [path]


def _inside(folder: Path) -> list[str]:
    files = (file for file in folder.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    return sorted(
        str(file) for file in files if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _some(path: str, files: list[str], otherwise: str) -> list[str]:
    if not files:
        raise EvalSetError([Problem(path, None, None, "", "recordings", otherwise)])
    return files


def _repeated(sets: list[EvalSet]) -> list[Problem]:
    first: dict[str, str] = {}
    found: list[Problem] = []
    for recorded in sets:
        file = recorded.path or ""
        for thread in recorded.threads:
            other = first.setdefault(thread.id, file)
            if other != file:
                hint = f"the first one stands in {other}"
                expected = "thread ids that no other recording has"
                found.append(Problem(file, None, None, "", expected, f"{describe(thread.id)} again", hint))
    return found
