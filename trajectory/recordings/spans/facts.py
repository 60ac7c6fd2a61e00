"""What a span says about an agent, in the same words for every dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from trajectory.conversation import NOT_RECORDED, Arguments, AssistantMessage, Message, ToolSchema

if TYPE_CHECKING:
    from trajectory.conversation import Usage
    from trajectory.json_values import JsonObject
    from trajectory.recordings.spans.span import Span


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a model, or an agent as a whole, was given and what came out.

    Attributes:
        given: The messages that went in, the whole history among them.
        said: The messages that came out.
        tools: The tools that could be called.
        agent: The agent that asked; of a model's answer only, and told by the spans around.
    """

    given: tuple[Message, ...] = ()
    said: tuple[AssistantMessage, ...] = ()
    tools: tuple[ToolSchema, ...] = ()
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What one request to a model took.

    Attributes:
        start: When it began, in nanoseconds since 1970.
        usage: The tokens and the money, where they are known.
        model: The model that answered, or else the one that was asked.
    """

    start: int
    usage: Usage | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool at work.

    Attributes:
        name: The tool.
        id: The id of the call that it answers, where the span knows it.
        arguments: With what it was called.
        value: The value of its only argument, where the span kept that without the argument's name.
        result: What it gave back; ``None`` for nothing recorded.
        failed: Whether the result says that it failed; ``None`` when it says so where nothing is a flag. A span that
            failed counts by itself.
        agent: The agent for which it ran, told by the spans around.
    """

    name: str
    id: str | None = None
    arguments: Arguments = field(default=NOT_RECORDED)
    value: str | None = None
    result: str | None = None
    failed: bool | None = False
    agent: str | None = None


class Dialect(Protocol):
    """A way to say in attributes what an agent does. Each question is asked of one span; ``None`` says that it is not so.

    Attributes:
        name: What it is called in notes.
    """

    name: str

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        ...

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model; an empty exchange where the span kept no messages."""
        ...

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole; likewise."""
        ...

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool."""
        ...


def tool_schema(given: object) -> ToolSchema | None:
    """Read the definition of a tool in any of the usual shapes; ``None`` when it has no name."""
    if not isinstance(given, dict):
        return None
    tool: JsonObject = given["function"] if isinstance(given.get("function"), dict) else given
    schema = next((tool[key] for key in ("parameters", "inputSchema", "input_schema") if tool.get(key)), None)
    schema = schema["json"] if isinstance(schema, dict) and isinstance(schema.get("json"), dict) else schema
    if not isinstance(name := tool.get("name"), str):
        return None
    return ToolSchema(
        name=name,
        description=str(tool.get("description") or ""),
        parameters_schema=schema if isinstance(schema, dict) else None,
    )


def tool_schemas(given: object) -> tuple[ToolSchema, ...]:
    """Read a list of definitions of tools; what is none is passed over."""
    return tuple(tool for item in (given if isinstance(given, list) else ()) if (tool := tool_schema(item)))
