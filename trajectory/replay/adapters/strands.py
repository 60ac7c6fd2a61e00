"""Agents of Strands.

An agent of Strands is one conversation: it keeps its messages and its state itself. A session resets both to what they
were at first, so one agent can have one session at a time; a function that makes the agent has no such limit.
"""

from __future__ import annotations

import copy
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from strands import Agent as StrandsAgent
from strands.tools.tools import PythonAgentTool
from strands.types.tools import AgentTool

from trajectory.conversation import MalformedArguments
from trajectory.errors import AgentError
from trajectory.json_values import plain_json
from trajectory.recordings.formats.strands import STRANDS
from trajectory.recordings.usage import read_usage
from trajectory.replay.adapters.reading import read_turn
from trajectory.replay.agents import Agent, Session
from trajectory.replay.recorded_tools import RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, Trace

_FIRST: Final[WeakKeyDictionary[Any, tuple[list[Any], dict[str, Any]]]] = WeakKeyDictionary()
"""The messages and the state that each agent began with."""
_BUSY: Final[WeakKeyDictionary[Any, bool]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


class Strands(Agent):
    """An agent of Strands, one session at a time."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        with _LOCK:
            _FIRST.setdefault(agent, (copy.deepcopy(agent.messages), copy.deepcopy(agent.state.get() or {})))

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session: messages and state are as they were at first, and the state of the thread is set."""
        del session_id
        with _LOCK:
            if _BUSY.get(self._agent):
                raise AgentError(
                    "an agent of Strands has one session at a time, and it has one: give a function that makes the agent"
                )
            _BUSY[self._agent] = True
        messages, state = copy.deepcopy(_FIRST[self._agent])
        self._agent.messages[:] = messages
        _set_state(self._agent, {**state, **(thread.initial_state or {})})
        return _Session(self._agent)


def _set_state(agent: Any, state: dict[str, Any]) -> None:
    for key in list(agent.state.get() or {}):
        agent.state.delete(key)
    for key, value in state.items():
        agent.state.set(key, value)


class _Session(Session):
    def __init__(self, agent: Any) -> None:
        self._agent = agent

    async def send(self, query: str) -> Trace:
        begun, before = datetime.now(UTC), len(self._agent.messages)
        result = await self._agent.invoke_async(query)
        trace = read_turn(STRANDS, plain_json(self._agent.messages[before:]), query, begun)
        model = (self._agent.model.get_config() or {}).get("model_id")
        invocations = result.metrics.agent_invocations
        usage = trace.usage or (read_usage(dict(invocations[-1].usage)) if invocations else None)
        return trace.model_copy(update={"usage": usage, "models": (model,) if isinstance(model, str) else None})

    def set_history(self, history: Sequence[Trace]) -> None:
        self._agent.messages[:] = [
            message for number, trace in enumerate(history) for message in _messages(trace, number)
        ]

    def final_state(self) -> Any:
        return self._agent.state.get()

    def close(self) -> None:
        with _LOCK:
            _BUSY[self._agent] = False


def _messages(trace: Trace, number: int) -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": [{"text": trace.query}]}]
    calls = [(call, call.id or f"call_{number}_{place}") for place, call in enumerate(trace.trajectory)]
    if calls:
        asked = [
            {
                "toolUse": {
                    "toolUseId": name,
                    "name": call.name,
                    "input": {} if isinstance(call.arguments, MalformedArguments) else call.arguments,
                }
            }
            for call, name in calls
        ]
        given = [
            {
                "toolResult": {
                    "toolUseId": name,
                    "status": "error" if call.result and call.result.error else "success",
                    "content": [{"text": (call.result and call.result.content) or ""}],
                }
            }
            for call, name in calls
        ]
        messages += [{"role": "assistant", "content": asked}, {"role": "user", "content": given}]
    if trace.response:
        messages.append({"role": "assistant", "content": [{"text": trace.response}]})
    return messages


def adapt(value: Any) -> Agent | None:
    """Make an agent of an agent of Strands."""
    return Strands(value) if isinstance(value, StrandsAgent) else None


def recorded_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a tool so that recorded results answer; a recorded failure is a result with the status error."""
    if not isinstance(tool, AgentTool):
        return None

    def respond(tool_use: Any, **_: Any) -> Any:
        try:
            status, text = "success", str(answer(tool.tool_name, dict(tool_use["input"])))
        except RecordedToolError as problem:
            status, text = "error", str(problem)
        return {"toolUseId": tool_use["toolUseId"], "status": status, "content": [{"text": text}]}

    return PythonAgentTool(tool.tool_name, tool.tool_spec, respond)
