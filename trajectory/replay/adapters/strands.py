"""Agents of Strands.

An agent of Strands is one conversation: it keeps its messages and its state itself. A session resets both to what they
were at first, so one agent can have one session at a time; a function that makes the agent has no such limit.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from strands import Agent as StrandsAgent
from strands.hooks import MessageAddedEvent
from strands.multiagent.base import MultiAgentBase
from strands.tools.tools import PythonAgentTool
from strands.types.tools import AgentTool

from trajectory.errors import AgentError, EvaluationError
from trajectory.recordings.formats.strands import STRANDS
from trajectory.recordings.usage import read_usage
from trajectory.replay.adapters.reading import read_turn
from trajectory.replay.agents import Agent, Session
from trajectory.replay.history import object_arguments, result_text, rounds_of
from trajectory.replay.recorded_tools import GoLive, RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, ToolCall, Trace

_ENDINGS: Final = frozenset({"end_turn", "stop_sequence", "tool_use", "interrupt"})
"""How a turn ends that can be judged; at an interrupt, a person is asked, and the call that asks was made."""


@dataclass(slots=True)
class _Kept:
    """What is kept of an agent from one session to the next.

    Attributes:
        first: What it was at first.
        heard: The messages that were added to its conversation in this turn.
        busy: Whether it has a session.
    """

    first: Any
    heard: list[dict[str, Any]] = field(default_factory=list)
    busy: bool = False


_KEPT: Final[WeakKeyDictionary[Any, _Kept]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


class Strands(Agent):
    """An agent of Strands, one session at a time."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        with _LOCK:
            if agent not in _KEPT:
                _KEPT[agent] = _observed(agent)

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session: the agent is what it was at first, and the state of the thread is set.

        Raises:
            AgentError: The agent has a session, or goes on from one that it has stored.
        """
        del session_id
        agent, kept = self._agent, _KEPT[self._agent]
        _refuse_stored_session(agent, kept)
        with _LOCK:
            if kept.busy:
                raise AgentError(
                    "an agent of Strands has one session at a time, and it has one: give a function that makes the agent"
                )
            agent.load_snapshot(kept.first)
            kept.busy = True
        for key, value in (thread.initial_state or {}).items():
            agent.state.set(key, value)
        return _Session(agent, kept)


def _observed(agent: Any) -> _Kept:
    """Listen to an agent: what its conversation manager forgets within a turn was said nevertheless."""
    kept = _Kept(agent.take_snapshot(preset="session"))
    heard = kept.heard  # no more of it: the agent is the key by which it is kept

    def hear(event: Any) -> None:
        heard.append({**_plain(event.message), "created_at": datetime.now(UTC).isoformat()})

    agent.add_hook(hear, MessageAddedEvent)
    return kept


def _plain(message: Any) -> Any:
    """Copy a message, for the agent goes on to change it; pictures and documents hold bytes, which are only named."""
    return json.loads(json.dumps(message, default=lambda value: f"<{type(value).__name__}>"))


def _refuse_stored_session(agent: Any, kept: _Kept) -> None:
    if agent._session_manager is not None and kept.first.data["messages"]:  # noqa: SLF001 - nothing public tells
        raise AgentError(
            "the agent's session manager has restored an earlier session, and every thread needs a fresh one: "
            "make the agent without a session manager, or with a new session id each time"
        )


class _Session(Session):
    def __init__(self, agent: Any, kept: _Kept) -> None:
        self._agent = agent
        self._kept = kept

    async def send(self, query: str) -> Trace:
        begun = datetime.now(UTC)
        self._kept.heard.clear()
        result = await self._agent.invoke_async(query)
        if result.stop_reason not in _ENDINGS:
            raise EvaluationError(f"the turn was cut off ({result.stop_reason})")
        trace = read_turn(STRANDS, list(self._kept.heard), query, begun)
        model = (self._agent.model.get_config() or {}).get("model_id")
        invocations = result.metrics.agent_invocations
        usage = trace.usage or (read_usage(dict(invocations[-1].usage)) if invocations else None)
        return trace.model_copy(update={"usage": usage, "models": (model,) if isinstance(model, str) else None})

    def set_history(self, history: Sequence[Trace]) -> None:
        self._agent.messages = [
            message for number, trace in enumerate(history, start=1) for message in _messages(trace, number)
        ]

    def final_state(self) -> Any:
        return self._agent.state.get()

    def close(self) -> None:
        with _LOCK:
            self._kept.busy = False


def _messages(trace: Trace, number: int) -> list[Any]:
    """Write a recorded turn as messages of Strands."""
    messages: list[Any] = [{"role": "user", "content": [{"text": trace.query}]}]
    for made in rounds_of(trace, number):
        said = [{"text": made.said}] if made.said else []
        messages += [
            {"role": "assistant", "content": [*said, *(_asked(name, call) for name, call in made.calls)]},
            {"role": "user", "content": [_given(name, call) for name, call in made.calls]},
        ]
    if trace.response:
        messages.append({"role": "assistant", "content": [{"text": trace.response}]})
    return messages


def _asked(name: str, call: ToolCall) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": name, "name": call.name, "input": object_arguments(call)}}


def _given(name: str, call: ToolCall) -> dict[str, Any]:
    status = "error" if call.result and call.result.error else "success"
    return {"toolResult": {"toolUseId": name, "status": status, "content": [{"text": result_text(call)}]}}


def adapt(value: Any) -> Agent | None:
    """Make an agent of an agent of Strands.

    Raises:
        AgentError: It is several agents, whose calls cannot be seen from outside.
    """
    if isinstance(value, MultiAgentBase):
        raise AgentError(
            f"a {type(value).__name__} of Strands keeps what its agents do to itself: give a function (query) that runs it "
            "and returns the messages of its agents"
        )
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

    return _RecordedTool(tool, respond)


class _RecordedTool(PythonAgentTool):
    """A tool that answers from the recording, and is the live one where it must."""

    def __init__(self, tool: AgentTool, respond: Callable[..., Any]) -> None:
        super().__init__(tool.tool_name, tool.tool_spec, respond)
        self._live = tool

    async def stream(self, tool_use: Any, invocation_state: dict[str, Any], **more: Any) -> Any:
        """Give what either has to tell."""
        try:
            async for event in super().stream(tool_use, invocation_state, **more):
                yield event
        except GoLive:
            async for event in self._live.stream(tool_use, invocation_state, **more):
                yield event
