"""Lists of chat messages, as programs hand them around, as traces: one for each user turn.

Understood are the messages of OpenAI Chat (also the legacy ``function_call``), of Anthropic (blocks of tools
and of their results), of LangChain and of the native format; as mappings, as dataclasses, or as objects with a
``model_dump``. A tool's result never starts a turn, whoever is named as its sender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    Iteration,
    IterationOutput,
    Message,
    Trace,
    UserMessage,
)
from trajectory.json_values import describe
from trajectory.pairing import calls_in
from trajectory.recordings.chat import MessageReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime


def read_messages(messages: Sequence[object], *, start: datetime, end: datetime) -> list[Trace]:
    """Read a conversation, turn by turn.

    What stands before the first user message belongs to no turn, unless tools are called there: that is a turn in
    which the user said nothing.

    Args:
        messages: The messages, oldest first.
        start: When the conversation began.
        end: When it ended.

    Returns:
        A trace for each user turn, named by its position: ``turn-1``, ``turn-2``, ...

    Raises:
        TypeError: Something is no message; the text names its position and what stands there.
    """
    turns = _turns(_records(messages))
    return [_trace(f"turn-{number}", *turn, start, end) for number, turn in enumerate(turns, start=1)]


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
    records = _records(messages)
    said = {index: record.content for index, record in enumerate(records) if isinstance(record, UserMessage)}
    same = [index for index, content in said.items() if content == query]
    begin = (same or list(said) or [-1])[-1] + 1
    return _trace(id, UserMessage(content=query), records[begin:], start, end)


def _records(messages: object) -> list[Message]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise TypeError(f"expected a list of messages, found {describe(messages)}")
    records: list[Message] = []
    names: dict[str, str] = {}
    for index, message in enumerate(messages):
        records += MessageReader(f"message {index + 1} of {len(messages)}", names).read(message)
    return records


def _turns(records: Iterable[Message]) -> Iterator[tuple[UserMessage, list[Message]]]:
    user, answer = None, list[Message]()
    for record in records:
        if not isinstance(record, UserMessage):
            answer.append(record)
            continue
        if user or calls_in(answer):
            yield user or UserMessage(content=""), answer
        user, answer = record, []
    if user or calls_in(answer):
        yield user or UserMessage(content=""), answer


def _trace(name: str, user: UserMessage, answer: Sequence[Message], start: datetime, end: datetime) -> Trace:
    times = {"start_time": _time(start), "end_time": _time(end)}
    final = [record for record in answer if isinstance(record, AssistantMessage) and not record.tool_calls]
    return Trace.of_sound(
        id=name,
        user_message=user,
        iterations=tuple(_iterations([user, *answer], times)),
        output=final[-1] if final else AssistantMessage(),
        tools=(),
        tool_calls=calls_in(answer),
        **times,
    )


@lru_cache(maxsize=64)
def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _iterations(turn: Sequence[Message], times: dict[str, Any]) -> list[Iteration]:
    """Make an iteration of each assistant message, with the results that follow it; its history is that of the turn."""
    outputs: list[tuple[int, list[IterationOutput]]] = []
    for index, record in enumerate(turn):
        if isinstance(record, AssistantMessage):
            outputs.append((index, [record]))
        elif isinstance(record, FunctionMessage) and outputs:
            outputs[-1][1].append(record)
    # The parts are records already: to validate every history again would take quadratic time.
    return [Iteration.of_sound(history=tuple(turn[:index]), output=tuple(output), **times) for index, output in outputs]
