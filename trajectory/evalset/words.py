"""What pydantic found, in our words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import (
    ROLES,
    AssistantMessage,
    ConversationThread,
    FunctionMessage,
    Iteration,
    SystemMessage,
    ToolCall,
    ToolSchema,
    Trace,
    UserMessage,
)
from trajectory.errors import did_you_mean, nearest
from trajectory.evalset.document import Finding
from trajectory.json_values import describe, escape_token, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from trajectory.json_values import JsonValue

_RECORDS: Final[dict[str, type[BaseModel]]] = {
    "threads": ConversationThread,
    "traces": Trace,
    "iterations": Iteration,
    "tools": ToolSchema,
    "toolCalls": ToolCall,
    "userMessage": UserMessage,
    "<system>": SystemMessage,
    "<user>": UserMessage,
    "<assistant>": AssistantMessage,
    "<function>": FunctionMessage,
}
"""The record that a key leads to; for messages the role decides."""

_TITLES: Final[dict[type[BaseModel], str]] = {
    ConversationThread: "a conversation thread",
    Trace: "a trace",
    Iteration: "an iteration",
    ToolSchema: "a tool schema",
    ToolCall: "a tool call",
    SystemMessage: "a system message",
    UserMessage: "a user message",
    AssistantMessage: "an assistant message",
    FunctionMessage: "a function message",
}
_KINDS: Final = {
    "json_object": "an object",
    "model_type": "an object",
    "null": "a value, or no such key",
    "string_type": "a string",
    "tuple_type": "an array",
}
_ROLE_KINDS: Final = ("literal_error", "message_role", "output_role", "trace_output", "user_role")
_OTHER_ROLES: Final = {
    "tool": "function",
    "developer": "system",
    "model": "assistant",
    "ai": "assistant",
    "human": "user",
}
_PAIR: Final = "<pair>"


def findings_of(error: ValidationError, value: JsonValue, record: type[BaseModel]) -> list[Finding]:
    """Put the errors of pydantic into our words.

    Args:
        error: What pydantic raised.
        value: The value that was validated.
        record: The record that it should have been.

    Returns:
        One finding for each error.
    """
    return [_finding(details, value, record) for details in error.errors(include_url=False)]


def keys_of(record: type[BaseModel]) -> tuple[str, ...]:
    """List the keys that a record has in a file."""
    return tuple(field.alias or name for name, field in record.model_fields.items() if not field.exclude)


def _finding(error: ErrorDetails, document: JsonValue, root: type[BaseModel]) -> Finding:
    location, kind = error["loc"], error["type"]
    if _PAIR in location:
        steps, value = _follow(document, location[: location.index(_PAIR)])
        expected = "[whole seconds, fraction from 0 to below 1], within the years 1 to 9999"
        return Finding(_pointer(steps), expected, shorten(json.dumps(value)))
    if kind in ("extra_forbidden", "missing"):
        steps, parent = _follow(document, location[:-1])
        word = _unknown_key if kind == "extra_forbidden" else _missing_key
        return word(steps, parent, str(location[-1]), _record(steps, parent, root))
    steps, value = _follow(document, location)
    if kind in _ROLE_KINDS:
        return _wrong_role(error, _pointer(steps), value)
    hint = "write the object itself, not its text" if kind == "json_object" and isinstance(value, str) else ""
    return Finding(_pointer(steps), _KINDS.get(kind) or _said(error), describe(value), hint)


def _follow(document: JsonValue, location: Sequence[Any]) -> tuple[list[str | int], JsonValue]:
    """Follow the path of an error through the document, past the tags of unions and the index of a lone output."""
    steps: list[str | int] = []
    value, tagged = document, False
    for step in location:
        if isinstance(value, dict) and step == f"<{value.get('role')}>" and not tagged:
            tagged = True
        elif (isinstance(value, dict) and step in value) or (isinstance(value, list) and isinstance(step, int)):
            steps, value, tagged = [*steps, step], value[step], False
    return steps, value


def _pointer(steps: Sequence[str | int]) -> str:
    return "".join("/" + escape_token(step) for step in steps)


def _record(steps: Sequence[str | int], value: JsonValue, root: type[BaseModel]) -> type[BaseModel]:
    names = [step for step in steps if isinstance(step, str)]
    if not names:
        return root
    return _RECORDS.get(names[-1]) or _RECORDS[f"<{value['role']}>"]


def _unknown_key(steps: Sequence[str | int], parent: JsonValue, key: str, record: type[BaseModel]) -> Finding:
    free = [known for known in keys_of(record) if known not in parent]
    hint = did_you_mean(key, free) or f"it has {', '.join(keys_of(record))}"
    return Finding(
        _pointer([*steps, key]), f"a key of {_TITLES[record]}", f"the unknown key {shorten(repr(key))}", hint
    )


def _missing_key(steps: Sequence[str | int], parent: JsonValue, key: str, record: type[BaseModel]) -> Finding:
    known = keys_of(record)
    meant = nearest(key, [other for other in parent if other not in known])
    hint = f"is it what {shorten(repr(meant))} should say?" if meant else ""
    return Finding(_pointer(steps), f"the key {key!r}", describe(parent), hint)


def _wrong_role(error: ErrorDetails, pointer: str, value: JsonValue) -> Finding:
    if error["type"] == "literal_error":
        return Finding(pointer, f"the role {error['ctx']['expected'].strip(chr(39))}", describe(value))
    if not isinstance(value, dict):
        return Finding(pointer, _said(error), describe(value))
    roles = _said(error).removeprefix("a message with ").removesuffix(", or the text of an error")
    if "role" not in value:
        return Finding(pointer, "the key 'role'", describe(value))
    role = value["role"]
    meant = (_OTHER_ROLES.get(role) or nearest(role, ROLES)) if isinstance(role, str) else None
    hint = f"did you mean {meant!r}?" if meant and meant in roles else ""
    return Finding(pointer + "/role", roles, describe(role), hint)


def _said(error: ErrorDetails) -> str:
    return error["msg"].removeprefix("expected ").removeprefix("Input should be ")
