"""What does not fit together in recorded conversations: results without a call, and calls without a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        loose = [(number, trace.pairing) for number, trace in enumerate(thread.traces, 1) if not _is_whole(trace)]
        if not loose:
            continue
        name = f"thread {shorten(printable(thread.id))}"
        for number, pairing in loose:
            unpaired += (
                f"{name}, turn {number}: a result{_of(one.name)} belongs to no call" for one in pairing.unpaired
            )
        if len(loose) < len(thread.traces) or any(call.result for _, pairing in loose for call in pairing.calls):
            without = ((number, call) for number, pairing in loose for call in pairing.calls if not call.result)
            unanswered += (f"{name}, turn {number}: the call{_of(call.name)} has no result" for number, call in without)
    return (*_first(unpaired), *_first(unanswered))


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


def _first(notes: list[str]) -> list[str]:
    rest = len(notes) - _SHOWN
    return [*notes[:_SHOWN], *([f"{rest} further notes of this kind were left out"] if rest > 0 else [])]
