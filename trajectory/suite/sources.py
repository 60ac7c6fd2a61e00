"""Recorded threads as they come: from files that are read line by line, and from files that have to be read whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from trajectory.errors import ConfigurationError, EvalSetError
from trajectory.recordings import load_recordings
from trajectory.recordings.pairing_notes import PairingNotes
from trajectory.recordings.streaming import ConversationLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import ConversationThread

_CHUNK_BYTES: Final = 1 << 18
"""What an interrupt may lose, and what several processes share out: neither should be long."""
_CHUNK_THREADS: Final = 50
_NOTES_KEPT: Final = 20


@dataclass(slots=True)
class Reading:
    """What was read of a piece of a source.

    Attributes:
        threads: The recorded threads, each with the number of its line; 0 where lines do not matter.
        first: How many threads of the first line stood in pieces before.
        notes: What the reader had to say.
        left_out: How many further notes there were.
        incomplete: Whether something is missing or could not be read.
    """

    threads: list[tuple[ConversationThread, int]] = field(default_factory=list)
    first: int = 0
    notes: list[str] = field(default_factory=list)
    left_out: int = 0
    incomplete: bool = False

    def note(self, notes: Iterable[str]) -> None:
        """Add what the reader had to say."""
        for note in notes:
            if len(self.notes) < _NOTES_KEPT:
                self.notes.append(note)
            else:
                self.left_out += 1


class Source(Protocol):
    """Where recorded threads come from.

    Attributes:
        name: The file as the user named it.
        format: The format that it was recorded in.
    """

    name: str
    format: str

    def pieces(self) -> Iterator[Any]:
        """Cut it into pieces, in order; as often as wanted."""

    def read(self, piece: Any) -> Reading:
        """Read a piece."""


class Lines:
    """A file of JSON Lines of which each is a conversation: read in pieces of some hundred kilobytes."""

    def __init__(self, file: str) -> None:
        self.name = file
        self._lines: ConversationLines | None = ConversationLines(file)
        self.holds_conversations = self._lines.is_of_lines
        self.format = self._lines.format if self.holds_conversations else ""

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open file behind when this goes to another process."""
        return {**self.__dict__, "_lines": None}

    def pieces(self) -> Iterator[list[tuple[int, bytes]]]:
        """Cut the file into pieces."""
        piece, size = list[tuple[int, bytes]](), 0
        for number, data in ConversationLines(self.name).lines():
            piece.append((number, data))
            size += len(data)
            if size >= _CHUNK_BYTES:
                yield piece
                piece, size = [], 0
        if piece:
            yield piece

    def read(self, piece: list[tuple[int, bytes]]) -> Reading:
        """Read lines; one that cannot be read is noted, and the others are read all the same."""
        if self._lines is None:
            self._lines = ConversationLines(self.name)
        reading, pairing = Reading(), PairingNotes()
        for number, data in piece:
            try:
                found = self._lines.read(number, data)
            except EvalSetError as wrong:
                reading.note(f"{problem}; this line was left out" for problem in wrong.problems)
                reading.incomplete = True
                continue
            reading.note(found.notes)
            reading.incomplete |= found.incomplete
            for thread in found.threads:
                pairing.add(thread)
                reading.threads.append((thread, number))
        reading.note(f"{self.name}: {note}" for note in pairing.notes())
        return reading


class Whole:
    """Recordings that were read as a whole: a file of another kind, a folder, a glob."""

    def __init__(self, file: str) -> None:
        self.name = file
        self._recordings = load_recordings(file)
        self.format = self._recordings.format

    def pieces(self) -> Iterator[int]:
        """Give the places at which pieces begin; there is one even where no thread is."""
        yield from range(0, max(len(self._recordings.threads), 1), _CHUNK_THREADS)

    def read(self, piece: int) -> Reading:
        """Give the threads of a piece; what is to be said about all of them is said with the first."""
        found = self._recordings
        reading = Reading([(thread, 0) for thread in found.threads[piece : piece + _CHUNK_THREADS]], first=piece)
        if not piece:
            reading.notes += found.notes
            reading.incomplete = found.incomplete
        return reading


def open_source(file: str) -> Source:
    """Open a file, a folder or a glob of recordings.

    Raises:
        ConfigurationError: It cannot be read, or has no format that is known.
    """
    if not file.strip():  # most likely a variable of a shell that is not set; the name of this folder to others
        raise ConfigurationError("the recording: expected a file, a folder or a glob, found an empty name")
    if Path(file).is_file():
        lines = Lines(file)
        if lines.holds_conversations:
            return lines
    return Whole(file)


def stem_of(source: Source) -> str:
    """Name the conversations of a source that have no id themselves."""
    return Path(source.name).stem
