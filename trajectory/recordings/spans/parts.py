"""The messages inside of spans as records of a conversation.

One reader for all kinds of parts: those of the OpenTelemetry conventions, of Bedrock Converse and of Google's contents.
Their names do not clash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import (
    NOT_RECORDED,
    Arguments,
    AssistantMessage,
    FunctionMessage,
    Message,
    ToolCall,
    UserMessage,
    read_arguments,
)
from trajectory.json_values import describe
from trajectory.recordings.spans.span import as_text, decoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.json_values import JsonObject, JsonValue

_THOUGHTS: Final = ("reasoning", "thinking", "redacted_thinking", "reasoningContent")
_CALLS: Final = ("toolUse", "functionCall", "function_call")
_RESULTS: Final = ("toolResult", "functionResponse", "function_response")
_HOLDERS: Final = frozenset({*_CALLS, *_RESULTS})
_TOOL_KINDS: Final = (
    *("tool_call", "server_tool_call", "tool_use"),
    *("tool_call_response", "server_tool_call_response", "tool_result"),
)
_SKIPPED_ROLES: Final = ("system", "developer")
_ASSISTANTS: Final = ("assistant", "model", "ai")
_USERS: Final = ("user", "human")


def read_conversation(messages: Iterable[JsonValue]) -> tuple[Message, ...]:
    """Read the messages that a model was given, or gave.

    What system messages say is left out: it belongs to no turn.

    Args:
        messages: Objects with a ``role`` and ``parts`` or ``content``.

    Returns:
        The records. The results that a message brings stand before what it says.

    Raises:
        TypeError: Something is no message.
    """
    return tuple(record for message in messages for record in _read(message))


def _read(message: JsonValue) -> list[Message]:
    if not isinstance(message, dict):
        raise TypeError(f"expected a message with a role, found {describe(message)}")
    role = str(message.get("role", ""))
    if role in _SKIPPED_ROLES:
        return []
    parts = _parts(message)
    records: list[Message] = [result for part in parts if (result := _result(part))]
    said = [text for part in parts if (text := _text(part)) is not None]
    if role in ("tool", "function") and not records:
        return [_listed_result(message, said)]
    if role in _ASSISTANTS:
        # Where calls are listed beside the parts, those among the parts are the same ones once more.
        single = message.get("function_call")  # as OpenAI wrote the only call before there were many
        listed = tuple(map(listed_call, message.get("tool_calls") or ([single] if single else ())))
        calls = listed or tuple(call for part in parts if (call := _call(part)))
        return [*records, AssistantMessage.of_sound(content="".join(said) or None, tool_calls=calls or None)]
    # A message in an unknown role is nobody's turn.
    asked = role in _USERS and (said or not records)
    return [*records, UserMessage.of_sound(content="".join(said))] if asked else records


def _parts(message: JsonObject) -> list[JsonObject]:
    given = message["parts"] if message.get("parts") is not None else message.get("content")
    if isinstance(given, str):
        inside = decoded(given)
        given = inside if _holds_parts(inside) else given
    if given is None:
        return []
    listed = given if isinstance(given, list) else [given]
    return [part if isinstance(part, dict) else {"type": "text", "content": as_text(part)} for part in listed]


def _holds_parts(value: JsonValue) -> bool:
    """Tell a list of parts that was written as text from a text that happens to be JSON."""
    known = {"text", "toolUse", "toolResult", "type"}
    return (
        isinstance(value, list) and bool(value) and all(isinstance(part, dict) and known & set(part) for part in value)
    )


def _text(part: JsonObject) -> str | None:
    kind = part.get("type")
    if kind in _THOUGHTS or part.get("thought") is True or _is_of_tools(part):
        return None
    for key in ("content", "text"):
        if isinstance(part.get(key), str) and kind in (None, "text", "input_text", "output_text", "refusal"):
            return str(part[key])
    name = kind or next(iter(part), "part")
    return None if name in _THOUGHTS else f"[{name}]"


def _is_of_tools(part: JsonObject) -> bool:
    return part.get("type") in _TOOL_KINDS or _held(part, (*_CALLS, *_RESULTS)) is not None


def _held(part: JsonObject, keys: tuple[str, ...]) -> JsonObject | None:
    """Give the first object under one of these keys, which most parts have not."""
    if _HOLDERS.isdisjoint(part):
        return None
    return next((held for key in keys if isinstance(held := part.get(key), dict)), None)


def _call(part: JsonObject) -> ToolCall | None:
    kind = part.get("type")
    if kind in ("tool_call", "server_tool_call"):
        inner = part.get("server_tool_call")
        return call_of(part.get("name"), {**(inner if isinstance(inner, dict) else {}), **part}, part.get("id"))
    if (held := _held(part, _CALLS)) is not None:
        return call_of(held.get("name"), held, held.get("id") or held.get("toolUseId"))
    if kind == "tool_use":
        return call_of(part.get("name"), part, part.get("id"))
    return None


def listed_call(call: JsonValue) -> ToolCall:
    """Read a call as OpenAI lists them beside the text: ``{id, function: {name, arguments}}``, or without ``function``.

    Raises:
        TypeError: It is no call.
    """
    if not isinstance(call, dict):
        raise TypeError(f"expected a tool call, found {describe(call)}")
    held = call["function"] if isinstance(call.get("function"), dict) else call
    return call_of(held.get("name"), held, call.get("id"))


def call_of(name: JsonValue, holder: JsonObject, identity: JsonValue) -> ToolCall:
    """Make a call of what a message says of it; its arguments stand under one of the known keys, or are not recorded.

    Raises:
        TypeError: The call has no name.
    """
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a tool, found {describe(name)}")
    key = next((key for key in ("arguments", "args", "input") if key in holder), None)
    arguments: Arguments = NOT_RECORDED if key is None else read_arguments(holder[key])
    return ToolCall.of_sound(name=name, arguments=arguments, id=None if identity is None else str(identity))


def _result(part: JsonObject) -> FunctionMessage | None:
    kind = part.get("type")
    if kind in ("tool_call_response", "server_tool_call_response"):
        content = next(
            (part[key] for key in ("response", "result", kind.removesuffix("_response")) if key in part), None
        )
        return result_of(part.get("name"), content, part.get("id"))
    if kind == "tool_result":
        return result_of(None, part.get("content"), part.get("tool_use_id"), error=bool(part.get("is_error")))
    if (held := _held(part, _RESULTS)) is None:
        return None
    content = held["response"] if "response" in held else held.get("content")
    error = held.get("status") == "error" if "toolResult" in part else None
    return result_of(held.get("name"), content, held.get("id") or held.get("toolUseId"), error=error)


def _listed_result(message: JsonObject, said: list[str]) -> FunctionMessage:
    identity = message.get("tool_call_id", message.get("id"))
    error = {"success": False, "error": True}.get(str(message.get("status")))
    return result_of(message.get("name"), "".join(said), identity, error=error)


def result_of(
    name: JsonValue, content: JsonValue, identity: JsonValue, *, error: bool | None = None
) -> FunctionMessage:
    """Make a record of what a tool gave back; ``error`` is ``None`` where the message has no place for it."""
    return FunctionMessage.of_sound(
        name=name if isinstance(name, str) else "",
        content=None if content is None else as_text(content),
        id=None if identity is None else str(identity),
        error=error,
    )
