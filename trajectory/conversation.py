"""Conversation threads: what was said and done, as frozen records.

The names and the JSON shape are those of the native eval-set format: a *conversation thread* holds *traces*, a trace is
one user turn, an *iteration* is one round of reasoning and acting inside it. In code the fields have Python names
(``user_message``), in files the names of the format (``userMessage``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, ValidationInfo
from pydantic_core import PydanticCustomError

from trajectory.records import TRUSTED_JSON, Optional, PlainObject, Record
from trajectory.times import Time, moment
from trajectory.tool_calls import (
    NOT_RECORDED,
    Arguments,
    MalformedArguments,
    NotRecorded,
    ToolCall,
    ToolSchema,
    read_arguments,
)

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject

__all__ = [
    "NOT_RECORDED",
    "ROLES",
    "TRUSTED_JSON",
    "Arguments",
    "AssistantMessage",
    "ConversationThread",
    "FunctionMessage",
    "Iteration",
    "IterationOutput",
    "MalformedArguments",
    "Message",
    "NotRecorded",
    "Optional",
    "PlainObject",
    "PromptTrace",
    "Record",
    "SystemMessage",
    "Time",
    "ToolCall",
    "ToolSchema",
    "Trace",
    "TraceOutput",
    "UserMessage",
    "moment",
    "read_arguments",
]

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
