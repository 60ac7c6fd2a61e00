"""What does not fit together in recorded conversations: results without a call, and calls without a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread, Trace

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
        loose = [(number, trace.pairing) for number, trace in enumerate(thread.traces, 1) if not _is_whole(trace)]
        if not loose:
            return
        name = f"thread {shorten(printable(thread.id))}"
        for number, pairing in loose:
            for one in pairing.unpaired:
                self._unpaired.add(f"{name}, turn {number}: a result{_of(one.name)} belongs to no call")
        if len(loose) < len(thread.traces) or any(call.result for _, pairing in loose for call in pairing.calls):
            for number, call in (
                (number, call) for number, pairing in loose for call in pairing.calls if not call.result
            ):
                self._unanswered.add(f"{name}, turn {number}: the call{_of(call.name)} has no result")

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


def _is_whole(trace: Trace) -> bool:
    """Tell in a short time of most turns with calls that each of these has the one result that bears its id."""
    calls = [call.id for call in trace.tool_calls or ()]
    if not calls:
        return False
    said = (message for iteration in trace.iterations for message in iteration.output)
    results = [message.id for message in said if not isinstance(message, str) and message.role == "function"]
    named = set(calls)
    return len(results) == len(calls) == len(named) and None not in named and named == set(results)


def _of(name: str) -> str:
    return f" of {shorten(printable(name))}" if name else ""
