"""Conversation threads from spans, whatever container and dialect they were in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import ConversationThread
from trajectory.json_values import printable, shorten
from trajectory.recordings.spans.activity import Activity, activities
from trajectory.recordings.spans.building import TraceBuilder
from trajectory.recordings.spans.forest import Forest
from trajectory.recordings.spans.turns import turns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import Trace
    from trajectory.recordings.spans.span import Span


def read_spans(spans: Iterable[Span]) -> tuple[tuple[ConversationThread, ...], tuple[str, ...]]:
    """Read conversations.

    The messages that models gave say which tools were called, with what and in which order; the spans of tools say what
    came of it. What tools do on their own account, such as running another agent, is no part of the conversation.

    Args:
        spans: The spans of any number of traces.

    Returns:
        A thread for each recorded conversation id, in the order of their beginning, and one without an id (the empty
        string) for each trace that records none; and what was left out, in words.
    """
    forest = Forest(spans)
    notes = [f"{forest.repeated} spans stand in the file more than once and count once"] if forest.repeated else []
    threads: dict[tuple[str | None, str], list[Activity]] = {}
    silent: list[str] = []
    for trace, found in activities(forest):
        name = trace[0].trace_id
        for activity in found:
            known = activity.conversation
            threads.setdefault((known, name if known is None else ""), []).append(activity)
        silent += [] if found else [f"{name} ({shorten(printable(trace[0].name), 40)})"]
    if silent:
        notes.append(f"no request to a model and no run of a tool, so no turn, in the traces {', '.join(silent)}")
    read = tuple(_thread(known, trace, found, notes) for (known, trace), found in threads.items())
    return read, tuple(notes)


def _thread(known: str | None, trace: str, found: list[Activity], notes: list[str]) -> ConversationThread:
    place = f"trace {trace}" if known is None else f"thread {printable(known)}"
    inner = [tool for activity in found for tool in activity.inner]
    if inner:
        names = ", ".join(printable(name) for name in sorted(set(inner)))
        notes.append(f"{place}: {len(inner)} calls of sub-agents are left out: {names}")
    return ConversationThread(id=known or "", traces=tuple(_traces(found, place, notes)))


def _traces(found: list[Activity], place: str, notes: list[str]) -> Iterable[Trace]:
    told = turns(found)
    for number, turn in enumerate(told, start=1):
        following = told[number].exchanges if number < len(told) else []
        builder = TraceBuilder(turn, after=following[0][1] if following else None)
        yield builder.trace(f"turn-{number}")
        notes += [f"{place}, turn {number}: {note}" for note in builder.notes]
