"""Compiled graphs of LangGraph, which agents of LangChain are as well. Their state must hold ``messages``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.pregel import Pregel

from trajectory.conversation import MalformedArguments
from trajectory.errors import AgentError, EvaluationError
from trajectory.recordings.formats.langchain import LANGCHAIN
from trajectory.replay.adapters.reading import read_turn
from trajectory.replay.agents import Agent, Session
from trajectory.replay.recorded_tools import GoLive, RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, Trace

_MESSAGES: Final = "messages"
_ALL: Final = "__remove_all__"


class LangGraph(Agent):
    """A compiled graph; each session is a thread of its checkpointer, or keeps the messages itself where it has none.

    Args:
        graph: The graph.
        config: What else each run is configured by.
    """

    def __init__(self, graph: Any, config: dict[str, Any] | None = None) -> None:
        if _MESSAGES not in graph.channels:
            raise AgentError(
                f"the graph {graph.name} has no 'messages' in its state: give a callable that maps a query to its input "
                "and its output to an answer with tool_calls"
            )
        self._graph = graph
        self._config = config or {}

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session: a fresh thread id, and the state that the thread begins in."""
        configurable = {**self._config.get("configurable", {}), "thread_id": session_id}
        config = {**self._config, "configurable": configurable}
        return _Session(self._graph, config, dict(thread.initial_state or {}))


class _Session(Session):
    def __init__(self, graph: Any, config: dict[str, Any], state: dict[str, Any]) -> None:
        self._graph = graph
        self._config = config
        self._initial = state
        self._remembers = graph.checkpointer not in {None, False}
        self._values: dict[str, Any] = {}
        self._history: list[BaseMessage] | None = None

    async def send(self, query: str) -> Trace:
        begun = datetime.now(UTC)
        said = HumanMessage(query)
        given = {**self._initial, _MESSAGES: [*await self._before(), said]}
        self._initial = {}
        values = await self._graph.ainvoke(given, self._config)
        if not isinstance(values, dict) or _MESSAGES not in values:
            raise EvaluationError("the graph gave back no state with 'messages'")
        self._values = values
        document = {_MESSAGES: [message.model_dump(mode="json") for message in _since(values[_MESSAGES], said)]}
        if "__interrupt__" in values and len(document[_MESSAGES]) <= 1:
            raise EvaluationError("the graph was interrupted before it answered")
        return read_turn(LANGCHAIN, document[_MESSAGES], query, begun)

    async def _before(self) -> list[BaseMessage]:
        """Give the messages to be said again: all of them, unless the graph remembers them itself."""
        if self._history is not None:
            history, self._history = self._history, None
            return [RemoveMessage(id=_ALL), *history] if self._remembers else history
        return [] if self._remembers else list(self._values.get(_MESSAGES, []))

    def set_history(self, history: Sequence[Trace]) -> None:
        self._history = [message for number, trace in enumerate(history) for message in _messages(trace, number)]

    def final_state(self) -> Any:
        """Give the values of the state, messages aside."""
        return {key: _plain(value) for key, value in self._values.items() if key not in {_MESSAGES, "__interrupt__"}}


def _plain(value: Any) -> Any:
    return json.loads(
        json.dumps(value, default=lambda one: one.model_dump() if hasattr(one, "model_dump") else str(one))
    )


def _since(messages: Sequence[Any], said: HumanMessage) -> Sequence[Any]:
    """Give the messages of the turn: from what the user said last."""
    at = next((at for at in range(len(messages) - 1, -1, -1) if _is(messages[at], said)), 0)
    return messages[at:]


def _is(message: Any, said: HumanMessage) -> bool:
    return isinstance(message, HumanMessage) and message.content == said.content


def _messages(trace: Trace, number: int) -> list[BaseMessage]:
    messages: list[BaseMessage] = [HumanMessage(trace.query)]
    calls = [(call, call.id or f"call_{number}_{place}") for place, call in enumerate(trace.trajectory)]
    if calls:
        asked = [
            {
                "name": call.name,
                "args": {} if isinstance(call.arguments, MalformedArguments) else call.arguments,
                "id": name,
            }
            for call, name in calls
        ]
        messages.append(AIMessage("", tool_calls=asked))
        messages += [
            ToolMessage((call.result and call.result.content) or "", tool_call_id=name, name=call.name)
            for call, name in calls
        ]
    if trace.response:
        messages.append(AIMessage(trace.response))
    return messages


def adapt(value: Any) -> Agent | None:
    """Make an agent of a compiled graph."""
    return LangGraph(value) if isinstance(value, Pregel) else None


def recorded_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a tool so that recorded results answer; a recorded failure is what the tool node tells a model of one."""
    if not isinstance(tool, BaseTool):
        return None

    stated = tool.tool_call_schema.model_json_schema().get("properties", {})

    def recorded(arguments: dict[str, Any]) -> Any:
        try:
            # What a graph injects was never recorded: it is for the live tool.
            return answer(tool.name, {key: value for key, value in arguments.items() if key in stated})
        except RecordedToolError as problem:
            raise _RecordedException(str(problem)) from None

    def respond(**arguments: Any) -> Any:
        try:
            return recorded(arguments)
        except GoLive:
            return tool.invoke(arguments)

    async def respond_async(**arguments: Any) -> Any:
        try:
            return recorded(arguments)
        except GoLive:
            return await tool.ainvoke(arguments)

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.get_input_schema(),
        func=respond,
        coroutine=respond_async,
        handle_tool_error=_tell_recorded,
    )


class _RecordedException(ToolException):
    """A tool failed when it was recorded."""


def _tell_recorded(problem: ToolException) -> str:
    """Tell the model of a recorded failure; what the live tool raises is as if there were no recording."""
    if not isinstance(problem, _RecordedException):
        raise problem
    return str(problem)
