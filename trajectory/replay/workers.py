"""Where an agent's code runs: beside the test, so that a turn that hangs can be given up on.

A worker belongs to one session. Everything of that session, its making included, runs in one thread, on one event loop
and in one context, so that agents may keep connections, locks and context variables between turns.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from trajectory.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

GRACE: Final = 1.0
"""Seconds that the agent has for its own clean-up: a coroutine that is cancelled, and what a session leaves running."""


class TurnTimeout(Exception):  # noqa: N818 - named for what happened
    """The agent took longer for a turn than it may."""


class Worker(Protocol):
    """Runs the calls of one session, one after the other.

    Attributes:
        is_lost: A call was given up on, and the worker with it: it must not be used again.
    """

    is_lost: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def run(self, call: Callable[[], Any], read: Callable[[Any], Any], timeout: float) -> Future[Any]:
        """Call, await what comes back if it can be awaited, and read it.

        Args:
            call: What to call.
            read: What is made of the result; it runs where the call does.
            timeout: Seconds that all of this may take; 0 waits for ever.

        Returns:
            What was read, or whatever was raised on the way.

        Raises:
            TurnTimeout: The time is up.
        """
        ...


class InlineWorker:
    """Runs the calls where it stands: for sessions that cannot hang, and for agents that must have this very thread."""

    is_lost = False

    def __init__(self) -> None:
        self._bench = _Bench()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._bench.close()

    def run(self, call: Callable[[], Any], read: Callable[[Any], Any], timeout: float) -> Future[Any]:
        """Call, await and read; the timeout cannot be kept here."""
        del timeout
        future: Future[Any] = Future()
        try:
            future.set_result(self._bench.perform(call, read))
        except KeyboardInterrupt:
            raise
        except BaseException as exception:  # noqa: BLE001 - it belongs to whoever asked
            future.set_exception(exception)
        return future


class ThreadWorker:
    """Runs the calls in a thread of their own, which is left behind when a call takes too long."""

    def __init__(self) -> None:
        self._bench = _Bench()
        self._calls: SimpleQueue[tuple[Callable[[], Any], Callable[[Any], Any], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="trajectory-agent", daemon=True)
        self.is_lost = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._calls.put(None)
        if not self.is_lost:
            self._thread.join(GRACE)

    def run(self, call: Callable[[], Any], read: Callable[[Any], Any], timeout: float) -> Future[Any]:
        """Call, await and read in the worker's thread."""
        future: Future[Any] = Future()
        self._calls.put((call, read, future))
        try:
            wait([future], min(timeout or threading.TIMEOUT_MAX, threading.TIMEOUT_MAX))
        except BaseException:
            self.is_lost = True  # somebody interrupts the wait: nobody waits again when the session ends
            raise
        if not future.done():
            self._give_up(future)
            raise TurnTimeout
        return future

    def _give_up(self, future: Future[Any]) -> None:
        """Cancel a coroutine and let it clean up; a plain function can only be left behind."""
        if self._bench.cancel():
            wait([future], GRACE)
        self.is_lost = not future.done()

    def _work(self) -> None:
        while (item := self._calls.get()) is not None:
            call, read, future = item
            try:
                future.set_result(self._bench.perform(call, read))
            except BaseException as exception:  # noqa: BLE001 - nobody can press Ctrl-C in this thread: it is the agent's
                future.set_exception(exception)
        self._bench.close()


class _Bench:
    """The one event loop and the one context of a session."""

    def __init__(self) -> None:
        self._context = contextvars.copy_context()
        self._runner = asyncio.Runner()
        self._task: asyncio.Task[Any] | None = None

    def perform(self, call: Callable[[], Any], read: Callable[[Any], Any]) -> Any:
        """Call outside of the event loop, so that a plain function may run one of its own; await; read."""
        result = self._context.run(call)
        if inspect.isawaitable(result):
            _refuse_inside_a_loop(result)
            result = self._runner.run(self._wait_for(result), context=self._context)
        return self._context.run(read, result)

    async def _wait_for(self, awaitable: Awaitable[Any]) -> Any:
        self._task = asyncio.current_task()
        try:
            return await awaitable
        finally:
            self._task = None

    def cancel(self) -> bool:
        """Cancel what is being awaited, from another thread; tell whether something is."""
        task = self._task
        if task is not None:
            task.get_loop().call_soon_threadsafe(task.cancel)
        return task is not None

    def close(self) -> None:
        """Cancel what still runs on the event loop, and close it."""
        self._runner.close()


def _refuse_inside_a_loop(awaitable: Awaitable[Any]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    if inspect.iscoroutine(awaitable):
        awaitable.close()
    raise EvaluationError(
        "an event loop is running in this thread already, so that an async agent cannot be awaited here: "
        "give a turn timeout above 0"
    )
