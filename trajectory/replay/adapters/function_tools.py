"""Python functions as tools of a model, and tools of which only the schema is known, which answer from the recording."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from trajectory.conversation import FunctionMessage, ToolSchema
from trajectory.errors import AgentError
from trajectory.json_values import describe, plain_json
from trajectory.replay.recorded_tools import RecordedToolError, recorded_answer
from trajectory.replay.recorded_turn import ReplayMiss

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.conversation import ToolCall


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model is told of.

    Attributes:
        schema: The tool as the model is told of it.
        run: What a call of it runs, with the arguments by name; sync or async.
    """

    schema: ToolSchema
    run: Callable[..., Any]

    def listed(self) -> dict[str, Any]:
        """Write the tool as a chat completion lists it."""
        function = {"name": self.schema.name, "description": self.schema.description}
        parameters = self.schema.parameters_schema or {"type": "object", "properties": {}}
        return {"type": "function", "function": {**function, "parameters": parameters}}


def tools_of(given: Any) -> tuple[Tool, ...]:
    """Make tools of what a user gives.

    Args:
        given: A mapping of names to functions, or a list of functions and of schemas as a chat completion lists them.

    Returns:
        The tools, in order.

    Raises:
        AgentError: Something is no tool, or two have one name.
    """
    if isinstance(given, Mapping):
        return tuple(_function_tool(name, tool) for name, tool in given.items())
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise AgentError(f"ChatEndpoint: expected tools by name or a list of them, found {describe(given)}")
    tools = tuple(_tool(one) for one in given)
    names = [tool.schema.name for tool in tools]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise AgentError(f"ChatEndpoint: two tools are named {repeated!r}")
    return tools


def recorded_tool(schema: ToolSchema) -> Tool:
    """Make a tool of which the recording tells all: its schema, and what it answers."""
    return Tool(schema, lambda **arguments: recorded_answer(schema.name, arguments))


def _tool(given: Any) -> Tool:
    if not isinstance(given, Mapping):
        return _function_tool(str(getattr(given, "__name__", type(given).__name__)), given)
    match given.get("function", given):
        case {"name": str(name), **rest}:
            told = {"description": rest.get("description") or "", "parameters_schema": rest.get("parameters") or {}}
            return recorded_tool(ToolSchema(name=name, **told))
    raise AgentError(f"ChatEndpoint: expected the schema of a tool with a name, found {describe(dict(given))}")


def _function_tool(name: str, tool: Any) -> Tool:
    if not callable(tool):
        raise AgentError(f"ChatEndpoint: the tool {name!r} is {describe(tool)}, not a function")
    try:
        parameters = TypeAdapter(_as_function(tool)).json_schema()
    except Exception as problem:
        raise AgentError(f"ChatEndpoint: no schema can be made of the signature of {name!r}: {problem}") from problem
    if parameters.get("type") != "object":
        raise AgentError(f"ChatEndpoint: the tool {name!r} cannot be called with its arguments by name")
    described = inspect.getdoc(tool.func if isinstance(tool, functools.partial) else tool) or ""
    return Tool(ToolSchema(name=name, description=described, parameters_schema=parameters), tool)


def _as_function(tool: Any) -> Any:
    """Give what has the signature: an object that can be called is described by its method."""
    is_function = inspect.isroutine(tool) or isinstance(tool, functools.partial)
    return tool if is_function else tool.__call__


async def result_of(call: ToolCall, tools: Mapping[str, Tool]) -> FunctionMessage:
    """Run a tool; what it raises is told to the model, as programs usually do.

    Args:
        call: What the model asked for.
        tools: The tools by name.

    Returns:
        What the tool gave back, whether it failed, and when it ran.

    Raises:
        ReplayMiss: The tool answers from the recording, which holds no result of this call.
    """
    begun = datetime.now(UTC).isoformat()
    content, failed = await _attempt(call, tools)
    return FunctionMessage(
        name=call.name,
        content=content,
        id=call.id,
        error=failed,
        start_time=begun,
        end_time=datetime.now(UTC).isoformat(),
    )


async def _attempt(call: ToolCall, tools: Mapping[str, Tool]) -> tuple[str, bool]:
    if call.name not in tools:
        return f"Error: there is no tool {call.name}", True
    if not isinstance(call.arguments, dict):
        return "Error: the arguments are no JSON object", True
    try:
        # A copy: what a tool does to its arguments must not reach the verdict.
        given = tools[call.name].run(**plain_json(call.arguments))
        result = await given if inspect.isawaitable(given) else given
        return (result if isinstance(result, str) else json.dumps(result, default=str, ensure_ascii=False)), False
    except ReplayMiss:
        raise
    except RecordedToolError as problem:
        return str(problem), True
    except Exception as problem:  # noqa: BLE001 - a tool may raise anything
        return f"Error: {str(problem) or type(problem).__name__}", True
