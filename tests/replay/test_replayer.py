"""A thread replayed into a fresh session: what is kept, what is not run, and what never leaks."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from fixtures import agents
from tests.sets import call, conversation
from trajectory.replay import ThreadReplay, as_agent, replay

if TYPE_CHECKING:
    from collections.abc import Sequence

HEARD: contextvars.ContextVar[str] = contextvars.ContextVar("HEARD", default="")


def played(agent: Any, *queries: str, turn_timeout: float = 20.0, identity: str = "t") -> ThreadReplay:
    thread = conversation(identity, [(query, []) for query in queries])
    return replay(as_agent(agent), thread, turn_timeout=turn_timeout)


def responses(replayed: ThreadReplay) -> list[str | None]:
    return [turn.actual.response if turn.actual else None for turn in replayed.turns]


def failures(replayed: ThreadReplay) -> list[str]:
    return [turn.failure.text if turn.failure else "" for turn in replayed.turns]


def arguments(replayed: ThreadReplay) -> list[Any]:
    return [turn.actual.trajectory[0].arguments for turn in replayed.turns if turn.actual]


def test_the_turns_in_their_order() -> None:
    replayed = played(agents.echo, "a", "b", "c")
    assert [turn.number for turn in replayed.turns] == [1, 2, 3]
    assert responses(replayed) == ["a", "b", "c"]
    assert not replayed.notes
    assert not replayed.surplus
    assert all(0 <= turn.seconds < 20 for turn in replayed.turns)


@pytest.mark.parametrize("agent", [agents.echo_async, agents.openai_messages])
@pytest.mark.parametrize("turn_timeout", [0, 20])
def test_every_kind_of_answer_in_both_places(agent: Any, turn_timeout: float) -> None:
    assert responses(played(agent, "a", "b", turn_timeout=turn_timeout)) == ["a", "b"]


def test_a_thread_without_turns_is_no_error() -> None:
    assert played(agents.echo).turns == ()


def test_session_ids_are_never_used_twice() -> None:
    identities = {played(agents.echo, "a", identity="same").session_id for _ in range(20)}
    assert len(identities) == 20


@pytest.mark.parametrize("turn_timeout", [0, 20])
@pytest.mark.parametrize("agent", [agents.LeakyAgent, agents.LeakyAgent(), agents.CountingFactory(agents.LeakyAgent)])
def test_an_agent_that_would_notice_a_session_used_twice(agent: Any, turn_timeout: float) -> None:
    for _ in range(2):
        replayed = played(agent, "a", "b", turn_timeout=turn_timeout)
        assert arguments(replayed) == [{"heard": []}, {"heard": ["a"]}]


def test_a_function_knows_its_session_by_the_id() -> None:
    for _ in range(2):
        assert arguments(played(agents.count_turns, "a", "b")) == [{"turn": 1}, {"turn": 2}]


@pytest.mark.parametrize("turn_timeout", [0, 20])
@pytest.mark.parametrize("later", [False, True])
def test_context_variables_last_for_a_session_and_no_longer(turn_timeout: float, *, later: bool) -> None:
    def remember(query: str) -> str:
        HEARD.set(HEARD.get() + query)
        return HEARD.get()

    async def remember_later(query: str) -> str:
        return remember(query)

    for _ in range(2):
        replayed = played(remember_later if later else remember, "a", "b", turn_timeout=turn_timeout)
        assert responses(replayed) == ["a", "ab"]


def test_locks_and_loops_last_for_a_session() -> None:
    class Locked:
        def __init__(self) -> None:
            self.lock: asyncio.Lock | None = None
            self.loops: set[int] = set()

        async def __call__(self, query: str) -> str:
            self.lock = self.lock or asyncio.Lock()
            self.loops.add(id(asyncio.get_running_loop()))
            async with self.lock:
                await asyncio.sleep(0)
            return f"{query} {len(self.loops)}"

    assert responses(played(Locked, "a", "b")) == ["a 1", "b 1"]


def test_replaying_inside_a_running_event_loop() -> None:
    async def test() -> ThreadReplay:
        return played(agents.echo_async, "a", "b")

    assert responses(asyncio.run(test())) == ["a", "b"]


# ------------------------------------------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_turns_before_the_error_are_kept_and_those_after_it_are_not_run(turn: int) -> None:
    replayed = played(agents.RaisesAtTurn(turn), "a", "b", "c")
    assert responses(replayed) == ["a", "b", "c"][: turn - 1] + [None] * (4 - turn)
    expected = [""] * 3
    expected[turn - 1] = f"the agent raised RuntimeError: the agent broke down in turn {turn}"
    assert failures(replayed) == expected


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (agents.fail, "the agent raised RuntimeError: the agent broke down over 'a'"),
        (agents.answer_none, "the agent returned None; "),
        (agents.answer_nothing, "the agent returned no text and no tool call"),
        (agents.answer_nonsense, "the agent returned a object; "),
        (agents.forget_to_await, "the agent's output is a coroutine that nobody awaited"),
    ],
)
def test_an_agent_without_an_answer(agent: Any, text: str) -> None:
    assert failures(played(agent, "a"))[0].startswith(text)


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError("not even this")


class DeadlyError(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


@pytest.mark.parametrize("turn_timeout", [0, 20])
@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(
    ("exception", "text"),
    [
        (ValueError("boom"), "ValueError: boom"),
        (KeyError("a"), "KeyError: 'a'"),
        (ValueError(), "ValueError"),
        (SystemExit(0), "SystemExit: 0"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError("of its own"), "TimeoutError: of its own"),
        (GeneratorExit(), "GeneratorExit"),
        (ExceptionGroup("several", [ValueError("one"), OSError("two")]), "ExceptionGroup: several (2 sub-exceptions)"),
        (UnprintableError(), "UnprintableError: <its text raises ValueError>"),
        (DeadlyError(), "DeadlyError: <its text raises SystemExit>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_however_the_agent_dies(exception: BaseException, text: str, turn_timeout: float, *, later: bool) -> None:
    def die(query: str) -> str:
        raise exception

    async def die_later(query: str) -> str:
        raise exception

    replayed = played(die_later if later else die, "a", "b", turn_timeout=turn_timeout)
    assert failures(replayed) == [f"the agent raised {text}", ""]
    assert replayed.turns[0].failure is not None
    assert replayed.turns[0].failure.exception is exception


@pytest.mark.parametrize("later", [False, True])
def test_an_agent_that_interrupts_itself(*, later: bool) -> None:
    def interrupt(query: str) -> str:
        raise KeyboardInterrupt

    async def interrupt_later(query: str) -> str:
        raise KeyboardInterrupt

    assert failures(played(interrupt_later if later else interrupt, "a")) == ["the agent raised KeyboardInterrupt"]


def test_an_interrupt_in_the_calling_thread_is_the_users() -> None:
    def interrupt(query: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played(interrupt, "a", turn_timeout=0)


def test_an_agent_that_hangs_costs_one_turn_and_the_next_thread_works() -> None:
    hangs = agents.Hangs()
    begun = time.perf_counter()
    replayed = played(hangs, "a", "b", turn_timeout=0.05)
    assert time.perf_counter() - begun < 1
    assert failures(replayed) == ["the agent did not answer within 0.05 s (--turn-timeout)", ""]
    hangs.let_go()
    assert responses(played(hangs, "a", "b")) == ["a", "b"]


def test_opening_a_session_may_hang_too() -> None:
    released = threading.Event()

    def make() -> Any:
        released.wait(agents.HANG_SECONDS)
        return agents.echo

    assert failures(played(make, "a", turn_timeout=0.05))[0].startswith("the agent did not answer within 0.05 s")
    released.set()


def test_a_session_that_was_cancelled_is_closed() -> None:
    events: list[str] = []

    class Slow:
        def start_session(self) -> Slow:
            return self

        async def send(self, message: str) -> str:
            try:
                return await agents.hang_async(message)
            finally:
                events.append("cleaned up")

        async def aclose(self) -> None:
            events.append("closed")

    assert failures(played(Slow(), "a", "b", turn_timeout=0.05)) == [
        "the agent did not answer within 0.05 s (--turn-timeout)",
        "",
    ]
    assert events == ["cleaned up", "closed"]


@pytest.mark.parametrize("hangs_at", ["final_state", "close"])
def test_what_hangs_after_the_last_turn_costs_no_turn(hangs_at: str) -> None:
    released = threading.Event()

    class Session:
        def start_session(self) -> Session:
            return self

        def send(self, message: str) -> str:
            return message

        def final_state(self) -> dict[str, Any]:
            return {"open": hangs_at != "final_state" or released.wait(agents.HANG_SECONDS)}

        def close(self) -> None:
            if hangs_at == "close":
                released.wait(agents.HANG_SECONDS)

    thread = conversation("t", [("a", [])]).model_copy(update={"expected_final_state": {}})
    replayed = replay(as_agent(Session), thread, turn_timeout=0.05)
    released.set()
    late = "the agent did not answer within 0.05 s (--turn-timeout)"
    assert responses(replayed) == ["a"]
    if hangs_at == "close":
        assert replayed.final_state == {"open": True}
        assert replayed.notes == (f"closing the session went wrong: {late}",)
    else:
        assert replayed.state_failure is not None
        assert replayed.state_failure.text == late


def test_a_turn_timeout_of_zero_runs_everything_in_the_calling_thread() -> None:
    threads: list[threading.Thread] = []

    class Session:
        def start_session(self) -> Session:
            threads.append(threading.current_thread())
            return self

        def send(self, message: str) -> str:
            threads.append(threading.current_thread())
            return message

        def close(self) -> None:
            threads.append(threading.current_thread())

    played(Session, "a", "b", turn_timeout=0)
    assert threads == [threading.current_thread()] * 4
    played(Session, "a", "b")
    assert len(set(threads[4:])) == 1
    assert threading.current_thread() not in threads[4:]


@pytest.mark.filterwarnings("error")
def test_a_background_task_left_running_is_no_error(recwarn: pytest.WarningsRecorder) -> None:
    tasks: list[asyncio.Task[str]] = []

    async def leaky(query: str) -> str:
        tasks.append(asyncio.create_task(agents.hang_async(query)))
        await asyncio.sleep(0)
        return query

    replayed = played(leaky, "a", "b")
    assert responses(replayed) == ["a", "b"]
    assert replayed.notes == ()
    assert all(task.cancelled() for task in tasks)
    assert not recwarn.list


@pytest.mark.parametrize("calls", [(), [call("f")]])
def test_what_the_thread_expects_is_handed_on(calls: Sequence[dict[str, Any]]) -> None:
    thread = conversation("t", [("a", calls)])
    replayed = replay(as_agent(agents.echo), thread, turn_timeout=0)
    assert replayed.thread is thread
    assert replayed.turns[0].expected is thread.traces[0]
