"""Every form of an agent, and everything that is none."""

# ruff: noqa: ARG002, ARG005, PLW0108 - the signatures are what is tested

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, MagicMock

import pytest

from tests.sets import call, conversation
from trajectory.errors import AgentError
from trajectory.replay import Agent, ThreadReplay, as_agent, replay

if TYPE_CHECKING:
    from collections.abc import Callable


def played(agent: Any, *queries: str, turn_timeout: float = 0, **keys: Any) -> ThreadReplay:
    thread = conversation("t", [(query, [call("f")]) for query in queries or ("hi",)], **keys)
    return replay(as_agent(agent), thread, turn_timeout=turn_timeout)


def answers(agent: Any, *queries: str, **keys: Any) -> list[str | None]:
    turns = played(agent, *queries, **keys).turns
    assert not [turn.failure.text for turn in turns if turn.failure]
    return [turn.actual.response for turn in turns if turn.actual]


def failure(agent: Any, **keys: Any) -> str:
    turn = played(agent, **keys).turns[0]
    assert turn.failure is not None
    return turn.failure.text


# ---------------------------------------------------------------------------------------------------------- callables


def told(query: Any = None, session_id: Any = None, **_: Any) -> str:
    assert session_id is None or session_id.startswith("trajectory-")
    return f"{query}, {'id' if session_id else 'no id'}"


class Callables:
    def method(self, query: str) -> str:
        return told(query)

    @classmethod
    def of_class(cls, query: str, session_id: str) -> str:
        return told(query, session_id)

    @staticmethod
    def static(query: str, *, session_id: str) -> str:
        return told(query, session_id)

    def __call__(self, *args: str) -> str:
        return told(args[0])


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        (lambda query: told(query), "hi, no id"),
        (lambda query, session_id: told(query, session_id), "hi, id"),
        (lambda query, s: told(query, s), "hi, id"),
        (lambda query, session_id=None: told(query, session_id), "hi, id"),
        (lambda query, *, session_id: told(query, session_id), "hi, id"),
        (lambda query, *, session_id=None: told(query, session_id), "hi, id"),
        (lambda query, retries=3: told(query), "hi, no id"),
        (lambda query, retries=3, session_id=None: told(query, session_id), "hi, id"),
        (lambda query, retries=3, *, session_id: told(query, session_id), "hi, id"),
        (lambda query, *rest: told(query, *rest), "hi, no id"),
        (lambda query, **options: told(query, options.get("session_id")), "hi, no id"),
        (lambda *args: told(args[0]), "hi, no id"),
        (lambda *args, session_id: told(args[0], session_id), "hi, id"),
        (lambda *args, **options: told(args[0], options.get("session_id")), "hi, no id"),
        (lambda query, /: told(query), "hi, no id"),
        (lambda query, session_id, /: told(query, session_id), "hi, id"),
        (Callables().method, "hi, no id"),
        (Callables.of_class, "hi, id"),
        (Callables.static, "hi, id"),
        (Callables(), "hi, no id"),
        (functools.partial(lambda model, query: told(query), "some model"), "hi, no id"),
        (functools.partial(lambda query, model: told(query), model="some model"), "hi, no id"),
        (functools.partial(lambda query, session_id, model: told(query, session_id), model="some model"), "hi, id"),
        ("{}, formatted".format, "hi, formatted"),
        (repr, "'hi'"),
    ],
)
def test_every_form_of_a_callable(agent: Any, answer: str) -> None:
    assert answers(agent) == [answer]


class AsyncCallable:
    async def __call__(self, query: str, session_id: str) -> str:
        return told(query, session_id)


@pytest.mark.parametrize(
    ("agent", "answer"),
    [(AsyncCallable(), "hi, id"), (AsyncCallable, "hi, id"), (functools.partial(AsyncCallable()), "hi, id")],
)
@pytest.mark.parametrize("turn_timeout", [0, 20])
def test_asynchronous_callables(agent: Any, answer: str, turn_timeout: float) -> None:
    assert answers(agent, turn_timeout=turn_timeout) == [answer]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (None, "NoneType is no agent"),
        ("module:agent", "str is no agent"),
        (5, "int is no agent"),
        ({"agent": told}, "dict is no agent"),
        (lambda query, history, tools: "", r"wants \(query, history, tools\)"),
        (lambda *, query: "", r"wants \(query\)"),
        (lambda query, *, tools: "", r"wants \(query, tools\)"),
        (lambda session_id, query: "", r"wants \(session_id, query\)"),
    ],
)
def test_what_is_no_agent(agent: Any, reason: str) -> None:
    with pytest.raises(AgentError, match=reason + ".*an agent is a callable"):
        as_agent(agent)


def test_a_class_that_cannot_be_made_without_more() -> None:
    class Needy:
        def __init__(self, model: str, *, tools: object, retries: int = 3) -> None: ...

    with pytest.raises(AgentError, match=r"Needy wants \(model, tools\)"):
        as_agent(Needy)


# ---------------------------------------------------------------------------------------------------------- factories


def test_every_session_gets_an_agent_of_its_own() -> None:
    made: list[object] = []

    class Remembers:
        def __init__(self) -> None:
            self.heard: list[str] = []
            made.append(self)

        def __call__(self, query: str) -> str:
            self.heard.append(query)
            return ", ".join(self.heard)

    def make() -> Remembers:
        return Remembers()

    async def make_later(model: str = "some model") -> Remembers:
        del model
        return Remembers()

    for number, factory in enumerate((Remembers, make, make_later, functools.partial(make)), start=1):
        agent = as_agent(factory)
        thread = conversation("t", [("a", []), ("b", [])])
        for _ in range(2):
            replayed = replay(agent, thread, turn_timeout=0)
            assert [turn.actual.response for turn in replayed.turns if turn.actual] == ["a", "a, b"]
        assert len(made) == number * 2


def test_a_factory_may_make_any_form_of_agent() -> None:
    class Ready(Agent):
        def open(self, thread: Any, session_id: str) -> Any:
            return as_agent(Callables().method).open(thread, session_id)

    assert answers(lambda: Callables().method) == ["hi, no id"]
    assert answers(lambda: Keyword()) == ["hi, id"]
    assert answers(lambda: AsyncStart()) == ["hi, id"]
    assert answers(lambda: Ready()) == ["hi, no id"]
    assert answers(Ready) == ["hi, no id"]
    assert answers(Ready()) == ["hi, no id"]


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (lambda: None, "made no agent: a value of type NoneType is no agent"),
        (lambda: "text", "made no agent: a value of type str is no agent"),
        (lambda query="hi": query, "made no agent: a value of type str is no agent"),
        (lambda: dict, "made dict, which takes no query"),
        (lambda: lambda: told, "which takes no query"),
        (type("Empty", (), {}), "Empty made no agent: a value of type Empty is no agent"),
    ],
)
def test_factories_that_make_no_agent(factory: Any, reason: str) -> None:
    assert reason in failure(factory)


def test_a_factory_that_raises_is_an_error_of_the_first_turn() -> None:
    def make() -> Any:
        raise OSError("no network")

    replayed = played(make, "one", "two")
    assert replayed.turns[0].failure is not None
    assert replayed.turns[0].failure.text == "the agent raised OSError: no network"
    assert replayed.turns[1].failure is None
    assert replayed.turns[1].actual is None


# ----------------------------------------------------------------------------------------------------------- sessions


class Told:
    """A session that tells the id it was given."""

    def __init__(self, session_id: Any = None) -> None:
        self.session_id = session_id

    def send(self, message: str) -> str:
        return told(message, self.session_id)


class Keyword:
    def start_session(self, session_id: str) -> Told:
        return Told(session_id)


class KeywordOnly:
    def start_session(self, *, retries: int = 1, session_id: str = "") -> Told:
        return Told(session_id)


class Positional:
    def start_session(self, identity: str, /) -> Told:
        return Told(identity)


class PositionalOnlyOfTheName:
    def start_session(self, session_id: str, /) -> Told:
        return Told(session_id)


class AnyPosition:
    def start_session(self, identity: str, retries: int = 3) -> Told:
        return Told(identity)


class Nothing:
    def start_session(self) -> Told:
        return Told()


class OfClass:
    @classmethod
    def start_session(cls, session_id: str) -> Told:
        return Told(session_id)


class AsyncStart:
    async def start_session(self, session_id: str) -> AsyncTold:
        return AsyncTold(session_id)


class AsyncTold(Told):
    async def send(self, message: str) -> str:  # type: ignore[override]
        return told(message, self.session_id)


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        (Keyword(), "hi, id"),
        (Keyword, "hi, id"),
        (KeywordOnly(), "hi, id"),
        (Positional(), "hi, id"),
        (PositionalOnlyOfTheName(), "hi, id"),
        (AnyPosition(), "hi, id"),
        (Nothing(), "hi, no id"),
        (OfClass(), "hi, id"),
        (OfClass, "hi, id"),
        (AsyncStart(), "hi, id"),
        (AsyncStart, "hi, id"),
    ],
)
@pytest.mark.parametrize("turn_timeout", [0, 20])
def test_every_form_of_start_session(agent: Any, answer: str, turn_timeout: float) -> None:
    assert answers(agent, turn_timeout=turn_timeout) == [answer]


@pytest.mark.parametrize("session", [None, "text", told, object()])
def test_a_session_that_is_none(session: Any) -> None:
    class Broken:
        def start_session(self) -> Any:
            return session

    class BrokenLater:
        async def start_session(self) -> Any:
            return session

    for agent in (Broken(), BrokenLater(), Broken):
        assert failure(agent).endswith("which has no send(message)")


def test_a_start_session_that_wants_more() -> None:
    class Needy:
        def start_session(self, session_id: str, model: str, tools: object) -> Told:
            return Told(session_id)

    with pytest.raises(AgentError, match=r"start_session wants \(session_id, model, tools\)"):
        as_agent(Needy())


@pytest.mark.parametrize("name", ["close", "aclose"])
def test_a_session_is_closed(name: str) -> None:
    closed: list[str] = []

    def close(self: object) -> None:
        closed.append("close")

    async def aclose(self: object) -> None:
        closed.append("aclose")

    methods: dict[str, Callable[..., Any]] = {"close": close, "aclose": aclose}
    session = type("Closing", (Told,), {name: methods[name], "close": methods["close"]})
    agent = type("A", (), {"start_session": lambda _: session()})
    assert answers(agent(), "one", "two") == ["one, no id", "two, no id"]
    assert closed == [name]


def test_a_session_is_closed_after_an_error_too() -> None:
    closed: list[str] = []

    class Broken(Told):
        def send(self, message: str) -> str:
            raise ValueError(message)

        async def close(self) -> None:
            closed.append("closed")

    assert "ValueError" in failure(type("A", (), {"start_session": lambda _: Broken()})())
    assert closed == ["closed"]


def test_what_goes_wrong_in_closing_is_noted() -> None:
    class Sticky(Told):
        def close(self) -> None:
            raise OSError("will not close")

    replayed = played(type("A", (), {"start_session": lambda _: Sticky()})())
    assert replayed.turns[0].actual is not None
    assert replayed.notes == ("closing the session went wrong: the agent raised OSError: will not close",)


# ------------------------------------------------------------------------------------------------------ initial state


class Stateful:
    def start_session(self, session_id: str, initial_state: Any = "the default") -> Any:
        session = Told(session_id)
        session.send = lambda message: str(initial_state)  # type: ignore[method-assign]
        return session


def test_the_initial_state_reaches_the_session() -> None:
    assert answers(Stateful(), initial_state={"cart": ["pen"]}) == ["{'cart': ['pen']}"]


def test_without_an_initial_state_the_agents_default_stands() -> None:
    assert answers(Stateful()) == ["the default"]


def test_a_required_initial_state_is_none_where_the_thread_states_none() -> None:
    class Requires:
        def start_session(self, initial_state: Any) -> Any:
            return Stateful().start_session("", initial_state)

    assert answers(Requires()) == ["None"]


def test_a_session_that_changes_its_state_changes_nobody_elses() -> None:
    class Shopper:
        def start_session(self, initial_state: Any) -> Any:
            session = Told()

            def send(message: str) -> str:
                initial_state["cart"].append(message)
                return str(initial_state)

            session.send = send  # type: ignore[method-assign]
            return session

    thread = conversation("t", [("pen", [])], initial_state={"cart": []})
    for _ in range(2):
        replayed = replay(as_agent(Shopper()), thread, turn_timeout=0)
        assert [turn.actual.response for turn in replayed.turns if turn.actual] == ["{'cart': ['pen']}"]
    assert thread.initial_state == {"cart": []}


@pytest.mark.parametrize("agent", [lambda query: told(query), Keyword(), Nothing])
def test_an_initial_state_that_cannot_be_given_is_an_error(agent: Any) -> None:
    assert "the thread states an initial_state, and " in failure(agent, initial_state={"cart": []})


# --------------------------------------------------------------------------------------------------------- the mockers


@pytest.mark.parametrize(
    "agent",
    [
        MagicMock(),
        AsyncMock(),
        MagicMock,
        AsyncMock,
        MagicMock(spec=["start_session"]),
        MagicMock(spec=told),
        lambda query: MagicMock(),
        lambda query: {"output": MagicMock()},
        lambda query: {"output": "text", "tool_calls": MagicMock()},
        lambda query: {"output": "text", "tool_calls": [MagicMock()]},
        lambda query: {"messages": MagicMock()},
        lambda query: [MagicMock()],
    ],
)
def test_a_mock_is_no_agent_that_passes(agent: Any) -> None:
    assert failure(agent, turn_timeout=20)
