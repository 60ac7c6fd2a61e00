"""What the readers of foreign shapes share: how turns, threads and sets are put together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajectory.conversation import (
    AssistantMessage,
    ConversationThread,
    FunctionMessage,
    Iteration,
    PromptTrace,
    ToolCall,
    Trace,
    UserMessage,
)
from trajectory.errors import EvalSetError
from trajectory.evalset.document import Finding
from trajectory.evalset.model import EvalSet, Origin
from trajectory.json_values import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.conversation import Time
    from trajectory.evalset.cursor import Cursor
    from trajectory.evalset.document import Document
    from trajectory.json_values import JsonValue

UNKNOWN_TIME: Final[Time] = (0, 0.0)
"""The native shape needs times; a shape that records none gives the beginning of the epoch."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back."""

    name: str
    value: JsonValue
    id: str | None = None

    def message(self) -> FunctionMessage:
        """Say it as a message."""
        content = self.value if isinstance(self.value, str | None) else json.dumps(self.value, ensure_ascii=False)
        return FunctionMessage(name=self.name, content=content, id=self.id)


@dataclass(slots=True)
class Turn:
    """A user turn of a foreign shape, on its way to a trace.

    Attributes:
        id: Names the turn.
        query: What the user said.
        response: What the agent should answer.
        calls: The expected calls; ``None`` when nothing is stated about them.
        results: What the tools gave back.
        time: When it was recorded.
    """

    id: str
    query: str
    response: str | None = None
    calls: Sequence[ToolCall] | None = None
    results: Sequence[Result] = ()
    time: Time = UNKNOWN_TIME

    def trace(self) -> Trace:
        """Make it a trace."""
        record = PromptTrace if self.calls is None else Trace
        user = UserMessage(content=self.query)
        times = {"start_time": self.time, "end_time": self.time}
        asked = AssistantMessage(tool_calls=tuple(self.calls or ()) or None)
        output = (asked, *(result.message() for result in self.results))
        return record(
            id=self.id,
            user_message=user,
            iterations=(Iteration(history=(user,), output=output, **times),) if self.results else (),
            output=AssistantMessage(content=self.response),
            tools=(),
            tool_calls=tuple(self.calls or ()),
            **times,
        )


def call_of(cursor: Cursor, *, name: str = "name", arguments: str = "args") -> ToolCall:
    """Read a tool call whose keys are called otherwise than in the native shape."""
    given, identity = cursor.get(arguments), cursor.get("id")
    return ToolCall(
        name=cursor.need(name).text(),
        arguments=given.object() if given else {},
        id=identity.text() if identity else None,
    )


def thread_of(
    name: str, turns: Iterable[Turn], case: Cursor, state: Cursor | None = None, final_state: Cursor | None = None
) -> ConversationThread:
    """Make a thread; the case as it stands in the file is kept among its extras, so that nothing is lost."""
    description, tags = case.get("description"), case.get("tags")
    return ConversationThread(
        id=name,
        description=description.text() if description else "",
        traces=tuple(turn.trace() for turn in turns),
        tags=tuple(tag.text() for tag in tags.items()) if tags else (),
        initial_state=state.object() if state else None,
        expected_final_state=final_state.object() if final_state else None,
        eval_case=case.value,
    )


def eval_set_of(
    document: Document,
    shape: str,
    threads: Sequence[tuple[Cursor, ConversationThread]],
    *,
    root: Cursor,
    notes: Sequence[str] = (),
) -> EvalSet:
    """Make an eval set of the threads that were read, each with the place of its id.

    Raises:
        EvalSetError: Something was found to be wrong on the way, or two threads have one id.
    """
    findings = list(dict.fromkeys((*root.findings, *_repeated_ids(threads))))  # one value may be asked twice
    if findings:
        raise EvalSetError(document.problems(findings))
    texts = {key: found.text() for key in ("name", "description") if (found := root.get(key))}
    named = root.get("eval_set_id")
    eval_set = EvalSet(
        id=named.text() if named else stem(document.file), threads=tuple(thread for _, thread in threads), **texts
    )
    return eval_set.read_from(Origin(document.file, shape, tuple(f"{document.file}: {note}" for note in notes)))


def stem(file: str) -> str:
    """Give the name of a file without its folder and its suffixes, to name what the file itself does not name."""
    return Path(file).name.split(".")[0] or Path(file).name


def _repeated_ids(threads: Iterable[tuple[Cursor, ConversationThread]]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for place, thread in threads:
        if thread.id in first and thread.id:
            yield Finding(place.pointer, "an id that no other case has", describe(thread.id), first=first[thread.id])
        first.setdefault(thread.id, place.pointer)
