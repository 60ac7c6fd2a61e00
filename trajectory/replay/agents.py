"""What counts as an agent, and how a fresh session of it is opened.

An agent is any of: an object with ``start_session(...)`` whose session has ``send(message)``; a callable ``(query)`` or
``(query, session_id)``; a class or a function without parameters that makes one of these. All may be async.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trajectory.conversation import ConversationThread, Trace

WHAT_AN_AGENT_IS: Final = (
    "an agent is a callable (query) or (query, session_id), an object with start_session() whose session has "
    "send(message), or a class or a function without parameters that makes one of these"
)


class Session:
    """One conversation with an agent."""

    def send(self, query: str) -> Any:
        """Give the agent the next user turn; what comes back may have to be awaited."""
        raise NotImplementedError

    def close(self) -> Any:
        """End the conversation; what comes back may have to be awaited."""

    def unplayed(self) -> tuple[Trace, ...]:
        """Return the turns that this session holds beyond those it was asked for; only a recording has any."""
        return ()


class Agent:
    """Something that sessions can be opened with, as the replayer sees it.

    Attributes:
        can_hang: A session may take for ever, so it is run where it can be given up on.
    """

    can_hang = True

    def open(self, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        """Open a fresh session for a thread.

        Args:
            thread: The thread that is going to be replayed.
            session_id: An id that no other session has.

        Returns:
            The session; it may have to be awaited.

        Raises:
            AgentError: No session can be opened with what was given as the agent.
        """
        raise NotImplementedError


def as_agent(value: Any) -> Agent:
    """Make an agent of what a user gives.

    Args:
        value: An agent in any of the forms that this module's docstring lists, or something that is an `Agent` already.

    Returns:
        The agent.

    Raises:
        AgentError: ``value`` is none of these.
    """
    if isinstance(value, type):
        return _Factory(value)
    if isinstance(value, Agent):
        return value
    if callable(getattr(value, "start_session", None)):
        return _SessionAgent(value)
    if not callable(value):
        raise AgentError(f"{_name(value)} is no agent: {WHAT_AN_AGENT_IS}")
    parameters = _parameters(value)
    if parameters is not None and not _takes_a_query(parameters):
        return _Factory(value)
    return _CallableAgent(_with_session_id(value, parameters or []))


# --------------------------------------------------------------------------------------------------------- the kinds


class _Factory(Agent):
    """A class or a function that makes an agent: every session gets an agent of its own."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    async def _await_and_open(self, made: Any, thread: ConversationThread, session_id: str) -> Session:
        opened = self._open_with(await made, thread, session_id)
        return await opened if inspect.isawaitable(opened) else opened

    def open(self, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        made = self._make()
        if inspect.isawaitable(made):
            return self._await_and_open(made, thread, session_id)
        return self._open_with(made, thread, session_id)

    def _open_with(self, made: Any, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        if isinstance(made, type) or not (callable(made) or hasattr(made, "start_session")):
            raise AgentError(f"{_name(self._make)} made {_name(made)}, which is no agent: {WHAT_AN_AGENT_IS}")
        agent = as_agent(made)
        if isinstance(agent, _Factory):
            raise AgentError(f"{_name(self._make)} made {_name(made)}, which takes no query: {WHAT_AN_AGENT_IS}")
        return agent.open(thread, session_id)


class _SessionAgent(Agent):
    """An object with ``start_session``; it is given what its parameters name."""

    def __init__(self, agent: Any) -> None:
        self._start = agent.start_session
        self._parameters = _parameters(self._start) or []

    def open(self, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        offered = {"session_id": session_id, "initial_state": thread.initial_state}
        if thread.initial_state is not None and not self._takes("initial_state"):
            raise AgentError("the thread states an initial_state, and the agent's start_session() takes none")
        named = {name: value for name, value in offered.items() if self._takes(name)}
        first = [p for p in self._parameters if _is_required(p) and _is_positional(p) and p.name not in named]
        started = self._start(*([session_id] if first else []), **named)
        return _await_session(started) if inspect.isawaitable(started) else _session_of(started)

    def _takes(self, name: str) -> bool:
        return any(p.name == name and p.kind is not p.POSITIONAL_ONLY for p in self._parameters)


class _CallableAgent(Agent):
    """A callable that answers a query."""

    def __init__(self, call: Callable[[str, str], Any]) -> None:
        self._call = call

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        if thread.initial_state is not None:
            raise AgentError("the thread states an initial_state, and a callable agent takes none")
        return _CallableSession(self._call, session_id)


class _CallableSession(Session):
    def __init__(self, call: Callable[[str, str], Any], session_id: str) -> None:
        self._call = call
        self._session_id = session_id

    def send(self, query: str) -> Any:
        return self._call(query, self._session_id)


class _UserSession(Session):
    """A session object of the user's own."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def send(self, query: str) -> Any:
        return self._session.send(query)

    def close(self) -> Any:
        close = getattr(self._session, "aclose", None) or getattr(self._session, "close", None)
        return close() if callable(close) else None


def _session_of(session: Any) -> Session:
    if not callable(getattr(session, "send", None)):
        raise AgentError(f"start_session() returned {_name(session)}, which has no send(message)")
    return _UserSession(session)


async def _await_session(started: Awaitable[Any]) -> Session:
    return _session_of(await started)


# --------------------------------------------------------------------------------------------------------- signatures


def _parameters(call: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """List the parameters of a callable; ``None`` when Python cannot tell."""
    try:
        return list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return None


def _is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in {
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    }


def _takes_a_query(parameters: list[inspect.Parameter]) -> bool:
    """Tell an agent from a factory: a factory can be called without arguments."""
    return any(_is_required(p) or p.kind is p.VAR_POSITIONAL for p in parameters)


def _with_session_id(call: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[[str, str], Any]:
    """Give a callable the form (query, session_id), whatever of it the callable itself takes."""
    required = [p for p in parameters if _is_required(p)]
    beside_query = [p for p in required[1:] if p.name != "session_id"]
    wants_session = any(p.name == "session_id" and p.kind is not p.POSITIONAL_ONLY for p in parameters[1:])
    if required and not _is_positional(required[0]):
        pass
    elif not beside_query and wants_session:
        return lambda query, session_id: call(query, session_id=session_id)
    elif not beside_query:
        return lambda query, _: call(query)
    elif len(required) == len(("query", "session_id")) and _is_positional(required[1]):
        return call
    raise AgentError(f"{_name(call)} wants ({', '.join(p.name for p in required)}): {WHAT_AN_AGENT_IS}")


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", None)
    return str(name) if isinstance(name, str) else f"a value of type {type(value).__name__}"
