"""Recorded runs one after the other, in bounded memory where each line of a file is a conversation of its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import EvalSetError, Problem
from trajectory.evalset.document import Document
from trajectory.evalset.files import decode, file_name, holds_lines, read_lines
from trajectory.json_values import describe
from trajectory.recordings.containers import Content
from trajectory.recordings.detection import are_native_lines, choose, read_as
from trajectory.recordings.formats import FormatOfLines
from trajectory.recordings.formats.message_lists import looks_once
from trajectory.recordings.loading import load_recordings

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from trajectory.conversation import ConversationThread
    from trajectory.recordings.formats import Reading

_FIRST: Final = 20
"""How many records tell the format."""
_WHOLE: Final = "load_recordings reads what is there, and says what is not"


def iter_recordings(path: str | os.PathLike[str]) -> Iterator[ConversationThread]:
    """Load recorded runs one after the other.

    A plain file of JSON Lines is read in bounded memory if each line is a conversation of its own: messages of OpenAI and
    of others, trajectories of ATIF, sessions of Google ADK, threads of the native shape. Everything else is loaded whole:
    spans may belong to a trace that goes on in any later line, and a later log of a model call may repeat an earlier one.

    Args:
        path: As for `load_recordings`.

    Yields:
        The conversations that `load_recordings` gives, under the same ids.

    Raises:
        EvalSetError: As for `load_recordings`, when the line is reached. So is what that marks as incomplete: a line that
            cannot be read, or a conversation of which something is missing. Also a line of another format than the first
            lines have.
    """
    stream = ConversationLines(file_name(path))
    return _named(stream) if stream.is_of_lines else _whole(path)


def _whole(path: str | os.PathLike[str]) -> Iterator[ConversationThread]:
    recordings = load_recordings(path)
    if recordings.incomplete:
        raise EvalSetError([_incomplete(file_name(path), None, recordings.notes)])
    yield from recordings.threads


def _incomplete(file: str, line: int | None, notes: tuple[str, ...]) -> Problem:
    found = "; ".join(("one of which something is missing", *notes))
    return Problem(file, line, None, "", "a recording that is whole", found, _WHOLE)


class ConversationLines:
    """The lines of a file of which each may be a conversation of its own.

    Attributes:
        file: The file as the user named it.
        is_of_lines: Whether each of them is one.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._lines = read_lines(file) if Path(file).is_file() else iter(())
        self._first = list(islice(self._lines, _FIRST))
        self._stands_alone: Callable[[Any], bool] = lambda record: are_native_lines([record])
        self.is_of_lines = self._is_of_lines()

    def threads(self) -> Iterator[tuple[ConversationThread, int]]:
        """Give the conversations, each with the number of its line."""
        for number, data in self.lines():
            reading = self.read(number, data)
            if reading.incomplete:
                raise EvalSetError([_incomplete(self.file, number, reading.notes)])
            for thread in reading.threads:
                yield thread, number

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Give the lines that are not blank, with their numbers; once."""
        return chain(self._first, self._lines)

    def read(self, number: int, data: bytes) -> Reading:
        """Read a line.

        Args:
            number: Its number, from 1.
            data: What stands on it.

        Returns:
            Its conversations.

        Raises:
            EvalSetError: It cannot be read, or is of another format than the first lines are.
        """
        document = self._document(number, data)
        if type(document.value) is not self._kind or not self._stands_alone(document.value):
            expected = f"a conversation of the format {self.format}, as on the lines before"
            raise EvalSetError([Problem(self.file, number, 1, "", expected, describe(document.value), _WHOLE)])
        return self._read(document)

    def _is_of_lines(self) -> bool:
        try:
            documents = tuple(self._document(*line) for line in self._first)
        except EvalSetError:
            return False  # one document over many lines, compressed, damaged: who loads it whole says what it is
        if not documents or (len(documents) == 1 and not holds_lines(self.file)):
            return False
        try:
            with looks_once():
                self._format = choose(Content(self.file, documents, has_records=True))
        except EvalSetError:
            return False
        self._kind = type(documents[0].value)
        if isinstance(self._format, FormatOfLines):  # a question that takes long, and is not asked again for each line
            self._stands_alone = self._format.stands_alone
        elif self._format is not None:
            return False
        return all(type(one.value) is self._kind and self._stands_alone(one.value) for one in documents)

    @property
    def format(self) -> str:
        """The name of the format that the lines have."""
        return self._format.name if self._format else "native"

    def _document(self, number: int, data: bytes) -> Document:
        return Document.read(self.file, decode(self.file, data, number), line=number, end="the end of the line")

    def _read(self, document: Document) -> Reading:
        try:
            return read_as(self._format, Content(self.file, (document,), has_records=True))
        except EvalSetError as wrong:
            raise EvalSetError([replace(one, line=one.line or document.line) for one in wrong.problems]) from wrong


def _named(stream: ConversationLines) -> Iterator[ConversationThread]:
    """Name the conversations that have no id as `load_recordings` does, and refuse two of one id."""
    first: dict[str, int] = {}
    lines = stream.threads()
    begin = list(islice(lines, 2))
    name = Path(stream.file).stem
    for number, (thread, line) in enumerate(chain(begin, lines), 1):
        own = thread.id or (name if len(begin) == 1 else f"{name}-{number}")
        if first.setdefault(own, line) != line:
            expected, hint = "thread ids that no other recording has", f"the first one stands on line {first[own]}"
            raise EvalSetError([Problem(stream.file, line, None, "", expected, f"{describe(own)} again", hint)])
        yield thread if thread.id else thread.model_copy(update={"id": own})
