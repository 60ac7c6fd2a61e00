"""Load eval sets from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trajectory.errors import EvalSetError
from trajectory.evalset.adk_config import with_config
from trajectory.evalset.document import Document, Finding
from trajectory.evalset.files import decode, file_name, holds_lines, read_document, read_lines
from trajectory.evalset.model import EvalSet, Origin, effective_threads
from trajectory.evalset.native import SHAPE, read_thread, thread_notes
from trajectory.evalset.parsing import collector_paused
from trajectory.evalset.shapes import RECORDINGS, shape_of
from trajectory.json_values import describe

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from trajectory.conversation import ConversationThread
    from trajectory.errors import Problem


def load_eval_set(path: str | os.PathLike[str]) -> EvalSet:
    """Load an eval set; a ``.jsonl`` file holds one conversation thread a line.

    Args:
        path: The file.

    Returns:
        The eval set, with what its reader noted about the file.

    Raises:
        EvalSetError: The file cannot be read as an eval set; carries every problem with its place.
    """
    with collector_paused():
        return _load_lines(path) if holds_lines(path) else _load_document(path)


def load_conversation_threads(path: str | os.PathLike[str]) -> dict[str, ConversationThread]:
    """Load the conversation threads of an eval set, each with the `evaluation` that is in force for it.

    Args:
        path: The file.

    Returns:
        The threads by id, in the order of the file.

    Raises:
        EvalSetError: The file cannot be read as an eval set; carries every problem with its place.
    """
    return {thread.id: thread for thread in effective_threads(load_eval_set(path))}


def iter_conversation_threads(path: str | os.PathLike[str]) -> Iterator[ConversationThread]:
    """Load conversation threads one after the other; a ``.jsonl`` file is read in bounded memory.

    Args:
        path: The file.

    Yields:
        The threads, each with the `evaluation` that is in force for it.

    Raises:
        EvalSetError: The file cannot be read as an eval set. For a ``.jsonl`` file this comes when the line is reached.
    """
    if holds_lines(path):
        first_lines: dict[str, int] = {}
        yield from (_read_line(path, *line, first_lines)[0] for line in read_lines(path))
    else:
        yield from effective_threads(load_eval_set(path))


def _load_document(path: str | os.PathLike[str]) -> EvalSet:
    document = read_document(path)
    shape = shape_of(document)
    eval_set = shape.read(document)
    return with_config(eval_set) if shape.has_config else eval_set


def _load_lines(path: str | os.PathLike[str]) -> EvalSet:
    threads: list[ConversationThread] = []
    notes: list[str] = []
    problems: list[Problem] = []
    first_lines: dict[str, int] = {}
    for line in read_lines(path):
        try:
            thread, found = _read_line(path, *line, first_lines)
        except EvalSetError as wrong:
            problems += wrong.problems
        else:
            threads.append(thread)
            notes += found
    if problems and not threads:
        _refuse_other_lines(path)
    if problems:
        raise EvalSetError(problems)
    file = file_name(path)
    return EvalSet(id=Path(file).stem, threads=tuple(threads)).read_from(Origin(file, SHAPE, tuple(notes)))


def _refuse_other_lines(path: str | os.PathLike[str]) -> None:
    """Refuse a file of which the first line is no thread at all, instead of saying it of every line."""
    file = file_name(path)
    number, data = next(read_lines(path))
    document = Document.read(file, decode(file, data, number), line=number, end="the end of the line")
    if not (isinstance(document.value, dict) and document.value.keys() & {"id", "traces"}):
        raise EvalSetError(document.problems([Finding("", "a thread", describe(document.value), RECORDINGS)]))


def _read_line(
    path: str | os.PathLike[str], number: int, data: bytes, first_lines: dict[str, int]
) -> tuple[ConversationThread, list[str]]:
    file = file_name(path)
    document = Document.read(file, decode(file, data, number), line=number, end="the end of the line")
    thread = read_thread(document)
    first = first_lines.setdefault(thread.id, number)
    if first != number:
        hint = f"the first one stands on line {first}"
        finding = Finding("/id", "an id that no other thread has", describe(thread.id), hint)
        raise EvalSetError(document.problems([finding]))
    return thread, list(thread_notes(document.value, f"{file}:{number}"))
