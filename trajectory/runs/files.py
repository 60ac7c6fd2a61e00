"""Run files: written thread by thread while a run goes on, and as a whole when it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import ValidationError

from trajectory.atomic import replace_file
from trajectory.errors import ConfigurationError
from trajectory.invalid import setting_problem
from trajectory.json_values import describe, shorten
from trajectory.runs.records import FORMAT, VERSION, RunFile, ThreadEntry

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

_Record = TypeVar("_Record", RunFile, ThreadEntry)

JOURNAL_SUFFIX: Final = ".partial"
"""The name of a journal is that of its run file with this behind it."""


def save_run(run: RunFile, path: str | os.PathLike[str]) -> None:
    """Write a run into a file; an existing one is replaced as a whole or not at all.

    Args:
        run: The run.
        path: The file.

    Raises:
        OSError: It cannot be written.
    """
    replace_file(Path(path), (run.model_dump_json(indent=1) + "\n").encode())


def load_run(path: str | os.PathLike[str]) -> RunFile:
    """Load a run; of one that was interrupted, what its journal kept.

    Args:
        path: The run file. Where there is none, its journal is read.

    Returns:
        The run. One that was interrupted is not `complete`.

    Raises:
        ConfigurationError: There is no such file, or it is no run file of a version that is known here.
    """
    file = Path(path)
    if file.is_dir():
        raise ConfigurationError(f"{path}: expected a run file, found a folder")
    journal = file if file.name.endswith(JOURNAL_SUFFIX) else file.with_name(file.name + JOURNAL_SUFFIX)
    if file == journal or (journal.exists() and not file.exists()):
        return _from_journal(journal)
    document = _decoded(_text_of(file), str(path))
    return _validated(RunFile, document, str(path))


class Journal:
    """What a run that goes on has come to so far, thread by thread, beside the file that it will end in.

    Attributes:
        problem: Why it can no longer be written, if so. A run goes on all the same.
    """

    def __init__(self, path: Path, head: RunFile) -> None:
        """Begin a journal.

        Args:
            path: The run file.
            head: The run as it begins, without threads.

        Raises:
            ConfigurationError: There is no place for it, or something else than a run stands there.
        """
        _refuse_foreign(path)
        self.path = path
        self.problem: OSError | None = None
        self._places: dict[tuple[str, str], int] = {}
        self._file = path.with_name(path.name + JOURNAL_SUFFIX)
        try:
            self._file.write_text(head.model_dump_json(exclude={"threads"}) + "\n", encoding="utf-8")
        except OSError as problem:
            raise ConfigurationError(f"{path}: the results cannot be written: {problem.strerror}") from None

    def add(self, entry: ThreadEntry, line: str = "") -> None:
        """Keep what a thread came to.

        Args:
            entry: What it came to.
            line: The same as JSON, where that is at hand, or where the entry says less.
        """
        if self.problem is not None:
            return
        try:
            with self._file.open("ab") as stream:
                self._places[entry.eval_set, entry.id] = stream.tell()
                stream.write((line or entry.model_dump_json()).encode() + b"\n")
        except OSError as problem:
            self.problem = problem

    def finish(self, run: RunFile) -> None:
        """Put the run file in the place of the journal; where that cannot be, the journal stays.

        Args:
            run: The run. What its threads came to is taken from the journal.
        """
        try:
            if self.problem is None:
                replace_file(self.path, self._pieces(run))
            else:  # the journal does not hold everything; perhaps there is room now
                save_run(run, self.path)
        except OSError as problem:
            self.problem = self.problem or problem
        if self.problem is None:
            self._file.unlink(missing_ok=True)

    def _pieces(self, run: RunFile) -> Iterator[bytes]:
        """Give the run file piece by piece, a thread a line: all of it need not be held in memory."""
        head = run.model_dump_json(indent=1, exclude={"threads"}).removesuffix("\n}")
        yield f'{head},\n "threads": ['.encode()
        with self._file.open("rb") as journal:
            for number, entry in enumerate(run.threads):
                journal.seek(self._places[entry.eval_set, entry.id])
                yield (b",\n  " if number else b"\n  ") + journal.readline().rstrip(b"\n")
        yield b"\n ]\n}\n"


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder, and a file that a run would replace and that no run has written: named by mistake, most likely."""
    if path.is_dir():
        raise ConfigurationError(f"{path}: the results cannot be written: this is a folder")
    if not path.is_file():
        return
    with path.open("rb") as stream:
        begin = b"".join(stream.read(100).split())
    if begin and not begin.startswith(f'{{"format":"{FORMAT}"'.encode()):
        raise ConfigurationError(f"{path}: the results would replace a file that is no run file; name another one")


def _from_journal(file: Path) -> RunFile:
    lines = _text_of(file).split("\n")
    whole = [line for line in lines[:-1] if line.strip()]  # what stands behind the last line feed was cut off
    if not whole:
        raise ConfigurationError(f"{file}: expected the journal of a run, found nothing that is whole")
    head = _validated(RunFile, _decoded(whole[0], f"{file}:1"), f"{file}:1")
    threads = {}
    for number, line in enumerate(whole[1:], start=2):
        entry = _validated(ThreadEntry, _decoded(line, f"{file}:{number}"), f"{file}:{number}")
        threads[entry.eval_set, entry.id] = entry  # a rerun plugin runs a thread again: its last run counts
    return head.model_copy(update={"threads": tuple(threads.values()), "complete": False})


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(f"{file}: expected a run file, found nothing of that name") from None
    except OSError as problem:
        raise ConfigurationError(
            f"{file}: expected a run file, found one that cannot be read: {problem.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file}: expected a run file, found bytes that are not UTF-8") from None


def _decoded(text: str, place: str) -> Any:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ConfigurationError(f"{place}: expected a run file, found no JSON: {problem}") from None
    if not isinstance(document, dict):
        raise ConfigurationError(f"{place}: expected a run file, found {describe(document)}")
    return document


def _validated(record: type[_Record], document: dict[str, Any], place: str) -> _Record:
    if record is RunFile and document.get("format") != FORMAT:
        hint = "a run file is written by --results"
        raise ConfigurationError(f"{place}: expected a run file, found {describe(document)} ({hint})")
    if record is RunFile and document.get("version") != VERSION:
        found = shorten(repr(document.get("version")))
        raise ConfigurationError(f"{place}: expected a run file of version {VERSION}, found version {found}")
    try:
        return record.model_validate(document)
    except ValidationError as invalid:
        pointer, expected, found, _ = setting_problem(invalid.errors()[0], lambda _: ())
        raise ConfigurationError(f"{place}: {pointer}: expected {expected}, found {found}") from None
