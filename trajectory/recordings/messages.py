"""Lists of chat messages, as programs hand them around, as traces: one for each user turn.

Understood are the messages of OpenAI Chat (also the legacy ``function_call``), of Anthropic (blocks of tools
and of their results), of LangChain and of the native format; as mappings, as dataclasses, or as objects with a
``model_dump``. A tool's result never starts a turn, whoever is named as its sender.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    from collections.abc import Iterable
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
    turns = _turns(messages)
    _bring_late_results_home(turns)
    is_all = len(turns) == 1
    told = [turn for turn in turns if turn.user or turn.has_tools or (is_all and (turn.has_answer or turn.failure))]
    return [_trace(f"turn-{number}", turn, (start, end)) for number, turn in enumerate(told, start=1)]


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
    turns = _turns(messages)
    asked = [index for index, turn in enumerate(turns) if turn.user]
    same = [index for index in asked if (user := turns[index].user) and user.content == query]
    turn, *later = turns[(same or asked or [0])[-1] :]
    for other in later:
        turn.take(other)
    return _trace(id, replace(turn, user=UserMessage(content=query)), (start, end))


@dataclass(slots=True)
class _Turn:
    """What stands in a conversation from one message of the user's to the next, and what is told beside it.

    Attributes:
        user: What the user said; ``None`` for what stands before that.
        said: What was said behind it.
        times: When anything of this was said, where that is known.
        requests: The requests to models.
        failure: The error in which the turn ended, unless something was said after it.
    """

    user: UserMessage | None = None
    said: list[Message] = field(default_factory=list)
    times: list[Time] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    failure: str | None = None

    @property
    def has_tools(self) -> bool:
        """Whether tools were called, or gave something back for calls that are not there."""
        return bool(calls_in(self.said)) or any(record.role == "function" for record in self.said)

    @property
    def has_strange_results(self) -> bool:
        """Whether results came for calls of no id that this turn knows."""
        found = {record.id for record in self.said if record.role == "function"} - {None}
        return bool(found) and not found <= {call.id for call in calls_in(self.said)}

    @property
    def has_answer(self) -> bool:
        """Whether a model said something."""
        return any(record.role == "assistant" for record in self.said)

    def take(self, later: _Turn) -> None:
        """Let a later turn be a part of this one."""
        self.said += [later.user, *later.said] if later.user else later.said
        self.times += later.times
        self.requests += later.requests
        self.failure = later.failure


def _turns(messages: object) -> list[_Turn]:
    """Tell the turns apart; the first one has no user, for it is what stands before them."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise TypeError(f"expected a list of messages, found {describe(messages)}")
    reader = MessageReader("", {})
    turns = [_Turn()]
    for index, given in enumerate(messages, 1):
        reader.place = f"message {index} of {len(messages)}"
        if isinstance(given, Beside):
            _take_beside(turns, given, reader)
            continue
        _take(turns, reader.read(given))
        if reader.request:
            turns[-1].requests.append(reader.request)
    return turns


def _bring_late_results_home(turns: list[_Turn]) -> None:
    """Let results belong to the turn of their call, where the user said something before they came."""
    waiting: dict[str, list[_Turn]] = {}
    for turn in turns if len(turns) > 1 and any(turn.has_strange_results for turn in turns) else ():
        own = Counter(call.id for call in calls_in(turn.said) if call.id)
        unanswered, kept = own.copy(), list[Message]()
        for record in turn.said:
            identity = (isinstance(record, FunctionMessage) and record.id) or ""
            homes = [] if identity in own else waiting.get(identity, [])
            (homes.pop().said if homes else kept).append(record)
            unanswered[identity] -= 1
        turn.said = kept
        for identity, count in unanswered.items():
            waiting.setdefault(identity, []).extend([turn] * count)


def _take(turns: list[_Turn], records: Iterable[Message]) -> None:
    for record in records:
        if record.role == "user":
            turns.append(_Turn(record))
        else:
            turns[-1].said.append(record)
            turns[-1].failure = None if record.role == "assistant" else turns[-1].failure


def _take_beside(turns: list[_Turn], given: Beside, reader: MessageReader) -> None:
    times = [] if given.time is None else [given.time]
    for record in () if given.message is None else reader.read(given.message):
        _take(turns, [_at(record, given.time)])
        turns[-1].times += times
    turns[-1].times += times
    turns[-1].requests += [given.request] if given.request else []
    turns[-1].failure = given.failure or turns[-1].failure


def _at(record: Message, time: Time | None) -> Message:
    """Let a result have come when its message did, unless more is known of it."""
    if time is None or not isinstance(record, FunctionMessage) or record.end_time is not None:
        return record
    return record.changed(end_time=time)


def _trace(name: str, turn: _Turn, span: tuple[datetime, datetime]) -> Trace:
    times = sorted(turn.times, key=moment)
    start, end = (times[0], times[-1]) if times else map(_time, span)
    user = turn.user or UserMessage(content="")
    spoken = [record for record in turn.said if record.role == "assistant"]
    final = [record for record in spoken if not record.tool_calls]
    return Trace.of_sound(
        id=name,
        user_message=user,
        iterations=tuple(_iterations([user, *turn.said], start, end)),
        output=turn.failure or (final[-1] if final else AssistantMessage()),
        tools=(),
        tool_calls=calls_in(spoken),
        start_time=start,
        end_time=end,
        usage=Usage.total(request.usage for request in turn.requests),
        models=tuple(dict.fromkeys(request.model for request in turn.requests if request.model)) or None,
    )


@lru_cache(maxsize=64)
def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _iterations(records: Sequence[Message], start: Time, end: Time) -> list[Iteration]:
    """Make an iteration of each assistant message, with the results that follow it; its history is that of the turn.

    Results before the first of them belong to no call of the turn. They stand in its first iteration, so as not to be lost.
    """
    outputs: list[tuple[int, list[IterationOutput]]] = []
    asked = False
    for index, record in enumerate(records):
        if record.role == "assistant":
            if asked or not outputs:
                outputs.append((index, [record]))
            else:
                outputs[-1][1].append(record)
            asked = True
        elif record.role == "function":
            if outputs:
                outputs[-1][1].append(record)
            else:
                outputs.append((index, [record]))
    # The parts are records already: to validate every history again would take quadratic time.
    return [
        Iteration.of_sound(history=tuple(records[:index]), output=tuple(output), start_time=start, end_time=end)
        for index, output in outputs
    ]
