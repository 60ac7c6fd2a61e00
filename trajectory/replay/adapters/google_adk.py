"""Agents, apps and runners of Google ADK."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.events import Event
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool
from google.genai import types

from trajectory.errors import EvaluationError
from trajectory.json_values import plain_json
from trajectory.recordings.formats.adk_session import ADK_SESSION
from trajectory.replay.adapters.reading import read_turn
from trajectory.replay.agents import Agent, Session
from trajectory.replay.history import object_arguments, result_text, rounds_of
from trajectory.replay.recorded_tools import GoLive, RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, ToolCall, Trace


class GoogleADK(Agent):
    """An agent, an app or a runner of Google ADK; each session is one of the runner's session service.

    What ADK keeps beside a session, for its user or for the whole app, must not reach the next one: each session has a
    user of its own, unless one is given, and where the runner keeps sessions in memory, a memory of its own as well.

    Args:
        runner: The runner.
        user_id: The user whose sessions they all are.
        run_options: What else each run is given, such as ``run_config``.
    """

    def __init__(self, runner: Any, *, user_id: str | None = None, **run_options: Any) -> None:
        self._runner = runner
        self._user = user_id
        self._options = run_options

    async def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session that begins in the state of the thread."""
        runner = self._runner
        if isinstance(runner.session_service, InMemorySessionService):
            runner = copy.copy(runner)
            runner.session_service = InMemorySessionService()
        session = await runner.session_service.create_session(
            app_name=runner.app_name,
            user_id=self._user or session_id,
            session_id=session_id,
            state=plain_json(thread.initial_state),
        )
        return _Session(runner, session, self._options)


class _Session(Session):
    def __init__(self, runner: Any, session: Any, options: dict[str, Any]) -> None:
        self._runner = runner
        self._session = session
        self._options = options

    @property
    def _who(self) -> dict[str, str]:
        return {"user_id": self._session.user_id, "session_id": self._session.id}

    async def send(self, query: str) -> Trace:
        begun = datetime.now(UTC)
        message = types.Content(role="user", parts=[types.Part(text=query)])
        said = Event(author="user", content=message, timestamp=begun.timestamp())
        events = [said]
        played = self._runner.run_async(new_message=message, **self._who, **self._options)
        events += [event async for event in played if not event.partial]
        errors = [event for event in events if event.error_code]
        if errors:
            raise EvaluationError(f"the model ended with {errors[-1].error_code}: {errors[-1].error_message}")
        if any(event.finish_reason is types.FinishReason.MAX_TOKENS for event in events):
            raise EvaluationError("the model's answer was cut off (MAX_TOKENS)")
        document = {"events": [event.model_dump(mode="json", exclude_none=True) for event in events]}
        return read_turn(ADK_SESSION, document, query, begun)

    async def set_history(self, history: Sequence[Trace]) -> None:
        """Replace the session by one that holds the recorded turns and the same state."""
        service = self._runner.session_service
        fresh = await service.create_session(
            app_name=self._runner.app_name, user_id=self._session.user_id, state=dict(await self.final_state())
        )
        for number, trace in enumerate(history, start=1):
            for event in _events(trace, number, self._runner.agent.name):
                await service.append_event(fresh, event)
        self._session = fresh

    async def final_state(self) -> Any:
        """Give the state of the session, as its service keeps it."""
        kept = await self._runner.session_service.get_session(app_name=self._runner.app_name, **self._who)
        if kept is None:
            raise EvaluationError("the runner's session service does not know the session any more")
        return dict(kept.state)


def _events(trace: Trace, number: int, agent: str) -> list[Any]:
    """Write a recorded turn as the events of a session."""
    contents = [("user", "user", [types.Part(text=trace.query)])]
    for made in rounds_of(trace, number):
        said = [types.Part(text=made.said)] if made.said else []
        contents += [
            (agent, "model", said + [_asked(name, call) for name, call in made.calls]),
            (agent, "user", [_given(name, call) for name, call in made.calls]),
        ]
    if trace.response:
        contents.append((agent, "model", [types.Part(text=trace.response)]))
    return [
        Event(author=author, invocation_id=f"recorded-{number}", content=types.Content(role=role, parts=parts))
        for author, role, parts in contents
    ]


def _asked(name: str, call: ToolCall) -> Any:
    return types.Part(function_call=types.FunctionCall(id=name, name=call.name, args=object_arguments(call)))


def _given(name: str, call: ToolCall) -> Any:
    response = _response(result_text(call))
    return types.Part(function_response=types.FunctionResponse(id=name, name=call.name, response=response))


def _response(text: str) -> dict[str, Any]:
    """Make a response of a recorded text: ADK gives models objects alone, and wraps everything else."""
    try:
        recorded = json.loads(text)
    except ValueError:
        recorded = None
    return recorded if isinstance(recorded, dict) else {"result": text}


def adapt(value: Any) -> Agent | None:
    """Make an agent of an agent, an app or a runner."""
    if isinstance(value, Runner):
        return GoogleADK(value)
    if isinstance(value, App):
        return GoogleADK(InMemoryRunner(app=value))
    return GoogleADK(InMemoryRunner(value, app_name="trajectory")) if isinstance(value, BaseAgent) else None


def recorded_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a tool that runs here so that recorded results answer; a recorded failure gives an object with ``error``."""
    if not isinstance(tool, BaseTool) or type(tool).run_async is BaseTool.run_async:
        return None

    async def run_async(*, args: dict[str, Any], tool_context: Any) -> Any:
        try:
            return _response(answer(tool.name, args))
        except RecordedToolError as problem:
            return {"error": str(problem)}
        except GoLive:
            return await tool.run_async(args=args, tool_context=tool_context)

    copied = copy.copy(tool)
    copied.run_async = run_async
    return copied
