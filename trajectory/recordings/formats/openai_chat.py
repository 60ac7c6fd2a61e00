"""Messages of OpenAI Chat Completions, also of datasets and of other programs that took over their form."""

from __future__ import annotations

from typing import Any, Final

from trajectory.conversation import NOT_RECORDED
from trajectory.evalset.parsing import parse
from trajectory.json_values import describe
from trajectory.recordings.formats.building import object_of, objects_of
from trajectory.recordings.formats.message_lists import Converted, MessageLists

_SAYS: Final = frozenset({"tool_calls", "function_call", "toolCalls", "refusal", "audio"})
_SAYS_NOTHING: Final = frozenset({"role", "name", "id", "tool_call_id"})


def _chat(messages: list[dict[str, Any]]) -> Converted:
    whole = map(_whole, messages)
    return Converted([chat_message(message) if "tool_calls" in message else message for message in whole])


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    """Refuse a message that says nothing under any key that is known: what it says stands elsewhere, and would be lost."""
    if "content" in message or message.keys() & _SAYS or message.keys() <= _SAYS_NOTHING:
        return message
    raise TypeError(f"expected a message with content or tool calls, found {describe(message)}")


def chat_message(message: dict[str, Any]) -> dict[str, Any]:
    """Keep arguments that a message does not hold apart from empty ones."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    listed = _decoded(calls) if isinstance(calls, str) else calls
    return {**message, "tool_calls": [_call(call) for call in objects_of(listed, "a tool call")]}


def _decoded(text: str) -> Any:
    """Decode a list of calls that a table holds as a text; what is none stays what it is, and is refused as that."""
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return text


def _call(call: dict[str, Any]) -> dict[str, Any]:
    if "function" not in call:
        return call
    function = object_of(call["function"], "the function of a tool call")
    return call if "arguments" in function else {**call, "function": {"arguments": NOT_RECORDED, **function}}


OPENAI_CHAT: Final = MessageLists("openai-chat", _chat)
