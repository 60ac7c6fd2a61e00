"""What does not fit together in recorded conversations: results without a call, and calls without a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread

_SHOWN: Final = 5


def pairing_notes(threads: Iterable[ConversationThread]) -> tuple[str, ...]:
    """Note results that belong to no call, and calls that have none where others of their conversation do.

    Args:
        threads: The conversations of a file, with their names.

    Returns:
        The notes; of each kind the first few, and how many there are besides.
    """
    found = PairingNotes()
    for thread in threads:
        found.add(thread)
    return found.notes()


class PairingNotes:
    """The same for conversations that come one after the other; of the notes only the first few are kept."""

    def __init__(self) -> None:
        self._unpaired = _First()
        self._unanswered = _First()

    def add(self, thread: ConversationThread) -> None:
        """Look at a conversation."""
        without = list[str]()
        answered = False
        for number, trace in enumerate(thread.traces, 1):
            pairing = trace.pairing
            for result in pairing.unpaired:
                self._unpaired.add(f"{_place(thread, number)}: a result{_of(result.name)} belongs to no call")
            for call in pairing.calls:
                if call.result:
                    answered = True
                else:
                    without.append(f"{_place(thread, number)}: the call{_of(call.name)} has no result")
        for note in without if answered else ():
            self._unanswered.add(note)

    def notes(self) -> tuple[str, ...]:
        """Give the notes so far."""
        return (*self._unpaired.notes(), *self._unanswered.notes())


class _First:
    """The first few notes of a kind, and how many there are besides."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._rest = 0

    def add(self, note: str) -> None:
        if len(self._kept) < _SHOWN:
            self._kept.append(note)
        else:
            self._rest += 1

    def notes(self) -> list[str]:
        further = [f"{self._rest} further notes of this kind were left out"] if self._rest else []
        return [*self._kept, *further]


def _place(thread: ConversationThread, number: int) -> str:
    return f"thread {shorten(printable(thread.id))}, turn {number}"


def _of(name: str) -> str:
    return f" of {shorten(printable(name))}" if name else ""
