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
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import Trace
    from trajectory.recordings.spans.span import Span


def read_spans(spans: Iterable[Span]) -> tuple[tuple[ConversationThread, ...], tuple[str, ...], bool]:
    """Read conversations.

    The messages that models gave say which tools were called, with what and in which order; the spans of tools say what
    came of it. What tools do on their own account, such as running another agent, is no part of the conversation.

    Args:
        spans: The spans of any number of traces.

    Returns:
        A thread for each recorded conversation id, in the order of their beginning, and one without an id (the empty
        string) for each trace that records none; what was left out, in words; and whether something is missing.
    """
    forest = Forest(spans)
    threads: dict[tuple[str | None, str], list[Activity]] = {}
    silent: list[str] = []
    for trace, found in activities(forest):
        name = trace[0].trace_id
        for activity in found:
            known = activity.conversation
            threads.setdefault((known, name if known is None else ""), []).append(activity)
        silent += [] if found else [f"{name} ({shorten(printable(trace[0].name), 40)})"]
    readers = [_ThreadReader(known, trace, found) for (known, trace), found in threads.items()]
    notes = [f"{forest.repeated} spans stand in the file more than once and count once"] if forest.repeated else []
    if silent:
        notes.append(f"no request to a model and no run of a tool, so no turn, in the traces {', '.join(silent)}")
    read = tuple(reader.thread() for reader in readers)
    notes += [note for reader in readers for note in reader.notes]
    return read, tuple(notes), any(reader.incomplete for reader in readers)


class _ThreadReader:
    """Reads one conversation."""

    def __init__(self, known: str | None, trace: str, found: list[Activity]) -> None:
        self.notes: list[str] = []
        self.incomplete = False
        self._known = known
        self._found = found
        self._place = f"trace {trace}" if known is None else f"thread {printable(known)}"

    def thread(self) -> ConversationThread:
        self._note_all("calls of sub-agents are left out", [name for one in self._found for name in one.inner])
        unfinished = [name for one in self._found for name in one.unfinished]
        self._note_all("spans never ended, so the recording is not whole", unfinished)
        self.incomplete |= bool(unfinished)
        return ConversationThread(id=self._known or "", traces=tuple(self._traces()))

    def _note_all(self, what: str, names: list[str]) -> None:
        if names:
            listed = ", ".join(printable(name) for name in sorted(set(names)))
            self.notes.append(f"{self._place}: {len(names)} {what}: {listed}")

    def _traces(self) -> Iterator[Trace]:
        told = turns(self._found)
        for number, turn in enumerate(told, start=1):
            following = told[number].exchanges if number < len(told) else []
            builder = TraceBuilder(turn, after=following[0][1] if following else None)
            yield builder.trace(f"turn-{number}")
            self.notes += [f"{self._place}, turn {number}: {note}" for note in builder.notes]
            self.incomplete |= builder.incomplete
