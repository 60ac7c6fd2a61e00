"""Lists of chat messages, as programs hand them around, as traces: one for each user turn.

Understood are the messages of OpenAI Chat (also the legacy ``function_call``), of Anthropic (blocks of tools
and of their results), of LangChain and of the native format; as mappings, as dataclasses, or as objects with a
``model_dump``. A tool's result never starts a turn, whoever is named as its sender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from typing import TYPE_CHECKING

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    Iteration,
    IterationOutput,
    Message,
    Trace,
    Usage,
    UserMessage,
    moment,
)
from trajectory.json_values import describe
from trajectory.pairing import calls_in
from trajectory.recordings.beside import Beside
from trajectory.recordings.chat import MessageReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from trajectory.conversation import Time
    from trajectory.recordings.beside import Request


def read_messages(messages: Sequence[object], *, start: datetime, end: datetime) -> list[Trace]:
    """Read a conversation, turn by turn.

    What stands before the first user message belongs to no turn, such as a greeting, unless tools are at work there: that
    is a turn of which it is not recorded what the user said. So is a conversation without any user message.

    Args:
        messages: The messages, oldest first.
        start: When the conversation began.
        end: When it ended.

    Returns:
        A trace for each user turn, named by its position: ``turn-1``, ``turn-2``, ...

    Raises:
        TypeError: Something is no message; the text names its position and what stands there.
    """
    turns = _turns(_entries(messages))
    return [_trace(f"turn-{number}", *turn, (start, end)) for number, turn in enumerate(turns, start=1)]


def turn_from_messages(messages: Sequence[object], query: str, *, start: datetime, end: datetime, id: str) -> Trace:  # noqa: A002 - the name of the field
    """Read the last turn of a conversation.

    Args:
        messages: The messages of the turn, or of the whole session so far, oldest first.
        query: What the user said in this turn. The turn begins behind the last user message that says just this, or
            else behind the last user message; with no user message at all, everything belongs to it.
        start: When the turn began.
        end: When it ended.
        id: Names the turn.

    Returns:
        The turn.

    Raises:
        TypeError: Something is no message; the text names its position and what stands there.
    """
    entries = _entries(messages)
    said = {index: entry.record.content for index, entry in enumerate(entries) if isinstance(entry.record, UserMessage)}
    same = [index for index, content in said.items() if content == query]
    begin = (same or list(said) or [-1])[-1] + 1
    return _trace(id, _Entry(UserMessage(content=query)), entries[begin:], (start, end))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A record of the conversation, if it is one, and what is told beside it."""

    record: Message | None
    time: Time | None = None
    request: Request | None = None


def _entries(messages: object) -> list[_Entry]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise TypeError(f"expected a list of messages, found {describe(messages)}")
    entries: list[_Entry] = []
    names: dict[str, str] = {}
    for index, given in enumerate(messages):
        reader = MessageReader(f"message {index + 1} of {len(messages)}", names)
        if not isinstance(given, Beside):
            entries += map(_Entry, reader.read(given))
            entries += [_Entry(None, request=reader.request)] if reader.request else []
            continue
        records = [] if given.message is None else reader.read(given.message)
        entries += [_Entry(_at(record, given.time), given.time) for record in records]
        entries.append(_Entry(None, given.time, given.request))
    return entries


def _at(record: Message, time: Time | None) -> Message:
    """Let a result have come when its message did, unless more is known of it."""
    if time is None or not isinstance(record, FunctionMessage) or record.end_time is not None:
        return record
    return record.model_copy(update={"end_time": time})


def _turns(entries: Sequence[_Entry]) -> Iterator[tuple[_Entry, list[_Entry]]]:
    user, answer = None, list[_Entry]()
    for entry in entries:
        if not isinstance(entry.record, UserMessage):
            answer.append(entry)
            continue
        if user or _has_tools(answer):
            yield user or _Entry(UserMessage(content="")), answer
        user, answer = entry, []
    is_all = len(answer) == len(entries)
    if user or _has_tools(answer) or (is_all and any(isinstance(one, AssistantMessage) for one in _records(answer))):
        yield user or _Entry(UserMessage(content="")), answer


def _has_tools(entries: Iterable[_Entry]) -> bool:
    """Tell whether tools were called, or gave something back for calls that are not there."""
    records = _records(entries)
    return bool(calls_in(records)) or any(isinstance(record, FunctionMessage) for record in records)


def _records(entries: Iterable[_Entry]) -> list[Message]:
    return [entry.record for entry in entries if entry.record is not None]


def _trace(name: str, user: _Entry, answer: Sequence[_Entry], span: tuple[datetime, datetime]) -> Trace:
    turn = [user, *answer]
    said = _records(answer)
    times = sorted((entry.time for entry in turn if entry.time is not None), key=moment)
    start, end = (times[0], times[-1]) if times else map(_time, span)
    requests = [entry.request for entry in turn if entry.request]
    final = [record for record in said if isinstance(record, AssistantMessage) and not record.tool_calls]
    return Trace.of_sound(
        id=name,
        user_message=user.record,
        iterations=tuple(_iterations(turn, start, end)),
        output=final[-1] if final else AssistantMessage(),
        tools=(),
        tool_calls=calls_in(said),
        start_time=start,
        end_time=end,
        usage=Usage.total(request.usage for request in requests),
        models=tuple(dict.fromkeys(request.model for request in requests if request.model)) or None,
    )


@lru_cache(maxsize=64)
def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _iterations(turn: Sequence[_Entry], start: Time, end: Time) -> list[Iteration]:
    """Make an iteration of each assistant message, with the results that follow it; its history is that of the turn.

    Results before the first of them belong to no call of the turn. They stand in its first iteration, so as not to be lost.
    """
    records = _records(turn)
    outputs: list[tuple[int, list[IterationOutput]]] = []
    asked = False
    for index, record in enumerate(records):
        if isinstance(record, AssistantMessage) and not asked and outputs:
            outputs[-1][1].append(record)
        elif isinstance(record, AssistantMessage) or (isinstance(record, FunctionMessage) and not outputs):
            outputs.append((index, [record]))
        elif isinstance(record, FunctionMessage):
            outputs[-1][1].append(record)
        asked = asked or isinstance(record, AssistantMessage)
    # The parts are records already: to validate every history again would take quadratic time.
    return [
        Iteration.of_sound(history=tuple(records[:index]), output=tuple(output), start_time=start, end_time=end)
        for index, output in outputs
    ]
