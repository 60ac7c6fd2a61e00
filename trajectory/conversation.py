"""Conversation threads: what was said and done, as frozen records.

The names and the JSON shape are those of the native eval-set format: a *conversation thread* holds *traces*, a trace is
one user turn, an *iteration* is one round of reasoning and acting inside it. In code the fields have Python names
(``user_message``), in files the names of the format (``userMessage``).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Strict,
    Tag,
    ValidationInfo,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from trajectory.json_values import JsonObject, NotJson, describe, plain_json

if TYPE_CHECKING:
    from collections.abc import Mapping

TRUSTED_JSON: Final = {"json": "trusted"}
"""Validation context of readers that have already made sure that every value is plain JSON."""


class Record(BaseModel):
    """A frozen record that refuses what it does not know."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        validate_by_alias=True,
        validate_by_name=True,
    )


def _json_object(value: object, info: ValidationInfo) -> Any:
    """Take a JSON object; a copy of it unless the reader vouches for it."""
    if type(value) is dict and info.context is TRUSTED_JSON:
        return value
    if not isinstance(value, dict):
        raise PydanticCustomError("json_object", "expected an object, found {found}", {"found": describe(value)})
    try:
        return plain_json(value)
    except NotJson as problem:
        raise PydanticCustomError(
            "json_object", "expected plain JSON, found {found}", {"found": str(problem)}
        ) from None


def _never_null(value: object, info: ValidationInfo) -> object:
    """Refuse ``null`` in a file where a key may be left out but holds no null; in code ``None`` says "left out"."""
    if value is None and info.context is TRUSTED_JSON:
        raise PydanticCustomError("null", "expected a value or no such key, found null")
    return value


_T = TypeVar("_T")
Optional: TypeAlias = Annotated[_T | None, BeforeValidator(_never_null)]

PlainObject: TypeAlias = Annotated[JsonObject, PlainValidator(_json_object, json_schema_input_type=JsonObject)]


# --------------------------------------------------------------------------------------------------------- tool calls


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
    return _json_object(value, info)


class ToolCall(Record):
    """One call of a tool, as the model asked for it.

    Attributes:
        name: The tool's name.
        arguments: The arguments by name. Absent, ``None`` and ``{}`` are one thing. `MalformedArguments` when the agent
            gave something else than a JSON object, `NOT_RECORDED` when a recording did not keep them.
        id: The id of the call, if it has one. Never compared.
    """

    name: str
    arguments: Annotated[
        Arguments,
        PlainValidator(_arguments, json_schema_input_type=JsonObject | None),
    ] = Field(default_factory=dict)
    id: Optional[str] = None

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
        if isinstance(value, ToolCall):
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
        made = {"name": name, "arguments": read_arguments(given)}  # a copy already: no second one is needed
        return cls.model_validate(made if identity is None else {**made, "id": str(identity)}, context=TRUSTED_JSON)


def read_arguments(value: object) -> JsonObject | MalformedArguments | NotRecorded:
    """Read arguments as an agent gives them: an object, nothing, or the JSON text of an object (the OpenAI wire form).

    Args:
        value: What the agent gave.

    Returns:
        The arguments as plain JSON that shares nothing with ``value``; `MalformedArguments` for everything else.
    """
    if value is None or value == "":
        return {}
    if isinstance(value, MalformedArguments | NotRecorded):
        return value
    try:
        decoded = json.loads(value, object_pairs_hook=_unique_keys) if isinstance(value, str) else value
        plain = plain_json(decoded)
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


# ----------------------------------------------------------------------------------------------------------- messages


class SystemMessage(Record):
    """Instructions to the model."""

    role: Literal["system"] = "system"
    content: str
    name: Optional[str] = None


class UserMessage(Record):
    """What the user said."""

    role: Literal["user"] = "user"
    content: str
    name: Optional[str] = None


class AssistantMessage(Record):
    """What the model said, and the calls it asked for."""

    role: Literal["assistant"] = "assistant"
    content: str | None = None
    name: Optional[str] = None
    tool_calls: tuple[ToolCall, ...] | None = None


class FunctionMessage(Record):
    """What a tool gave back."""

    role: Literal["function"] = "function"
    name: str
    content: str | None = None
    id: Optional[str] = None


ROLES: Final = ("system", "user", "assistant", "function")


def _role(value: object) -> str | None:
    """Tell the kinds of messages apart. The tags cannot be mistaken for keys of a file in the path of an error."""
    role = value.get("role") if isinstance(value, dict) else getattr(value, "role", None)
    return f"<{role}>" if role in ROLES else None


def _role_or_text(value: object) -> str | None:
    return "<error>" if isinstance(value, str) else _role(value)


Message: TypeAlias = Annotated[
    Annotated[SystemMessage, Tag("<system>")]
    | Annotated[UserMessage, Tag("<user>")]
    | Annotated[AssistantMessage, Tag("<assistant>")]
    | Annotated[FunctionMessage, Tag("<function>")],
    Discriminator(
        _role,
        custom_error_type="message_role",
        custom_error_message="expected a message with the role system, user, assistant or function",
    ),
]

IterationOutput: TypeAlias = Annotated[
    Annotated[AssistantMessage, Tag("<assistant>")]
    | Annotated[FunctionMessage, Tag("<function>")]
    | Annotated[str, Tag("<error>")],
    Discriminator(
        _role_or_text,
        custom_error_type="output_role",
        custom_error_message="expected a message with the role assistant or function, or the text of an error",
    ),
]


def _says_its_role(value: object, info: ValidationInfo) -> object:
    """Refuse a message of a file that leaves its role out; where only one role can stand, nothing else would notice."""
    if info.context is TRUSTED_JSON and isinstance(value, dict) and "role" not in value:
        raise PydanticCustomError("user_role", "expected a message with the role user")
    return value


TraceOutput: TypeAlias = Annotated[
    Annotated[AssistantMessage, Tag("<assistant>")] | Annotated[str, Tag("<error>")],
    Discriminator(
        _role_or_text,
        custom_error_type="trace_output",
        custom_error_message="expected a message with the role assistant, or the text of an error",
    ),
]


# -------------------------------------------------------------------------------------------------------------- times

_RFC_3339 = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_RFC_3339_PARTS = re.compile(r"(.{19})(\.\d+)?(.+)")


def _rfc_3339(value: str) -> str:
    """Accept a date and time of RFC 3339, section 5.6; the text is kept as it stands."""
    if _RFC_3339.fullmatch(value):
        try:
            datetime.fromisoformat(value[:10])
            if value[:4] in ("0001", "9999"):
                moment(value)  # its offset may lead out of the years that a `datetime` has
        except (ValueError, OverflowError):
            pass
        else:
            return value
    raise PydanticCustomError("rfc_3339", "expected a date and time of RFC 3339, such as 2026-08-01T09:00:00Z")


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND: Final = int((datetime.min.replace(tzinfo=UTC) - _EPOCH).total_seconds())
_LAST_SECOND: Final = int((datetime.max.replace(tzinfo=UTC, microsecond=0) - _EPOCH).total_seconds())


def _time_kind(value: object) -> str | None:
    if isinstance(value, str):
        return "<text>"
    return "<pair>" if isinstance(value, list | tuple) else None


Time: TypeAlias = Annotated[
    Annotated[str, BeforeValidator(_rfc_3339), Tag("<text>")]
    | Annotated[
        tuple[
            Annotated[int, Strict(), Field(ge=_FIRST_SECOND, le=_LAST_SECOND)],
            Annotated[float, Strict(), Field(ge=0, lt=1)],
        ],
        Tag("<pair>"),
    ],
    Discriminator(
        _time_kind,
        custom_error_type="time",
        custom_error_message="expected a date and time of RFC 3339, or [whole seconds, fraction]",
    ),
]
"""A moment: the text of RFC 3339, or whole seconds since 1970 with a fraction. Kept as written, so nothing is lost."""


def moment(time: Time) -> datetime:
    """Turn a recorded time into a `datetime` in UTC, to the microsecond.

    Args:
        time: The time as recorded.

    Returns:
        The moment; a leap second counts as the second before it.
    """
    if isinstance(time, str):
        whole, fraction, zone = _RFC_3339_PARTS.fullmatch(time.upper()).groups()  # type: ignore[union-attr]
        start = datetime.fromisoformat(whole.replace(":60", ":59") + zone).astimezone(UTC)
    else:
        start, fraction = _EPOCH + timedelta(seconds=time[0]), time[1]
    return start.replace(microsecond=min(round(float(fraction or 0) * 1_000_000), 999_999))


# --------------------------------------------------------------------------------------------- iterations and upwards


def _one_or_many(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value,)


class Iteration(Record):
    """One round of reasoning and acting.

    Attributes:
        history: The messages that the model was given.
        output: What came of it: messages, or the text of an error.
        start_time: When it began.
        end_time: When it ended.
    """

    history: tuple[Message, ...]
    output: Annotated[tuple[IterationOutput, ...], BeforeValidator(_one_or_many)]
    start_time: Time
    end_time: Time


class Trace(Record):
    """One user turn with all that the agent did.

    Attributes:
        id: Names the turn; may repeat between threads.
        user_message: What the user said.
        iterations: The rounds of the agent.
        output: The agent's answer; a plain string is the error in which the turn ended.
        tools: The tools that the model was told about.
        tool_calls: The calls of this turn; ``None`` when they are not listed apart from the iterations.
        start_time: When the turn began.
        end_time: When it ended.
    """

    id: str
    user_message: Annotated[UserMessage, BeforeValidator(_says_its_role)]
    iterations: tuple[Iteration, ...]
    output: TraceOutput
    tools: tuple[ToolSchema, ...]
    tool_calls: Optional[tuple[ToolCall, ...]] = None
    start_time: Time
    end_time: Time

    @property
    def states_expectation(self) -> bool:
        """Whether the calls of this turn are stated. Stated may also be that there are none."""
        return True

    @property
    def query(self) -> str:
        """What the user said."""
        return self.user_message.content

    @property
    def response(self) -> str | None:
        """What the agent answered; ``None`` for no text, or when the turn ended in an error."""
        return None if isinstance(self.output, str) else self.output.content

    @property
    def error(self) -> str | None:
        """The error in which the turn ended, if it did."""
        return self.output if isinstance(self.output, str) else None

    @property
    def trajectory(self) -> tuple[ToolCall, ...]:
        """The tool calls of this turn: `tool_calls`, or else those that the iterations show."""
        return self.tool_calls if self.tool_calls is not None else _calls_of(self.iterations)


class PromptTrace(Trace):
    """A user turn of which nobody stated what the agent should call: it is replayed, and nothing is concluded.

    The native format cannot say this: there, a turn without calls expects none.
    """

    @property
    def states_expectation(self) -> bool:
        """Whether the calls of this turn are stated: they are not."""
        return False


def _calls_of(iterations: tuple[Iteration, ...]) -> tuple[ToolCall, ...]:
    """Collect the calls that the iterations' assistant messages ask for.

    Each iteration's own output is the authority. Writers that keep only the tools' answers there leave the calls to the
    last iteration's history: what follows the last user message is this turn.
    """
    calls = _calls_in(output for iteration in iterations for output in iteration.output)
    if calls or not iterations:
        return calls
    turn: list[Message] = []
    for message in iterations[-1].history:
        turn = [] if isinstance(message, UserMessage) else [*turn, message]
    return _calls_in(turn)


def _calls_in(messages: Any) -> tuple[ToolCall, ...]:
    return tuple(
        call for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls or ()
    )


class ConversationThread(Record):
    """One conversation: the turns of one session, in order.

    The record is open: keys that the format does not know are kept in `extras`.

    Attributes:
        id: Names the thread; unique within a run.
        description: What it is about.
        traces: The user turns.
        evaluation: How this thread is to be evaluated, as stated in the file (see `trajectory.settings`).
        tags: Words to select threads by.
        initial_state: The state in which the session starts.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    description: str = ""
    traces: tuple[Trace, ...]
    evaluation: Optional[PlainObject] = None
    tags: tuple[str, ...] = ()
    initial_state: Optional[PlainObject] = Field(default=None, alias="initial_state")

    @property
    def extras(self) -> JsonObject:
        """The keys that the format does not know, with their values."""
        return dict(self.model_extra or {})
