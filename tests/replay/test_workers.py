"""Where an agent's code runs: what holds for both workers, what can be given up on, and what is left behind."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.errors import EvaluationError
from trajectory.replay.workers import GRACE, InlineWorker, Result, ThreadWorker, TurnTimeout, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 30.0
VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="untouched")


def same(result: Any) -> Any:
    return result


def run(worker: Worker, call: Callable[[], Any], read: Callable[[Any], Any] = same) -> Result:
    results: list[Result] = []
    worker.attend(lambda: results.append(worker.run(call, read)))
    return results[0]


def outcome(worker: Worker, call: Callable[[], Any]) -> Any:
    found, problem = run(worker, call)
    if problem is not None:
        raise problem
    return found


def thread_worker() -> ThreadWorker:
    return ThreadWorker(20)


@pytest.fixture(params=[InlineWorker, thread_worker], ids=["inline", "thread"])
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
        run(worker, lambda: VARIABLE.set("set by the agent"))
        assert run(worker, lambda: "text", read) == (("TEXT", "set by the agent"), None)


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
        _, problem = run(worker, fail_later if when == "awaited" else fail if when == "called" else int, fail)
        assert type(problem) is type(exception)
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
    with ThreadWorker(0.05) as worker, thread_worker() as other:
        begun = time.perf_counter()
        with pytest.raises(TurnTimeout):
            run(worker, lambda: released.wait(LONG))
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

    with ThreadWorker(0.05) as worker:
        with pytest.raises(TurnTimeout):
            run(worker, hang)
        assert ended == ["cleaned up"]
        assert not worker.is_lost
        assert outcome(worker, lambda: "alive") == "alive"


def test_a_coroutine_that_blocks_is_left_behind() -> None:
    released = threading.Event()

    async def block() -> None:
        released.wait(LONG)

    with ThreadWorker(0.05) as worker:
        with pytest.raises(TurnTimeout):
            run(worker, block)
        assert worker.is_lost
    released.set()


def test_nobody_waits_for_a_thread_that_a_cancelled_coroutine_leaves_behind() -> None:
    released = threading.Event()

    async def hang_elsewhere() -> None:
        await asyncio.to_thread(released.wait, LONG)

    begun = time.perf_counter()
    with ThreadWorker(0.05) as worker, pytest.raises(TurnTimeout):
        run(worker, hang_elsewhere)
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
    with thread_worker() as worker:
        outcome(worker, start)
    assert time.perf_counter() - begun < LONG / 2
    released.set()


def test_reading_takes_time_too() -> None:
    released = threading.Event()
    with ThreadWorker(0.05) as worker, pytest.raises(TurnTimeout):
        run(worker, lambda: "text", lambda _: released.wait(LONG))
    released.set()


def test_a_timeout_error_of_the_agent_is_no_timeout_of_the_turn() -> None:
    async def slow() -> None:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(LONG)

    with thread_worker() as worker:
        assert isinstance(run(worker, slow)[1], TimeoutError)
        assert not worker.is_lost


@pytest.mark.parametrize("timeout", [0, 1e300])
def test_waiting_for_ever(timeout: float) -> None:
    with ThreadWorker(timeout) as worker:
        assert outcome(worker, lambda: "answer") == "answer"


def test_a_keyboard_interrupt_in_the_thread_is_the_agents_own() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def interrupt_later() -> None:
        raise KeyboardInterrupt

    with thread_worker() as worker:
        assert isinstance(run(worker, interrupt)[1], KeyboardInterrupt)
        assert isinstance(run(worker, interrupt_later)[1], KeyboardInterrupt)
        assert outcome(worker, lambda: "alive") == "alive"


def test_a_thread_works_beside_a_running_event_loop() -> None:
    async def agent() -> str:
        await asyncio.sleep(0)
        return "beside"

    async def test() -> str:
        with thread_worker() as worker:
            return str(outcome(worker, agent))

    assert asyncio.run(test()) == "beside"


def test_a_plain_function_may_run_an_event_loop_of_its_own() -> None:
    async def inner() -> str:
        return "inner"

    with thread_worker() as worker:
        assert outcome(worker, lambda: asyncio.run(inner())) == "inner"


def test_a_job_that_was_given_up_on_goes_no_further() -> None:
    released = threading.Event()
    begun: list[threading.Thread] = []
    passed_by: list[str] = []
    with ThreadWorker(0.05) as worker:

        def job() -> None:
            begun.append(threading.current_thread())
            worker.run(lambda: released.wait(LONG), same)
            passed_by.append("the call")

        with pytest.raises(TurnTimeout):
            worker.attend(job)
    released.set()
    begun[0].join(LONG)
    assert not begun[0].is_alive()
    assert not passed_by


def test_every_call_has_the_whole_time() -> None:
    def job() -> None:
        for _ in range(5):
            worker.run(lambda: time.sleep(0.05), same)

    with ThreadWorker(0.2) as worker:
        worker.attend(job)
        assert not worker.is_lost


# ----------------------------------------------------------------------------------------------- one session after another


Place = tuple[threading.Thread, asyncio.AbstractEventLoop]


async def _here() -> Place:
    return threading.current_thread(), asyncio.get_running_loop()


def place() -> Place:
    with thread_worker() as worker:
        found: Place = outcome(worker, _here)
    return found


def test_sessions_of_async_agents_follow_each_other_on_one_event_loop() -> None:
    assert place() == place()


def test_a_session_of_plain_functions_has_a_thread_that_nobody_had_before() -> None:
    local = threading.local()

    def remember() -> object:
        before = getattr(local, "kept", None)
        local.kept = "from another session"
        return before

    for _ in range(2):
        with thread_worker() as worker:
            assert outcome(worker, remember) is None


async def _leave_a_task() -> None:
    _leave_a_task.task = asyncio.create_task(asyncio.sleep(LONG))  # type: ignore[attr-defined]


async def _handle_exceptions() -> None:
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)


async def _make_tasks() -> None:
    asyncio.get_running_loop().set_task_factory(lambda loop, coro, **more: asyncio.Task(coro, loop=loop, **more))


@pytest.mark.parametrize("agent", [_leave_a_task, _handle_exceptions, _make_tasks])
def test_what_a_session_leaves_on_its_event_loop_ends_with_it(agent: Callable[[], Any]) -> None:
    with thread_worker() as worker:
        outcome(worker, agent)
        (_, loop) = outcome(worker, _here)
    assert loop.is_closed()
    assert place()[1] is not loop


@pytest.mark.filterwarnings("error")
def test_an_event_loop_that_an_agent_closed_is_nobody_elses(kind: Callable[[], Worker]) -> None:
    with kind() as worker:
        (_, loop) = outcome(worker, _here)
        outcome(worker, loop.close)
        problem = run(worker, _here)[1]
        assert isinstance(problem, EvaluationError)
        assert str(problem).startswith("the agent closed its event loop")
    assert place()[1] is not loop


def test_a_session_that_was_late_takes_its_event_loop_with_it() -> None:
    with ThreadWorker(0.05) as worker:
        (_, loop) = outcome(worker, _here)
        with pytest.raises(TurnTimeout):
            run(worker, lambda: asyncio.sleep(LONG))
    assert loop.is_closed()


def test_an_agent_that_blocks_its_event_loop_keeps_nobody_else_waiting() -> None:
    async def block() -> None:
        time.sleep(0.4)  # noqa: ASYNC251 - what must not be done

    async def quick() -> None:
        await asyncio.sleep(0.01)

    late: list[BaseException] = []

    def session(call: Callable[[], Any], timeout: float) -> None:
        try:
            with ThreadWorker(timeout) as worker:
                outcome(worker, call)
        except TurnTimeout as problem:
            late.append(problem)

    threads = [threading.Thread(target=session, args=(block, 20)) for _ in range(3)]
    threads += [threading.Thread(target=session, args=(quick, 0.3)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not late


# -------------------------------------------------------------------------------------------------------------- inline


def test_the_calling_thread() -> None:
    with InlineWorker() as worker:
        assert outcome(worker, threading.current_thread) is threading.current_thread()
    with thread_worker() as other:
        assert outcome(other, threading.current_thread) is not threading.current_thread()


def test_a_keyboard_interrupt_in_the_calling_thread_is_the_users() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with InlineWorker() as worker, pytest.raises(KeyboardInterrupt):
        run(worker, interrupt)


@pytest.mark.filterwarnings("error")
def test_an_async_agent_cannot_use_the_calling_thread_inside_a_running_event_loop() -> None:
    async def agent() -> str:
        return "never"

    async def test() -> BaseException | None:
        with InlineWorker() as worker:
            return run(worker, agent)[1]

    problem = asyncio.run(test())
    assert isinstance(problem, EvaluationError)
    assert "give a turn timeout above 0" in str(problem)
