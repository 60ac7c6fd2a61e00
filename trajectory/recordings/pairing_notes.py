"""What does not fit together in recorded conversations: results without a call, and calls without a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.conversation import ConversationThread, Trace

_SHOWN: Final = 5


def pairing_notes(threads: Sequence[ConversationThread]) -> tuple[str, ...]:
    """Note results that belong to no call, and calls that have none where others of their conversation do.

    Args:
        threads: The conversations of a file, with their names.

    Returns:
        The notes; of each kind the first few, and how many there are besides.
    """
    unpaired, unanswered = list[str](), list[str]()
    for thread in threads:
        without = list[str]()
        answered = False
        for place, trace in _turns(thread):
            pairing = trace.pairing
            unpaired += (f"{place}: a result{_of(result.name)} belongs to no call" for result in pairing.unpaired)
            without += (f"{place}: the call{_of(call.name)} has no result" for call in pairing.calls if not call.result)
            answered = answered or any(call.result for call in pairing.calls)
        unanswered += without if answered else ()
    return (*_first(unpaired), *_first(unanswered))


def _turns(thread: ConversationThread) -> Iterator[tuple[str, Trace]]:
    for number, trace in enumerate(thread.traces, 1):
        yield f"thread {shorten(printable(thread.id))}, turn {number}", trace


def _of(name: str) -> str:
    return f" of {shorten(printable(name))}" if name else ""


def _first(notes: list[str]) -> list[str]:
    rest = len(notes) - _SHOWN
    return [*notes[:_SHOWN], *([f"{rest} further notes of this kind were left out"] if rest > 0 else [])]
