"""What the readers of formats share: calls, results and conversations made of what a file records."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import (
    NOT_RECORDED,
    AssistantMessage,
    ConversationThread,
    FunctionMessage,
    MalformedArguments,
    ToolCall,
    UserMessage,
)
from trajectory.json_values import describe
from trajectory.recordings.messages import read_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

UNKNOWN_QUERY: Final = UserMessage(content="")
"""Begins the turn of a recording that does not hold what the user said."""
NO_QUERY: Final = "what the user said is not in the file"
"""The note of such a recording."""
_THOUGHTS: Final = ("reasoning", "thinking", "redacted_thinking")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def thread_of(messages: Sequence[object], id: object = None, final_state: object = None) -> ConversationThread:  # noqa: A002 - the name of the field
    """Make a conversation of messages.

    Args:
        messages: The messages, oldest first, in any form that the reader of chat messages understands.
        id: The id of the conversation as it was recorded; ``None`` when it was not.
        final_state: The state in which its session ended, where that was recorded.

    Returns:
        The conversation.

    Raises:
        TypeError: Something is no message.
    """
    traces = read_messages(messages, start=_EPOCH, end=_EPOCH)
    state = final_state if isinstance(final_state, dict) else None
    return ConversationThread(id=id_of(id) or "", traces=tuple(traces), final_state=state)


def says(text: object, calls: Iterable[ToolCall] = (), agent: object = None) -> AssistantMessage:
    """Make a message of the model: what it said, and the calls that it asked for, as the agent of this name.

    Raises:
        TypeError: What it said is no text.
    """
    if not isinstance(text, str | None):
        raise TypeError(f"expected the text of a message, found {describe(text)}")
    made = (call.model_copy(update={"agent": agent}) for call in calls) if isinstance(agent, str) else calls
    return AssistantMessage(content=text or None, tool_calls=tuple(made) or None)


def call_of(record: Mapping[str, Any], *, name: str = "name", arguments: str = "arguments", id: str = "id") -> ToolCall:  # noqa: A002 - the name of the field
    """Read a call from a record that may call its parts otherwise.

    Args:
        record: The record.
        name: The key of the tool's name.
        arguments: The key of the arguments, an object or the JSON text of one. Without this key they were not recorded.
        id: The key of the call's id.

    Returns:
        The call.

    Raises:
        TypeError: The record is no object, or has no name.
    """
    found = object_of(record, "a tool call")
    given = found.get(arguments, NOT_RECORDED)
    return ToolCall.read({"name": found.get(name), "arguments": given, "id": found.get(id)})


def free_text_call(name: Any, text: Any, id: Any) -> ToolCall:  # noqa: A002 - the name of the field
    """Make a call of a tool that takes free text instead of arguments."""
    return ToolCall.read(
        {"name": name, "arguments": MalformedArguments(str(text), "the tool takes free text"), "id": id}
    )


def result_of(id: object, value: object, name: object = None, *, error: bool | None = None) -> FunctionMessage:  # noqa: A002 - the name of the field
    """Make the message of a tool that gave something back.

    Args:
        id: The id of the call.
        value: What it gave back.
        name: The tool's name; where it is no text, that of the call is taken.
        error: Whether the call failed; ``None`` where the format has no place for that.

    Returns:
        The message.

    Raises:
        TypeError: The id is none.
    """
    called = name if isinstance(name, str) else ""
    return FunctionMessage(name=called, content=text_of(value) or "", id=id_of(id), error=error)


def text_of(value: object) -> str | None:
    """Give a text as it is, anything else as its JSON text."""
    return value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)


def texts_in(content: object) -> str:
    """Join the texts of a content: nothing, a text itself, or a list of parts. Other parts are named, thoughts left out.

    Raises:
        TypeError: It is something else, or a part of it is.
    """
    if isinstance(content, str | None):
        return content or ""
    if not isinstance(content, list):
        raise TypeError(f"expected a text or a list of parts, found {describe(content)}")
    return "".join(part if isinstance(part, str) else _text_in(part) for part in content)


def _text_in(part: object) -> str:
    found = object_of(part, "a part of content")
    text, kind = found.get("text"), found.get("type")
    if isinstance(text, str):
        return text
    return f"[{kind}]" if isinstance(kind, str) and kind not in _THOUGHTS else ""


def id_of(value: object) -> str | None:
    """Give an id as text; nothing is no id.

    Raises:
        TypeError: It is neither a text nor a number.
    """
    if not isinstance(value, str | int | None):
        raise TypeError(f"expected an id, found {describe(value)}")
    return None if value is None else str(value)


def object_of(value: Any, expected: str) -> Mapping[str, Any]:
    """Give an object.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, dict):
        raise TypeError(f"expected {expected}, found {describe(value)}")
    return value


def objects_of(value: Any, expected: str) -> list[dict[str, Any]]:
    """Give a list of objects; nothing counts as none.

    Raises:
        TypeError: It is something else, or something in it is.
    """
    if not isinstance(value, list | None):
        raise TypeError(f"expected a list, each item {expected}, found {describe(value)}")
    return [dict(item if isinstance(item, dict) else object_of(item, expected)) for item in value or ()]


def records_of(document: Any) -> list[dict[str, Any]]:
    """Give the records of a document, or the one that it is; none when there is anything among them that is no object."""
    records = document if isinstance(document, list) else [document]
    return records if all(isinstance(record, dict) for record in records) else []


def left_out(count: int, what: str, why: str = "") -> tuple[str, ...]:
    """Note that something was left out; no note when there was none."""
    reason = f" ({why})" if why else ""
    return (f"left out: {count} {what}{reason}",) if count else ()
