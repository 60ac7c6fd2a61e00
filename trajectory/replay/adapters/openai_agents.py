"""Agents of the OpenAI Agents SDK."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from agents import Agent as SdkAgent
from agents import FunctionTool, Runner

from trajectory.conversation import MalformedArguments, Usage
from trajectory.recordings.formats.openai_responses import OPENAI_RESPONSES
from trajectory.replay.adapters.reading import read_turn, refuse_initial_state
from trajectory.replay.agents import Agent, Session
from trajectory.replay.recorded_tools import GoLive, RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, Trace


_CALLS: Final = ("tool_call_item", "handoff_call_item")


class OpenAIAgents(Agent):
    """An agent of the OpenAI Agents SDK; each session keeps its input items, and the agent that has the word.

    Args:
        agent: The agent.
        run_options: What else each run is given, such as ``context``, ``max_turns`` or ``run_config``.
    """

    def __init__(self, agent: Any, **run_options: Any) -> None:
        self._agent = agent
        self._options = run_options

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session without any items."""
        del session_id
        refuse_initial_state(thread, "the OpenAI Agents SDK")
        return _Session(self._agent, self._options)


class _Session(Session):
    def __init__(self, agent: Any, options: dict[str, Any]) -> None:
        self._agent = agent
        self._options = options
        self._items: list[Any] = []

    async def send(self, query: str) -> Trace:
        begun = datetime.now(UTC)
        before = [*self._items, {"role": "user", "content": query}]
        result = await Runner.run(self._agent, before, **self._options)
        self._items = result.to_input_list()
        self._agent = result.last_agent
        document = [{"role": "user", "content": query}, *_plain(self._items[len(before) :])]
        trace = read_turn(OPENAI_RESPONSES, document, query, begun)
        callers = {_call_id(item): item.agent.name for item in result.new_items if item.type in _CALLS}
        calls = tuple(call.model_copy(update={"agent": callers.get(call.id)}) for call in trace.trajectory)
        models = dict.fromkeys(name for item in result.new_items if (name := _model_of(item.agent)))
        return trace.model_copy(
            update={"tool_calls": calls, "usage": _usage(result.context_wrapper.usage), "models": tuple(models) or None}
        )

    def set_history(self, history: Sequence[Trace]) -> None:
        self._items = [item for number, trace in enumerate(history) for item in _items(trace, number)]


def _plain(items: list[Any]) -> list[Any]:
    return json.loads(json.dumps(items, default=lambda item: item.model_dump(exclude_unset=True)))  # type: ignore[no-any-return]


def _call_id(item: Any) -> str | None:
    raw = item.raw_item
    found = raw.get("call_id") if isinstance(raw, dict) else getattr(raw, "call_id", None)
    return found if isinstance(found, str) else None


def _model_of(agent: Any) -> str | None:
    model = getattr(agent, "model", None)
    named = getattr(model, "model", model)
    return named if isinstance(named, str) else None


def _usage(usage: Any) -> Usage | None:
    if not usage.requests or not usage.total_tokens:
        return None
    details = getattr(usage, "input_tokens_details", None)
    return Usage(usage.input_tokens, usage.output_tokens, getattr(details, "cached_tokens", None))


def _items(trace: Trace, number: int) -> list[Any]:
    items: list[Any] = [{"role": "user", "content": trace.query}]
    calls = [(call, call.id or f"call_{number}_{place}") for place, call in enumerate(trace.trajectory)]
    for call, name in calls:
        given = call.arguments
        text = given.text if isinstance(given, MalformedArguments) else json.dumps(given)
        items.append({"type": "function_call", "call_id": name, "name": call.name, "arguments": text})
    for call, name in calls:
        output = (call.result and call.result.content) or ""
        items.append({"type": "function_call_output", "call_id": name, "output": output})
    if trace.response:
        items.append({"role": "assistant", "content": trace.response})
    return items


def adapt(value: Any) -> Agent | None:
    """Make an agent of an agent of the SDK."""
    return OpenAIAgents(value) if isinstance(value, SdkAgent) else None


def recorded_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a tool so that recorded results answer; a recorded failure gives its text, as the SDK tells a model of one."""
    if not isinstance(tool, FunctionTool):
        return None

    async def respond(context: Any, text: str) -> Any:
        try:
            return answer(tool.name, json.loads(text or "{}"))
        except RecordedToolError as problem:
            return str(problem)
        except GoLive:
            return await tool.on_invoke_tool(context, text)

    return dataclasses.replace(tool, on_invoke_tool=respond)
