"""What was said in a conversation, message by message."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Discriminator, Tag

from trajectory.records import Optional, Record
from trajectory.tool_calls import FunctionMessage, ToolCall


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


TraceOutput: TypeAlias = Annotated[
    Annotated[AssistantMessage, Tag("<assistant>")] | Annotated[str, Tag("<error>")],
    Discriminator(
        _role_or_text,
        custom_error_type="trace_output",
        custom_error_message="expected a message with the role assistant, or the text of an error",
    ),
]
