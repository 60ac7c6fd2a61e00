"""Tool calls and their arguments, in whatever state those are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, PlainValidator, ValidationInfo

from trajectory.json_texts import read_sound
from trajectory.json_values import JsonObject, NotJson, describe, plain_json
from trajectory.records import InCode, Optional, PlainObject, Record, in_code, json_object
from trajectory.times import Time

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class MalformedArguments:
    """Arguments that are no JSON object: a fact about the agent. Such a call counts as made and equals nothing.

    Attributes:
        text: What the agent gave, as text.
        reason: Why it is no JSON object.
    """

    text: str
    reason: str


class NotRecorded(Enum):
    """Arguments that a recording did not keep: no fact about the agent, so nothing may be concluded from them."""

    NOT_RECORDED = "not recorded"


NOT_RECORDED: Final = NotRecorded.NOT_RECORDED

Arguments: TypeAlias = JsonObject | MalformedArguments | NotRecorded


def _arguments(value: object, info: ValidationInfo) -> Any:
    if value is None:
        return {}
    if isinstance(value, MalformedArguments | NotRecorded):
        return value
    return json_object(value, info)


class FunctionMessage(Record):
    """What a tool gave back.

    Attributes:
        name: The tool's name.
        content: What it gave back, as text.
        id: The id of the call, if it has one.
        error: Whether the call failed; ``None`` where the recording has no place for that. A text that merely reads like
            an error says nothing.
        start_time: When the tool began, where that was recorded.
        end_time: When it ended, where that was recorded.
    """

    role: Literal["function"] = "function"
    name: str
    content: str | None = None
    id: Optional[str] = None
    error: InCode[bool] = in_code("error")
    start_time: InCode[Time] = in_code("start_time")
    end_time: InCode[Time] = in_code("end_time")


class ToolCall(Record):
    """One call of a tool, as the model asked for it.

    Two calls are equal when they were made alike, whatever came of them. A verdict looks at names and arguments alone.

    Attributes:
        name: The tool's name.
        arguments: The arguments by name. Absent, ``None`` and ``{}`` are one thing. `MalformedArguments` when the agent
            gave something else than a JSON object, `NOT_RECORDED` when a recording did not keep them.
        id: The id of the call, if it has one.
        result: What the tool gave back, whether it failed and when it ran; ``None`` where no result was recorded.
        agent: The agent that made the call, where several may have and the recording tells which.
    """

    name: str
    arguments: Annotated[
        Arguments,
        PlainValidator(_arguments, json_schema_input_type=JsonObject | None),
    ] = Field(default_factory=dict)
    id: Optional[str] = None
    result: InCode[FunctionMessage] = in_code("result")
    agent: InCode[str] = in_code("agent")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolCall):
            return NotImplemented
        return (self.name, self.arguments, self.id) == (other.name, other.arguments, other.id)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def read(cls, value: ToolCall | Mapping[str, Any]) -> ToolCall:
        """Read a call from the forms in which programs hand it around.

        Understood are a `ToolCall`, a mapping with ``name``, ``arguments`` (or ``args``) and ``id``, and the OpenAI form
        ``{"id", "type": "function", "function": {"name", "arguments"}}``. Arguments may be an object, ``None`` or the
        JSON text of an object; anything else is kept as `MalformedArguments`.

        Args:
            value: The call.

        Returns:
            The call as a record that shares nothing with ``value``.

        Raises:
            TypeError: ``value`` is no call at all: not a mapping, or without a name.
        """
        if type(value) is not dict and isinstance(value, ToolCall):
            return value
        try:
            call = value.get("function", value)
            name = call["name"]
            given = call["arguments"] if "arguments" in call else call.get("args")
            identity = value.get("id")
        except (AttributeError, KeyError, TypeError):
            raise TypeError(f"expected a tool call with a name, found {describe(value)}") from None
        if not isinstance(name, str):
            raise TypeError(f"expected the name of a tool call to be a string, found {describe(name)}")
        arguments = read_arguments(given)  # a copy already: no second one is needed
        if identity is None:
            return cls.of_sound(name=name, arguments=arguments)
        return cls.of_sound(name=name, arguments=arguments, id=str(identity))


def read_arguments(value: object) -> JsonObject | MalformedArguments | NotRecorded:
    """Read arguments as an agent gives them: an object, nothing, or the JSON text of an object (the OpenAI wire form).

    Args:
        value: What the agent gave.

    Returns:
        The arguments as plain JSON that shares nothing with ``value``; `MalformedArguments` for everything else.
    """
    if value is None or value == "":
        return {}
    if type(value) is str and (sound := read_sound(value)) and isinstance(sound[0], dict):
        return sound[0]
    if isinstance(value, MalformedArguments | NotRecorded):
        return value
    try:
        plain = plain_json(_DECODER.decode(value) if isinstance(value, str) else value)
    except NotJson as problem:
        return MalformedArguments(text=_text_of(value), reason=str(problem))
    except (ValueError, RecursionError) as problem:
        return MalformedArguments(text=_text_of(value), reason=f"the text is not JSON: {problem}")
    if plain is None:
        return {}
    if not isinstance(plain, dict):
        return MalformedArguments(text=_text_of(value), reason=f"{describe(plain)} is not an object")
    return plain


def _unique_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Refuse an object that holds a key twice: which value was meant cannot be known."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotJson("", f"the key {twice!r} stands twice in one object")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique_keys)


def _text_of(value: object) -> str:
    try:
        return value if isinstance(value, str) else repr(value)
    except Exception as problem:  # noqa: BLE001 - an agent's object may do anything in its repr
        return f"<{type(value).__name__} whose repr raises {type(problem).__name__}>"


class ToolSchema(Record):
    """A tool as the model was told about it."""

    name: str
    description: str
    parameters_schema: Optional[PlainObject] = None
