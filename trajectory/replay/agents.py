"""What counts as an agent, and how a fresh session of it is opened.

An agent is any of: an object with ``start_session(...)`` whose session has ``send(message)``; a callable ``(query)`` or
``(query, session_id)``; an agent of a framework that an adapter knows; a class or a function without parameters that
makes one of these. All may be async.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import AgentError
from trajectory.json_values import plain_json
from trajectory.replay.adapters.registry import adapted, tried
from trajectory.replay.history import openai_messages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.json_values import JsonValue

WHAT_AN_AGENT_IS: Final = (
    "an agent is a callable (query) or (query, session_id), an object with start_session() whose session has "
    "send(message), or a class or a function without parameters that makes one of these"
)


class Session:
    """One conversation with an agent.

    Attributes:
        gives_records: What it sends back are traces that nobody changes afterwards: they need not be read, nor copied.
    """

    gives_records = False

    def send(self, query: str) -> Any:
        """Give the agent the next user turn; what comes back may have to be awaited."""
        raise NotImplementedError

    def final_state(self) -> Any:
        """Report the state of the session after its last turn; what comes back may have to be awaited.

        Raises:
            AgentError: Sessions of this kind have no state that is known.
        """
        raise AgentError("this agent's sessions report no state")

    def set_history(self, history: Sequence[Trace]) -> Any:
        """Let the session go on from recorded turns instead of its own; what comes back may have to be awaited.

        Args:
            history: The turns so far, as they were recorded.

        Raises:
            AgentError: Sessions of this kind cannot be given a history.
        """
        del history
        raise AgentError("this agent's sessions cannot be given a history, so its turns cannot be teacher-forced")

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
    if isinstance(value, Agent):
        return value
    if (agent := adapted(value)) is not None:
        return agent
    if not isinstance(value, type) and callable(getattr(value, "start_session", None)):
        return _SessionAgent(value.start_session)
    if not callable(value):
        raise AgentError(f"{_name(value)} is no agent: {WHAT_AN_AGENT_IS}{_adapters_tried()}")
    signature = _signature(value)
    if isinstance(value, type) or (_binds(signature) and not _takes_any_position(signature)):
        return _Factory(value, signature)
    return _CallableAgent(_with_session_id(value, signature))


# --------------------------------------------------------------------------------------------------------- the kinds


class _Factory(Agent):
    """A class or a function that makes an agent: every session gets an agent of its own."""

    def __init__(self, make: Callable[[], Any], signature: inspect.Signature) -> None:
        if not _binds(signature):
            raise _wants_more(make, signature)
        self._make = make

    def open(self, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        made = self._make()
        if inspect.isawaitable(made):
            return self._await_and_open(made, thread, session_id)
        return self._open_with(made, thread, session_id)

    async def _await_and_open(self, made: Awaitable[Any], thread: ConversationThread, session_id: str) -> Session:
        opened = self._open_with(await made, thread, session_id)
        return await opened if inspect.isawaitable(opened) else opened

    def _open_with(self, made: Any, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        try:
            agent = as_agent(made)
        except AgentError as problem:
            raise AgentError(f"{_name(self._make)} made no agent: {problem}") from None
        if isinstance(agent, _Factory):
            raise AgentError(f"{_name(self._make)} made {_name(made)}, which takes no query: {WHAT_AN_AGENT_IS}")
        return agent.open(thread, session_id)


class _SessionAgent(Agent):
    """An object with ``start_session``; it is given what its parameters name, or else the session's id."""

    def __init__(self, start: Callable[..., Any]) -> None:
        self._start = start
        self._signature = _signature(start)
        positional, named = self._arguments("", None)
        if not _binds(self._signature, *positional, **named):
            raise _wants_more(start, self._signature)

    def open(self, thread: ConversationThread, session_id: str) -> Session | Awaitable[Session]:
        if thread.initial_state is not None and not _names(self._signature, "initial_state"):
            raise AgentError("the thread states an initial_state, and the agent's start_session() takes none")
        # A copy: what a session does to its state must not reach the next session.
        positional, named = self._arguments(session_id, plain_json(thread.initial_state))
        started = self._start(*positional, **named)
        return _await_session(started) if inspect.isawaitable(started) else _session_of(started)

    def _arguments(self, session_id: str, initial_state: JsonValue) -> tuple[list[str], dict[str, Any]]:
        named: dict[str, Any] = {"session_id": session_id} if _names(self._signature, "session_id") else {}
        if initial_state is not None or "initial_state" in _required(self._signature):
            named["initial_state"] = initial_state
        return [] if _binds(self._signature, **named) else [session_id], named


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

    def final_state(self) -> Any:
        for name in ("final_state", "state"):
            state = getattr(self._session, name, None)
            if state is not None:
                return state() if callable(state) else state
        raise AgentError("the session has no final_state and no state")

    def set_history(self, history: Sequence[Trace]) -> Any:
        take = getattr(self._session, "set_history", None)
        return take(openai_messages(history)) if callable(take) else super().set_history(history)

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


def _signature(call: Callable[..., Any]) -> inspect.Signature:
    """Read a signature; where Python cannot tell, anything may be given by position."""
    try:
        return inspect.signature(call)
    except (TypeError, ValueError):
        return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])


def _binds(signature: inspect.Signature, *positional: Any, **named: Any) -> bool:
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return False
    return True


def _names(signature: inspect.Signature, name: str) -> bool:
    """Tell whether a parameter can be given by a name."""
    parameter = signature.parameters.get(name)
    return parameter is not None and parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}


def _takes_any_position(signature: inspect.Signature) -> bool:
    return any(parameter.kind is parameter.VAR_POSITIONAL for parameter in signature.parameters.values())


def _required(signature: inspect.Signature) -> list[str]:
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    parameters = signature.parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in variable]


def _with_session_id(call: Callable[..., Any], signature: inspect.Signature) -> Callable[[str, str], Any]:
    """Give a callable the form (query, session_id), whatever of it the callable itself takes."""
    if _names(signature, "session_id") and _binds(signature, "", session_id=""):
        return lambda query, session_id: call(query, session_id=session_id)
    if _binds(signature, ""):
        return lambda query, _: call(query)
    if _binds(signature, "", "") and next(iter(signature.parameters)) != "session_id":
        return call
    raise _wants_more(call, signature)


def _wants_more(call: Callable[..., Any], signature: inspect.Signature) -> AgentError:
    return AgentError(f"{_name(call)} wants ({', '.join(_required(signature))}): {WHAT_AN_AGENT_IS}")


def _adapters_tried() -> str:
    names = tried()
    return f"; nor is it known to an adapter ({names})" if names else ""


def _name(value: Any) -> str:
    name = getattr(value, "__qualname__", None)
    return name if isinstance(name, str) else f"a value of type {type(value).__name__}"
