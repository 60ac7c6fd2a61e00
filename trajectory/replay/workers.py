"""Where an agent's code runs: beside the test, so that a turn that hangs can be given up on.

A worker belongs to one session. Everything of that session, its making included, runs in the worker's one thread and on
its one event loop, so that agents may keep connections and locks between turns.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

GRACE: Final = 1.0
"""Seconds that a cancelled coroutine has for its own clean-up."""


class TurnTimeout(Exception):  # noqa: N818 - named for what happened
    """The agent took longer for a turn than it may."""


class Worker(Protocol):
    """Runs the calls of one session, one after the other.

    Attributes:
        is_lost: A call was given up on, and the worker with it.
    """

    is_lost: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def run(self, call: Callable[[], Any], timeout: float) -> Any:
        """Call, await what comes back if it can be awaited, and return the outcome.

        Args:
            call: What to call.
            timeout: Seconds to wait; 0 waits for ever.

        Raises:
            TurnTimeout: The time is up. The worker must not be used again.
            BaseException: Whatever the call raised.
        """
        ...


class InlineWorker:
    """Runs the calls where it stands: for sessions that cannot hang, and for agents that must have this very thread."""

    is_lost = False

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._runner.close()

    def run(self, call: Callable[[], Any], timeout: float) -> Any:
        """Call and await; the timeout cannot be kept here."""
        del timeout
        result = call()
        return self._runner.run(_awaited(result)) if inspect.isawaitable(result) else result


class ThreadWorker:
    """Runs the calls in a thread of their own, which is left behind when a call takes too long."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._context = contextvars.copy_context()
        self._task: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._thread = threading.Thread(target=self._work, name="trajectory-agent", daemon=True)
        self.is_lost = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._calls.put(None)
        if not self.is_lost:
            self._thread.join()

    def run(self, call: Callable[[], Any], timeout: float) -> Any:
        """Call and await in the worker's thread."""
        future: Future[Any] = Future()
        self._calls.put((call, future))
        try:
            return future.result(timeout or None)
        except TimeoutError:
            if future.done():  # the agent's own TimeoutError
                raise
        except BaseException:
            self.is_lost = not future.done()  # interrupted while waiting
            raise
        self._give_up(future)
        raise TurnTimeout

    def _give_up(self, future: Future[Any]) -> None:
        """Cancel a coroutine and let it clean up; a plain function can only be left behind."""
        if self._task is not None:
            loop, task = self._task
            loop.call_soon_threadsafe(task.cancel)
            try:
                future.exception(GRACE)
            except TimeoutError:
                pass
            else:
                return
        self.is_lost = True

    def _work(self) -> None:
        with asyncio.Runner() as runner:
            while (item := self._calls.get()) is not None:
                call, future = item
                try:
                    future.set_result(self._call(runner, call))
                except KeyboardInterrupt as exception:  # the agent's own: nobody can press Ctrl-C in this thread
                    future.set_exception(_caused(RuntimeError("the agent raised KeyboardInterrupt"), exception))
                except BaseException as exception:  # noqa: BLE001 - it belongs to whoever waits
                    future.set_exception(exception)

    def _call(self, runner: asyncio.Runner, call: Callable[[], Any]) -> Any:
        result = self._context.run(call)
        return runner.run(self._watched(result), context=self._context) if inspect.isawaitable(result) else result

    async def _watched(self, awaitable: Any) -> Any:
        task = asyncio.ensure_future(awaitable)
        self._task = (asyncio.get_running_loop(), task)
        try:
            return await task
        finally:
            self._task = None


def _awaited(awaitable: Any) -> Coroutine[Any, Any, Any]:
    async def wait() -> Any:
        return await awaitable

    return wait()


def _caused(exception: BaseException, cause: BaseException) -> BaseException:
    exception.__cause__ = cause
    return exception
