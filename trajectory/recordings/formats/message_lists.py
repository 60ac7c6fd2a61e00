"""Files that hold lists of messages, whoever's messages they are.

A list stands alone, under ``messages``, as the request and the response of a model call, or as one response; and a file
holds one of these, a list of them, or one a line. Which program's messages they are is told by all of them together: the
first dialect that any message shows is it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from trajectory.json_values import describe
from trajectory.recordings.beside import Beside, failed
from trajectory.recordings.formats.answers import Answer, answer_of, is_message
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    NO_QUERY,
    UNKNOWN_QUERY,
    id_of,
    left_out,
    objects_of,
    records_of,
    thread_of,
)
from trajectory.recordings.formats.dialects import NO_DIALECT, dialect_of
from trajectory.recordings.formats.langgraph import is_state, newest_states
from trajectory.recordings.formats.streamed import streamed_responses
from trajectory.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.recordings.beside import Request

_IDS: Final = ("thread_id", "threadId", "conversation_id", "conversationId", "session_id", "sessionId", "id")
_REQUESTS: Final = ("responses_create_params", "request", "values")
_LISTS: Final = ("messages", "items", "input", "contents")
_COSTS: Final = ("cost", "response_cost")
_OTHERS: Final = frozenset({"projectHash", "trajectory_format", "termination_reason"})
_SNAPSHOT: Final = "MESSAGES_SNAPSHOT"
_CALLS_AS_PARTS: Final = ("openai-responses", "strands", "vercel-ai", "google-contents")
_FAILED: Final = "a request to the model failed"
_NO_ANSWER: Final = "a response is no whole answer of a model, such as a piece of a stream; it was left out"
_CUT: Final = "the end of a response that came in pieces is not there"
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
        failure: The error in which the last request to the model ended.
    """

    messages: list[dict[str, Any]]
    id: str | None = None
    lacks_query: bool = False
    is_log: bool = False
    notes: tuple[str, ...] = ()
    request: Request | None = None
    is_cut: bool = False
    failure: Beside | None = None


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
        conversation = None if is_message(record) or is_state(record) else _conversation(record)
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
            messages = objects_of(conversation.messages, "a message")
            _refuse_lost_calls(messages, self.name)
            converted = self.convert(messages)
            before = [UNKNOWN_QUERY] if conversation.lacks_query else []
            took = [Beside(request=conversation.request)] if conversation.request else []
            ended = [conversation.failure] if conversation.failure else []
            thread = thread_of([*before, *converted.messages, *took, *ended], conversation.id)
            (logs if conversation.is_log else threads).append(thread)
            notes += (*conversation.notes, *converted.notes)
        once = without_repeats(logs)
        notes += left_out(len(logs) - len(once), "logs of model calls", "a later one repeats them")
        found = (*threads, *once)
        if any(conversation.lacks_query for conversation in conversations):
            notes.append(NO_QUERY)
        if not any(trace.trajectory for thread in found for trace in thread.traces):
            notes.append(_NO_TOOLS)
        is_cut = any(conversation.is_cut for conversation in conversations)
        return Reading(found, tuple(dict.fromkeys(notes)), incomplete=is_cut)


def _refuse_lost_calls(messages: list[dict[str, Any]], name: str) -> None:
    """Refuse calls where a dialect has none: nobody would read them."""
    if name not in _CALLS_AS_PARTS:
        return
    if mixed := next((message for message in messages if message.get("tool_calls")), None):
        raise ValueError(f"expected calls among the parts of messages, found {describe(mixed)}")


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
    if streamed := streamed_responses(document):
        return tuple(_of_stream(*one) for one in streamed)
    if not isinstance(document, list):
        found = _conversation(document)
        return (found,) if found else ()
    if document and all(is_message(item) for item in document):
        return (Conversation(document),)
    states, older = newest_states(document)
    lists: list[Conversation] = []
    notes = left_out(older, "older states", "the newest one of a thread holds all of it")
    for item in states or document:
        if (listed := _conversation(item)) is None:
            return ()
        lists.append(replace(listed, notes=(*listed.notes, *notes)) if notes else listed)
    return tuple(lists)


def _of_stream(response: dict[str, Any], is_cut: bool) -> Conversation:  # noqa: FBT001 - the flag is the fact
    answer = answer_of(response, None) or Answer([])
    conversation = _of_answer(answer)
    return replace(conversation, notes=(*answer.notes, _CUT), is_cut=True) if is_cut else conversation


def _conversation(value: Any) -> Conversation | None:
    if isinstance(value, list):
        return Conversation(value) if value and all(is_message(item) for item in value) else None
    if not isinstance(value, dict) or value.keys() & _OTHERS or value.get("type") == _SNAPSHOT:
        return None  # a session of the Gemini command line, a run of mini-SWE-agent or of tau2, or an event of AG-UI
    batched = None
    if "custom_id" in value:
        batched, value = id_of(value["custom_id"]), _of_batch(value)
    request = next((value[key] for key in _REQUESTS if isinstance(value.get(key), dict)), value)
    listed = next((request[key] for key in _LISTS if key in request), None)
    cost = next((value[key] for key in _COSTS if value.get(key) is not None), None)
    answer = answer_of(value.get("response"), cost) or answer_of(value, cost) or _beside_input(value)
    if isinstance(listed, str) and answer:
        listed = [{"role": "user", "content": listed}]
    if answer is None:
        return _unanswered(value, listed) if _are_messages(listed) and "input" not in request else None
    conversation = _of_answer(answer)
    if not _are_messages(listed) or not listed:
        return replace(conversation, id=batched)
    return replace(
        conversation,
        messages=[*listed, *answer.messages],
        id=_id(value) if "response" in value else None,
        lacks_query=not any(message.get("role") == "user" for message in listed),
        is_log=True,
    )


def _of_answer(answer: Answer) -> Conversation:
    """Take a response alone: what it answers stands elsewhere."""
    messages, notes, request, failure = answer
    return Conversation(messages, lacks_query=True, notes=notes, request=request, failure=failure)


def _beside_input(value: dict[str, Any]) -> Answer | None:
    """Read the items that a model answered where they stand beside what it was given, with no response around them."""
    given, output = value.get("input"), value.get("output")
    is_whole = isinstance(given, str) or (_are_messages(given) and bool(given))
    return Answer(output) if is_whole and _are_messages(output) and output else None


def _of_batch(value: dict[str, Any]) -> dict[str, Any]:
    """Take a line of a batch out of its wrapping: a request has a body, and so has a response."""
    response = value.get("response")
    answer = response.get("body") if isinstance(response, dict) else None
    held = answer if isinstance(answer, dict) else value.get("body")
    return {**(held if isinstance(held, dict) else {}), "id": value.get("custom_id")}


def _unanswered(value: dict[str, Any], messages: list[dict[str, Any]]) -> Conversation:
    """Read messages without an answer beside them: a conversation, or the log of a request that came to nothing."""
    if "response" not in value:
        return Conversation(messages, _id(value))
    response = value["response"]
    if isinstance(response, dict) and response.get("error") is not None:
        ended = failed(response["error"], _FAILED)
        return Conversation(messages, _id(value), is_log=True, notes=(_FAILED,), failure=ended)
    return Conversation(messages, _id(value), is_log=True, notes=(_NO_ANSWER,), is_cut=True)


def _are_messages(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(map(is_message, value))


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
