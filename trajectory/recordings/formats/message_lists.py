"""Files that hold lists of messages, whoever's messages they are.

A list stands alone, under ``messages``, as the request and the response of a model call, or as one response; and a file
holds one of these, a list of them, or one a line. Which program's messages they are is told by all of them together: the
first dialect that any message shows is it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from trajectory.recordings.beside import Beside, request_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import UNKNOWN_QUERY, left_out, objects_of, records_of, thread_of
from trajectory.recordings.formats.dialects import NO_DIALECT, dialect_of
from trajectory.recordings.usage import read_usage
from trajectory.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.recordings.beside import Request

_IDS: Final = ("thread_id", "threadId", "conversation_id", "conversationId", "session_id", "sessionId", "id")
_REQUESTS: Final = ("responses_create_params", "request", "values")
_COSTS: Final = ("cost", "response_cost")
_SNAPSHOT: Final = "MESSAGES_SNAPSHOT"
_FAILED: Final = "a request to the model failed"
_NO_ANSWER: Final = "a response is no whole answer of a model, such as a piece of a stream; it was left out"
_NO_TOOLS: Final = "no message shows a tool call: either none was made, or calls were not recorded"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A list of messages from a file.

    Attributes:
        messages: The messages as they stand there.
        id: The id that stands beside them.
        lacks_query: Whether the list begins with an answer, because the request was not recorded.
        is_log: Whether it is the log of one model call: the next call's log repeats it.
        notes: What of it is not read.
        request: The request to the model that the last message answers.
        is_cut: Whether an answer is missing that was given, so that nothing may be concluded from what is not there.
    """

    messages: list[dict[str, Any]]
    id: str | None = None
    lacks_query: bool = False
    is_log: bool = False
    notes: tuple[str, ...] = ()
    request: Request | None = None
    is_cut: bool = False


@dataclass(frozen=True)
class Converted:
    """What a dialect makes of messages: such as the reader of chat messages understands, and notes."""

    messages: list[Any]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class MessageLists:
    """The format of files that hold messages of one dialect.

    Attributes:
        name: The dialect, and the name of the format.
        convert: Makes messages that the reader of chat messages understands.
    """

    name: str
    convert: Callable[[list[dict[str, Any]]], Converted]

    def matches(self, document: Any) -> bool:
        """Tell whether a document holds messages of this dialect."""
        return _looked_at(document)[1] == self.name

    def stands_alone(self, record: Any) -> bool:
        """Tell whether a record holds messages of this dialect, or such as show none; a log may be repeated by others."""
        conversation = None if _is_message(record) else _conversation(record)
        if conversation is None or conversation.is_log:
            return False
        shown = dialect_of(records_of(conversation.messages))
        return shown == self.name or (shown == NO_DIALECT and self.name != "langchain")

    def read(self, document: Any) -> Reading:
        """Read the conversations; of logs that repeat each other, each conversation once."""
        threads: list[ConversationThread] = []
        notes: list[str] = []
        logs: list[ConversationThread] = []
        known = _seen.get(id(document))
        conversations = known[1] if known is not None and known[0] is document else conversations_in(document)
        for conversation in conversations:
            converted = self.convert(objects_of(conversation.messages, "a message"))
            before = [UNKNOWN_QUERY] if conversation.lacks_query else []
            took = [Beside(request=conversation.request)] if conversation.request else []
            thread = thread_of([*before, *converted.messages, *took], conversation.id)
            (logs if conversation.is_log else threads).append(thread)
            notes += (*conversation.notes, *converted.notes)
        once = without_repeats(logs)
        notes += left_out(len(logs) - len(once), "logs of model calls", "a later one repeats them")
        found = (*threads, *once)
        if any(conversation.lacks_query for conversation in conversations):
            notes.append("what the user said is not in the file")
        if not any(trace.trajectory for thread in found for trace in thread.traces):
            notes.append(_NO_TOOLS)
        is_cut = any(conversation.is_cut for conversation in conversations)
        return Reading(found, tuple(dict.fromkeys(notes)), incomplete=is_cut)


_seen: dict[int, tuple[Any, tuple[Conversation, ...], str | None]] = {}
_remembers: list[None] = []


@contextmanager
def looks_once() -> Iterator[None]:
    """Let a document that all dialects look at be taken apart once, as long as this lasts."""
    _remembers.append(None)
    try:
        yield
    finally:
        _remembers.pop()
        if not _remembers:
            _seen.clear()


def _looked_at(document: Any) -> tuple[tuple[Conversation, ...], str | None]:
    """Give the conversations in a document, and whose messages they are."""
    known = _seen.get(id(document))
    if known is not None and known[0] is document:
        return known[1:]
    conversations = conversations_in(document)
    messages = [message for conversation in conversations for message in records_of(conversation.messages)]
    found = conversations, dialect_of(messages) if conversations else None
    if _remembers:
        _seen[id(document)] = (document, *found)
    return found


def conversations_in(document: Any) -> tuple[Conversation, ...]:
    """Find the lists of messages in a document.

    Args:
        document: Plain JSON.

    Returns:
        The lists; none when the document is not made of such lists.
    """
    if not isinstance(document, list):
        found = _conversation(document)
        return (found,) if found else ()
    if document and all(_is_message(item) for item in document):
        return (Conversation(document),)
    lists: list[Conversation] = []
    for item in document:
        if (listed := _conversation(item)) is None:
            return ()
        lists.append(listed)
    return tuple(lists)


def _conversation(value: Any) -> Conversation | None:
    if isinstance(value, list):
        return Conversation(value) if value and all(_is_message(item) for item in value) else None
    if not isinstance(value, dict) or "projectHash" in value or value.get("type") == _SNAPSHOT:
        return None  # a session of the Gemini command line, or an event of AG-UI
    request = next((value[key] for key in _REQUESTS if isinstance(value.get(key), dict)), value)
    listed = next((request[key] for key in ("messages", "items", "input") if key in request), None)
    cost = next((value[key] for key in _COSTS if value.get(key) is not None), None)
    answer = _answer(value.get("response"), cost) or _answer(value, cost)
    if isinstance(listed, str) and answer:
        listed = [{"role": "user", "content": listed}]
    if answer is None:
        return _unanswered(value, listed) if _are_messages(listed) and "input" not in request else None
    messages, notes, request = answer
    if not _are_messages(listed) or not listed:
        return Conversation(messages, lacks_query=True, notes=notes, request=request)
    lacks_query = not any(message.get("role") == "user" for message in listed)
    identity = _id(value) if "response" in value else None
    return Conversation([*listed, *messages], identity, lacks_query, is_log=True, notes=notes, request=request)


def _unanswered(value: dict[str, Any], messages: list[dict[str, Any]]) -> Conversation:
    """Read messages without an answer beside them: a conversation, or the log of a request that came to nothing."""
    if "response" not in value:
        return Conversation(messages, _id(value))
    response = value["response"]
    if isinstance(response, dict) and response.get("error") is not None:
        return Conversation(messages, _id(value), is_log=True, notes=(_FAILED,))
    return Conversation(messages, _id(value), is_log=True, notes=(_NO_ANSWER,), is_cut=True)


def _answer(value: Any, cost: object) -> tuple[list[Any], tuple[str, ...], Request | None] | None:
    """Read a response of one of the APIs: of a Chat Completion, of Responses, of Anthropic Messages.

    Of the last, the message itself says what the request took.
    """
    if not isinstance(value, dict):
        return None
    request = request_of(read_usage(value.get("usage"), cost), value.get("model"))
    choices, output = value.get("choices"), value.get("output")
    if isinstance(choices, list) and choices and all(isinstance(choice, dict) for choice in choices):
        messages = [choice["message"] for choice in choices[:1] if isinstance(choice.get("message"), dict)]
        notes = left_out(len(choices) - 1, "answers", "only a model's first one counts")
        return (messages, notes, request) if messages else None
    if value.get("object") == "response" and isinstance(output, list):
        before = value.get("previous_response_id") or value.get("conversation")
        return output, ("what was said before this response is not in the file",) if before else (), request
    is_message = value.get("type") == "message" and value.get("role") == "assistant" and "uuid" not in value
    return ([value], (), None) if is_message and "stop_reason" in value else None


def _are_messages(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(map(_is_message, value))


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("role"), str) or any(
        isinstance(value.get(key), str) for key in ("type", "kind", "part_kind")
    )


def _id(value: dict[str, Any]) -> str | None:
    found = next((value[key] for key in _IDS if isinstance(value.get(key), str | int)), None)
    return None if found is None else str(found)


def without_repeats(threads: list[ConversationThread]) -> tuple[ConversationThread, ...]:
    """Leave out conversations that a later one goes on with: each log of a model call repeats what came before.

    Args:
        threads: What the logs say, in their order.

    Returns:
        The conversations that no later one begins with, each with what the logs before it took.
    """
    numbers: dict[tuple[int, str], int] = {}  # a tree of steps: a conversation that goes on shares the way of the other
    ways = [_way(thread, numbers) for thread in threads]
    passed: dict[int, int] = {}
    logs: list[list[ConversationThread]] = []
    for thread, way in reversed(list(zip(threads, ways, strict=True))):
        if way[-1] in passed:
            logs[passed[way[-1]]].append(thread)
        else:
            logs.append([thread])
            for step in way:
                passed.setdefault(step, len(logs) - 1)
    return tuple(_with_requests(thread, before[::-1]) for thread, *before in reversed(logs))


def _with_requests(thread: ConversationThread, before: list[ConversationThread]) -> ConversationThread:
    """Let each turn have taken what its requests did: a log tells it of its last request alone."""
    traces = []
    for number, trace in enumerate(thread.traces, 1):
        ends = [log.traces[-1] for log in (*before, thread) if len(log.traces) == number]
        traces.append(_with_usage(trace, ends))
    return thread.model_copy(update={"traces": tuple(traces)})


def _with_usage(trace: Trace, logged: list[Trace]) -> Trace:
    not_logged = [None] * (len(trace.iterations) - len(logged))
    models = dict.fromkeys(model for log in logged for model in log.models or ())
    usage = Usage.total([*(log.usage for log in logged), *not_logged])
    return trace.model_copy(update={"usage": usage, "models": tuple(models) or None})


def _way(thread: ConversationThread, numbers: dict[tuple[int, str], int]) -> list[int]:
    way = [0]
    for step in (thread.id, *_steps(thread)):
        way.append(numbers.setdefault((way[-1], repr(step)), len(numbers) + 1))
    return way


def _steps(thread: ConversationThread) -> Iterator[object]:
    for trace in thread.traces:
        yield trace.query
        for iteration in trace.iterations:
            yield from iteration.output
