"""Where an agent's code runs: what holds for both workers, what can be given up on, and what is left behind."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.errors import EvaluationError
from trajectory.replay.workers import GRACE, InlineWorker, ThreadWorker, TurnTimeout, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 30.0
VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="untouched")


def same(result: Any) -> Any:
    return result


def outcome(worker: Worker, call: Callable[[], Any], timeout: float = 20.0) -> Any:
    return worker.run(call, same, timeout).result()


@pytest.fixture(params=[InlineWorker, ThreadWorker])
def kind(request: pytest.FixtureRequest) -> Callable[[], Worker]:
    made: Callable[[], Worker] = request.param
    return made


# --------------------------------------------------------------------------------------------------------------- both


def test_a_plain_result_and_an_awaited_one(kind: Callable[[], Worker]) -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    with kind() as worker:
        assert outcome(worker, lambda: "now") == "now"
        assert outcome(worker, later) == "later"


def test_anything_that_can_be_awaited_is_awaited(kind: Callable[[], Worker]) -> None:
    class Promise:
        def __await__(self) -> Any:
            yield from asyncio.sleep(0).__await__()
            return "kept"

    with kind() as worker:
        assert outcome(worker, Promise) == "kept"


def test_the_result_is_read_where_the_agent_runs(kind: Callable[[], Worker]) -> None:
    def read(result: str) -> tuple[str, str]:
        return result.upper(), VARIABLE.get()

    with kind() as worker:
        worker.run(lambda: VARIABLE.set("set by the agent"), same, 20)
        assert worker.run(lambda: "text", read, 20).result() == ("TEXT", "set by the agent")


@pytest.mark.parametrize(
    "exception",
    [
        ValueError("boom"),
        TimeoutError("the agent's own"),
        SystemExit(0),
        asyncio.CancelledError(),
        GeneratorExit(),
        StopIteration(5),
        BaseExceptionGroup("several", [ValueError("one"), KeyboardInterrupt()]),
    ],
    ids=lambda exception: type(exception).__name__,
)
@pytest.mark.parametrize("when", ["called", "awaited", "read"])
def test_whatever_is_raised_is_kept(kind: Callable[[], Worker], exception: BaseException, when: str) -> None:
    if isinstance(exception, StopIteration) and when == "awaited":
        pytest.skip("Python turns it into a RuntimeError")

    def fail(_: object = None) -> Any:
        raise exception

    async def fail_later() -> Any:
        raise exception

    with kind() as worker:
        future = worker.run(fail_later if when == "awaited" else fail if when == "called" else int, fail, 20)
        assert type(future.exception()) is type(exception)
        assert outcome(worker, lambda: "alive") == "alive"


def test_the_event_loop_is_the_same_for_all_turns(kind: Callable[[], Worker]) -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    with kind() as worker, kind() as other:
        first, second = outcome(worker, loop), outcome(worker, loop)
        assert first is second
        assert outcome(other, loop) is not first


def test_context_variables_last_for_the_session_and_stay_in_it(kind: Callable[[], Worker]) -> None:
    async def set_later() -> None:
        VARIABLE.set("set while awaited")

    async def get_later() -> str:
        return VARIABLE.get()

    with kind() as worker, kind() as other:
        outcome(worker, lambda: VARIABLE.set("set in a call"))
        assert outcome(worker, get_later) == "set in a call"
        outcome(worker, set_later)
        assert outcome(worker, VARIABLE.get) == "set while awaited"
        assert outcome(other, VARIABLE.get) == "untouched"
    assert VARIABLE.get() == "untouched"


def test_context_variables_of_the_caller_are_seen(kind: Callable[[], Worker]) -> None:
    def look() -> None:
        VARIABLE.set("set by the test")
        with kind() as worker:
            assert outcome(worker, VARIABLE.get) == "set by the test"

    contextvars.copy_context().run(look)


@pytest.mark.filterwarnings("error")
def test_a_background_task_left_running_is_cancelled_quietly(
    kind: Callable[[], Worker], caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[str] = []

    async def background() -> None:
        try:
            await asyncio.sleep(LONG)
        finally:
            ended.append("cancelled")

    async def start() -> str:
        worker.task = asyncio.create_task(background())  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        return "done"

    with kind() as worker:
        assert outcome(worker, start) == "done"
    assert ended == ["cancelled"]
    assert not caplog.records


# --------------------------------------------------------------------------------------------------------- the thread


def test_a_call_that_hangs_is_given_up_on() -> None:
    released = threading.Event()
    with ThreadWorker() as worker, ThreadWorker() as other:
        begun = time.perf_counter()
        with pytest.raises(TurnTimeout):
            worker.run(lambda: released.wait(LONG), same, 0.05)
        assert time.perf_counter() - begun < GRACE
        assert worker.is_lost
        assert outcome(other, lambda: "alive") == "alive"
    released.set()


def test_a_coroutine_that_hangs_is_cancelled_and_cleans_up() -> None:
    ended: list[str] = []

    async def hang() -> None:
        try:
            await asyncio.sleep(LONG)
        finally:
            await asyncio.sleep(0)
            ended.append("cleaned up")

    with ThreadWorker() as worker:
        with pytest.raises(TurnTimeout):
            worker.run(hang, same, 0.05)
        assert ended == ["cleaned up"]
        assert not worker.is_lost
        assert outcome(worker, lambda: "alive") == "alive"


def test_a_coroutine_that_blocks_is_left_behind() -> None:
    released = threading.Event()

    async def block() -> None:
        released.wait(LONG)

    with ThreadWorker() as worker:
        with pytest.raises(TurnTimeout):
            worker.run(block, same, 0.05)
        assert worker.is_lost
    released.set()


def test_nobody_waits_for_a_thread_that_a_cancelled_coroutine_leaves_behind() -> None:
    released = threading.Event()

    async def hang_elsewhere() -> None:
        await asyncio.to_thread(released.wait, LONG)

    begun = time.perf_counter()
    with ThreadWorker() as worker, pytest.raises(TurnTimeout):
        worker.run(hang_elsewhere, same, 0.05)
    assert time.perf_counter() - begun < LONG / 2
    released.set()


def test_nobody_waits_for_a_background_task_that_will_not_end() -> None:
    released = threading.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    async def start() -> None:
        worker.task = asyncio.create_task(stubborn())  # type: ignore[attr-defined]
        await asyncio.sleep(0)

    begun = time.perf_counter()
    with ThreadWorker() as worker:
        outcome(worker, start)
    assert time.perf_counter() - begun < LONG / 2
    released.set()


def test_reading_takes_time_too() -> None:
    released = threading.Event()
    with ThreadWorker() as worker, pytest.raises(TurnTimeout):
        worker.run(lambda: "text", lambda _: released.wait(LONG), 0.05)
    released.set()


def test_a_timeout_error_of_the_agent_is_no_timeout_of_the_turn() -> None:
    async def slow() -> None:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(LONG)

    with ThreadWorker() as worker:
        assert isinstance(worker.run(slow, same, 20).exception(), TimeoutError)
        assert not worker.is_lost


@pytest.mark.parametrize("timeout", [0, 1e300])
def test_waiting_for_ever(timeout: float) -> None:
    with ThreadWorker() as worker:
        assert outcome(worker, lambda: "answer", timeout) == "answer"


def test_a_keyboard_interrupt_in_the_thread_is_the_agents_own() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def interrupt_later() -> None:
        raise KeyboardInterrupt

    with ThreadWorker() as worker:
        assert isinstance(worker.run(interrupt, same, 20).exception(), KeyboardInterrupt)
        assert isinstance(worker.run(interrupt_later, same, 20).exception(), KeyboardInterrupt)
        assert outcome(worker, lambda: "alive") == "alive"


def test_a_thread_works_beside_a_running_event_loop() -> None:
    async def agent() -> str:
        await asyncio.sleep(0)
        return "beside"

    async def test() -> str:
        with ThreadWorker() as worker:
            return str(outcome(worker, agent))

    assert asyncio.run(test()) == "beside"


def test_a_plain_function_may_run_an_event_loop_of_its_own() -> None:
    async def inner() -> str:
        return "inner"

    with ThreadWorker() as worker:
        assert outcome(worker, lambda: asyncio.run(inner())) == "inner"


# -------------------------------------------------------------------------------------------------------------- inline


def test_the_calling_thread() -> None:
    with InlineWorker() as worker:
        assert outcome(worker, threading.current_thread) is threading.current_thread()
    with ThreadWorker() as other:
        assert outcome(other, threading.current_thread) is not threading.current_thread()


def test_a_keyboard_interrupt_in_the_calling_thread_is_the_users() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with InlineWorker() as worker, pytest.raises(KeyboardInterrupt):
        worker.run(interrupt, same, 0)


@pytest.mark.filterwarnings("error")
def test_an_async_agent_cannot_use_the_calling_thread_inside_a_running_event_loop() -> None:
    async def agent() -> str:
        return "never"

    async def test() -> BaseException | None:
        with InlineWorker() as worker:
            return worker.run(agent, same, 0).exception()

    problem = asyncio.run(test())
    assert isinstance(problem, EvaluationError)
    assert "give a turn timeout above 0" in str(problem)
