"""Files that hold lists of messages, whoever's messages they are.

A list stands alone, under ``messages``, as the request and the response of a model call, or as one response; and a file
holds one of these, a list of them, or one a line. Which program's messages they are is told by all of them together: the
first dialect that any message shows is it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import UNKNOWN_QUERY, left_out, thread_of
from trajectory.recordings.formats.dialects import dialect_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajectory.conversation import ConversationThread

_IDS: Final = ("thread_id", "threadId", "conversation_id", "conversationId", "session_id", "sessionId", "id")
_NO_TOOLS: Final = "no message shows a tool call: either none was made, or calls were not recorded"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A list of messages from a file.

    Attributes:
        messages: The messages as they stand there.
        id: The id that stands beside them.
        lacks_query: Whether the list begins with an answer, because the request was not recorded.
        is_log: Whether it is the log of one model call: the next call's log repeats it.
        alternatives: How many answers the model gave beside the first.
    """

    messages: list[dict[str, Any]]
    id: str | None = None
    lacks_query: bool = False
    is_log: bool = False
    alternatives: int = 0


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
        conversations = conversations_in(document)
        messages = [message for conversation in conversations for message in conversation.messages]
        return bool(conversations) and dialect_of(messages) == self.name

    def read(self, document: Any) -> Reading:
        """Read the conversations; of logs that repeat each other, each conversation once."""
        threads: list[ConversationThread] = []
        notes: list[str] = []
        logs: list[ConversationThread] = []
        conversations = conversations_in(document)
        for conversation in conversations:
            converted = self.convert(conversation.messages)
            before = [UNKNOWN_QUERY] if conversation.lacks_query else []
            thread = thread_of([*before, *converted.messages], conversation.id)
            (logs if conversation.is_log else threads).append(thread)
            notes += converted.notes
            notes += left_out(conversation.alternatives, "answers", "only the first answer of a model call is read")
        once = without_repeats(logs)
        notes += left_out(len(logs) - len(once), "logs of model calls", "a later one repeats them")
        found = (*threads, *once)
        if any(conversation.lacks_query for conversation in conversations):
            notes.append("what the user said is not in the file")
        if not any(trace.trajectory for thread in found for trace in thread.traces):
            notes.append(_NO_TOOLS)
        return Reading(found, tuple(dict.fromkeys(notes)))


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
    lists = [_conversation(item) for item in document]
    return tuple(item for item in lists if item) if all(lists) else ()


def _conversation(value: Any) -> Conversation | None:
    if isinstance(value, list):
        return Conversation(value) if value and all(_is_message(item) for item in value) else None
    if not isinstance(value, dict):
        return None
    response = _response(value)
    if response is not None:
        return response
    request = value.get("responses_create_params", value)
    listed = next((request[key] for key in ("messages", "items") if key in request), request.get("input"))
    values = value.get("values")
    if listed is None and isinstance(values, dict):  # the state of a LangGraph server
        listed = values.get("messages")
    answer = _response(value.get("response"))
    if isinstance(listed, str) and answer:
        listed = [{"role": "user", "content": listed}]
    if not isinstance(listed, list) or not all(_is_message(item) for item in listed) or "projectHash" in value:
        return None
    if answer is None:
        return Conversation(listed, _id(value)) if "input" not in request or "messages" in request else None
    return Conversation([*listed, *answer.messages], _id(value), is_log=True, alternatives=answer.alternatives)


def _response(value: Any) -> Conversation | None:
    """Read a response of one of the APIs: of a Chat Completion, of Responses, of Anthropic Messages."""
    if not isinstance(value, dict):
        return None
    choices, output = value.get("choices"), value.get("output")
    if isinstance(choices, list) and choices and all(isinstance(choice, dict) for choice in choices):
        messages = [choice["message"] for choice in choices[:1] if isinstance(choice.get("message"), dict)]
        return Conversation(messages, lacks_query=True, alternatives=len(choices) - 1) if messages else None
    if value.get("object") == "response" and isinstance(output, list):
        before = value["input"] if isinstance(value.get("input"), list) else []
        return Conversation([*before, *output], lacks_query=not _has_user(before))
    if value.get("type") == "message" and value.get("role") == "assistant" and "uuid" not in value:
        return Conversation([value], lacks_query=True)
    return None


def _has_user(messages: list[Any]) -> bool:
    return any(isinstance(message, dict) and message.get("role") == "user" for message in messages)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and any(
        isinstance(value.get(key), str) for key in ("role", "type", "kind", "part_kind")
    )


def _id(value: dict[str, Any]) -> str | None:
    found = next((value[key] for key in _IDS if isinstance(value.get(key), str | int)), None)
    return None if found is None else str(found)


def without_repeats(threads: list[ConversationThread]) -> tuple[ConversationThread, ...]:
    """Leave out conversations that a later one goes on with: each log of a model call repeats what came before."""
    return tuple(
        thread
        for index, thread in enumerate(threads)
        if not any(thread.id == other.id and _goes_on(thread, other) for other in threads[index + 1 :])
    )


def _goes_on(thread: ConversationThread, other: ConversationThread) -> bool:
    mine, theirs = list(_steps(thread)), list(_steps(other))
    return len(mine) <= len(theirs) and mine == theirs[: len(mine)]


def _steps(thread: ConversationThread) -> Iterator[object]:
    for trace in thread.traces:
        yield trace.query
        for iteration in trace.iterations:
            yield from iteration.output
