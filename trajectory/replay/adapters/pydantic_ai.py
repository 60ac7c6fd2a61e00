"""Agents of Pydantic AI."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import ModelRetry, RunContext, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_core import ValidationError

from trajectory.conversation import AssistantMessage, MalformedArguments
from trajectory.recordings.formats.pydantic_ai import PYDANTIC_AI
from trajectory.replay.adapters.reading import read_turn, refuse_initial_state
from trajectory.replay.agents import Agent, Session
from trajectory.replay.recorded_tools import GoLive, RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, ToolCall, Trace


class PydanticAI(Agent):
    """An agent of Pydantic AI; each session keeps a message history of its own.

    Args:
        agent: The agent.
        run_options: What else each run is given, such as ``deps`` or ``usage_limits``.
    """

    def __init__(self, agent: Any, **run_options: Any) -> None:
        self._agent = agent
        self._options = run_options

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session with an empty history."""
        del session_id
        refuse_initial_state(thread, "Pydantic AI")
        return _Session(self._agent, self._options)


class _Session(Session):
    def __init__(self, agent: Any, options: dict[str, Any]) -> None:
        self._agent = agent
        self._options = options
        self._history: list[ModelMessage] = []

    async def send(self, query: str) -> Trace:
        begun = datetime.now(UTC)
        result = await self._agent.run(query, message_history=self._history, **self._options)
        self._history = result.all_messages()
        trace = read_turn(PYDANTIC_AI, json.loads(result.new_messages_json()), query, begun)
        if trace.response is None:  # the answer is an object, given by a call of an output tool
            text = result.output if isinstance(result.output, str) else json.dumps(_dumped(result.output))
            trace = trace.model_copy(update={"output": AssistantMessage(content=text)})
        return trace

    def set_history(self, history: Sequence[Trace]) -> None:
        self._history = [message for trace in history for message in _messages(trace)]


def _dumped(output: Any) -> Any:
    return output.model_dump(mode="json") if hasattr(output, "model_dump") else str(output)


def _messages(trace: Trace) -> list[ModelMessage]:
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(content=trace.query)])]
    calls = [(call, call.id or f"call_{place}") for place, call in enumerate(trace.trajectory)]
    if calls:
        messages.append(ModelResponse(parts=[_call(call, name) for call, name in calls]))
        messages.append(
            ModelRequest(
                parts=[
                    ToolReturnPart(
                        tool_name=call.name,
                        content=(call.result and call.result.content) or "",
                        tool_call_id=name,
                    )
                    for call, name in calls
                ]
            )
        )
    if trace.response:
        messages.append(ModelResponse(parts=[TextPart(content=trace.response)]))
    return messages


def _call(call: ToolCall, name: str) -> ToolCallPart:
    given: Any = call.arguments.text if isinstance(call.arguments, MalformedArguments) else call.arguments
    return ToolCallPart(tool_name=call.name, args=given, tool_call_id=name)


def adapt(value: Any) -> Agent | None:
    """Make an agent of an agent of Pydantic AI."""
    return PydanticAI(value) if isinstance(value, PydanticAgent) else None


def recorded_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a tool so that recorded results answer; a recorded failure asks the model to try again, as it did then."""
    if not isinstance(tool, Tool):
        return None

    async def respond(context: RunContext[Any], **arguments: Any) -> Any:
        try:
            return answer(tool.name, arguments)
        except RecordedToolError as problem:
            raise ModelRetry(str(problem)) from None
        except GoLive:
            return await _call_live(tool, context, arguments)

    return Tool.from_schema(
        respond,
        name=tool.name,
        description=tool.description,
        json_schema=tool.function_schema.json_schema,
        takes_ctx=True,
    )


async def _call_live(tool: Tool[Any], context: RunContext[Any], arguments: dict[str, Any]) -> Any:
    """Call a tool as an agent would."""
    schema = tool.function_schema
    try:
        valid = schema.validator.validate_python(arguments)
    except ValidationError as problem:
        raise ModelRetry(str(problem)) from None
    return await schema.call(valid, context)
