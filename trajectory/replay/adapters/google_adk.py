"""Agents, apps and runners of Google ADK."""

from __future__ import annotations

import copy
import functools
import inspect
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.events import Event
from google.adk.runners import InMemoryRunner, Runner
from google.adk.tools import FunctionTool
from google.genai import types

from trajectory.conversation import MalformedArguments
from trajectory.recordings.formats.adk_session import ADK_SESSION
from trajectory.replay.adapters.reading import read_turn
from trajectory.replay.agents import Agent, Session
from trajectory.replay.recorded_tools import RecordedToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, Trace

_USER: Final = "trajectory"
_APP: Final = "trajectory"


class GoogleADK(Agent):
    """An agent, an app or a runner of Google ADK; each session is one of the runner's session service.

    Args:
        runner: The runner.
        user_id: The user whose sessions they are.
        run_options: What else each run is given, such as ``run_config``.
    """

    def __init__(self, runner: Any, *, user_id: str = _USER, **run_options: Any) -> None:
        self._runner = runner
        self._user = user_id
        self._options = run_options

    async def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session that begins in the state of the thread."""
        session = await self._runner.session_service.create_session(
            app_name=self._runner.app_name,
            user_id=self._user,
            session_id=session_id,
            state=dict(thread.initial_state) if thread.initial_state is not None else None,
        )
        return _Session(self._runner, session, self._options)


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
            raise RuntimeError(f"the model ended with {errors[-1].error_code}: {errors[-1].error_message}")
        document = {"events": [event.model_dump(mode="json", exclude_none=True) for event in events]}
        return read_turn(ADK_SESSION, document, query, begun)

    async def set_history(self, history: Sequence[Trace]) -> None:
        """Replace the session by one that holds the recorded turns and the same state."""
        service = self._runner.session_service
        fresh = await service.create_session(
            app_name=self._runner.app_name, user_id=self._session.user_id, state=dict(await self.final_state())
        )
        for number, trace in enumerate(history):
            for event in _events(trace, number, self._runner.agent.name):
                await service.append_event(fresh, event)
        self._session = fresh

    async def final_state(self) -> Any:
        """Give the state of the session, as its service keeps it."""
        kept = await self._runner.session_service.get_session(app_name=self._runner.app_name, **self._who)
        return dict(kept.state)


def _events(trace: Trace, number: int, agent: str) -> list[Any]:
    invocation = f"recorded-{number}"
    calls = [(call, call.id or f"call_{number}_{place}") for place, call in enumerate(trace.trajectory)]
    asked = [
        types.Part(
            function_call=types.FunctionCall(
                id=name, name=call.name, args={} if isinstance(call.arguments, MalformedArguments) else call.arguments
            )
        )
        for call, name in calls
    ]
    given = [
        types.Part(
            function_response=types.FunctionResponse(
                id=name, name=call.name, response={"result": (call.result and call.result.content) or ""}
            )
        )
        for call, name in calls
    ]
    contents = [
        ("user", "user", [types.Part(text=trace.query)]),
        (agent, "model", asked),
        (agent, "user", given),
        (agent, "model", [types.Part(text=trace.response)] if trace.response else []),
    ]
    return [
        Event(author=author, invocation_id=invocation, content=types.Content(role=role, parts=parts))
        for author, role, parts in contents
        if parts
    ]


def adapt(value: Any) -> Agent | None:
    """Make an agent of an agent, an app or a runner."""
    if isinstance(value, Runner):
        return GoogleADK(value)
    if isinstance(value, App):
        return GoogleADK(InMemoryRunner(app=value))
    return GoogleADK(InMemoryRunner(value, app_name=_APP)) if isinstance(value, BaseAgent) else None


def recorded_tool(tool: Any, answer: Callable[[str, dict[str, Any]], Any]) -> Any | None:
    """Copy a function tool so that recorded results answer; a recorded failure gives an object with ``error``."""
    if not isinstance(tool, FunctionTool):
        return None
    signature = inspect.signature(tool.func)

    @functools.wraps(tool.func)
    def respond(*positional: Any, **named: Any) -> Any:
        arguments = dict(signature.bind(*positional, **named).arguments)
        arguments.pop("tool_context", None)
        try:
            return answer(tool.name, arguments)
        except RecordedToolError as problem:
            return {"error": str(problem)}

    copied = copy.copy(tool)
    copied.func = respond
    return copied
