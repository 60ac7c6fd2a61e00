"""Where an agent's code runs: beside the test, so that a turn that hangs can be given up on.

A worker belongs to one session. Everything of that session, its making included, runs in one thread, on one event loop
and in one context, so that agents may keep connections, locks and context variables between turns. A thread and an event
loop may serve further sessions afterwards; a session that left anything behind on them takes them with it.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import math
import threading
import time
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from trajectory.errors import EvaluationError
from trajectory.replay.hosts import Host, LazyLoop

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future

GRACE: Final = 1.0
"""Seconds that the agent has for its own clean-up: a coroutine that is cancelled, and what a session leaves running."""


Result = tuple[Any, BaseException | None]
"""What a call gave, and what it raised instead."""


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

    def attend(self, job: Callable[[], None]) -> None:
        """Run what makes the calls, and see that none of them takes too long.

        Args:
            job: It makes all calls of the session, by `run`. When a call is given up on, it never comes to its end.

        Raises:
            TurnTimeout: A call took too long and could not be ended.
        """
        ...

    def run(self, call: Callable[[], Any], read: Callable[[Any], Any]) -> Result:
        """Call, await what comes back if it can be awaited, and read it.

        Args:
            call: What to call.
            read: What is made of the result; it counts as part of the call.

        Returns:
            What was read, and what was raised on the way.

        Raises:
            TurnTimeout: The call took too long, and was ended.
        """
        ...


class InlineWorker:
    """Runs the calls where it stands: for sessions that cannot hang, and for agents that must have this very thread."""

    is_lost = False

    def __init__(self) -> None:
        self._loop = LazyLoop()
        self._bench = _Bench(self._loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.close()

    def attend(self, job: Callable[[], None]) -> None:
        """Run what makes the calls; no time limit can be kept here."""
        job()

    def run(self, call: Callable[[], Any], read: Callable[[Any], Any]) -> Result:
        """Call, await and read."""
        try:
            return self._bench.perform(call, read), None
        except KeyboardInterrupt:
            raise
        except BaseException as exception:  # noqa: BLE001 - it belongs to whoever asked
            return None, exception


class ThreadWorker:
    """Runs the calls in another thread, which is left behind when a call takes too long.

    All calls are made from that thread too, so that threads take turns once a session and not twice a call.
    """

    def __init__(self, timeout: float) -> None:
        """Prepare.

        Args:
            timeout: Seconds that a call may take; 0 waits for ever.
        """
        self._timeout = timeout or math.inf
        self._lock = threading.Lock()
        self._deadline = math.inf
        self._is_late = False
        self._was_late = False
        self._ended: threading.Event | None = None
        self._host: Host
        self._bench: _Bench
        self.is_lost = False

    def __enter__(self) -> Self:
        self._host = Host.take()
        self._bench = _Bench(self._host.loop)
        return self

    def __exit__(self, *exception: object) -> None:
        has_loop = self._bench.has_awaited and not self.is_lost
        if has_loop and not self._was_late and self._host.loop.is_as_new:
            self._host.give_back()
        else:
            self._host.end(GRACE if has_loop else 0)

    def attend(self, job: Callable[[], None]) -> None:
        """Have the worker's thread run what makes the calls, and watch it from this one."""
        future = self._host.submit(job)
        try:
            while not _ends(future, self._time_left()):
                self._enforce()
        except BaseException:
            with self._lock:
                self.is_lost = True  # also when somebody interrupts: nobody waits again when the session ends
            raise
        future.result()

    def _time_left(self) -> float:
        """Tell when to look again: calls that begin later end later."""
        deadline = self._deadline
        return self._timeout if deadline == math.inf else max(deadline - time.monotonic(), 0)

    def _enforce(self) -> None:
        """End a call whose time is up: a coroutine may clean up, a plain function can only be left behind."""
        with self._lock:
            if time.monotonic() < self._deadline:
                return
            self._is_late = self._was_late = True
            self._ended = ended = threading.Event()
            cancelled = self._bench.cancel()
        if cancelled:
            ended.wait(GRACE)
        with self._lock:
            self.is_lost = not ended.is_set()
        if self.is_lost:
            raise TurnTimeout

    def run(self, call: Callable[[], Any], read: Callable[[Any], Any]) -> Result:
        """Call, await and read, in the worker's thread."""
        self._begin()
        result: Result
        try:
            result = self._bench.perform(call, read), None
        except BaseException as exception:  # noqa: BLE001 - nobody can press Ctrl-C in this thread: it is the agent's
            result = None, exception
        self._end()
        return result

    def _begin(self) -> None:
        with self._lock:
            if self.is_lost:
                raise _GivenUp
            self._deadline = time.monotonic() + self._timeout
            self._is_late = False

    def _end(self) -> None:
        with self._lock:
            self._deadline = math.inf
            if self._ended is not None:
                self._ended.set()
            if self.is_lost:
                raise _GivenUp
            if self._is_late:
                raise TurnTimeout


class _GivenUp(BaseException):
    """Ends the job of a worker that nobody waits for any longer."""


def _ends(future: Future[None], seconds: float) -> bool:
    try:
        future.exception(min(seconds, threading.TIMEOUT_MAX))
    except TimeoutError:
        return False
    return True


class _Bench:
    """The one event loop and the one context of a session.

    Attributes:
        has_awaited: The session used its event loop.
    """

    def __init__(self, loop: LazyLoop) -> None:
        self._context = contextvars.copy_context()
        self._loop = loop
        self._task: asyncio.Task[Any] | None = None
        self.has_awaited = False

    def perform(self, call: Callable[[], Any], read: Callable[[Any], Any]) -> Any:
        """Call outside of the event loop, so that a plain function may run one of its own; await; read."""
        result = self._context.run(call)
        if inspect.isawaitable(result):
            if reason := _why_not(self._loop):
                if inspect.iscoroutine(result):
                    result.close()
                raise EvaluationError(reason)
            self.has_awaited = True
            result = self._loop.run(self._wait_for(result), self._context)
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


def _why_not(loop: LazyLoop) -> str:
    """Say why nothing can be awaited here; empty where it can."""
    if loop.was_closed:
        return "the agent closed its event loop, so that nothing can be awaited on it any longer"
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return ""
    return (
        "an event loop is running in this thread already, so that an async agent cannot be awaited here: "
        "give a turn timeout above 0"
    )
