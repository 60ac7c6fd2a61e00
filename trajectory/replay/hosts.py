"""The threads that agents run in, each with an event loop of its own.

Making a thread and an event loop takes longer than a turn of a fast agent, so those of async agents serve one session
after the other. Sessions that go on at the same time never share one: an agent that blocks its event loop keeps nobody
waiting but itself.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextvars import Context

_END_PATIENCE: Final = 1.0  # seconds
_Job = tuple["Callable[[], Any]", Future[Any]]


class LazyLoop:
    """An event loop that is made when it is first needed."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, coroutine: Coroutine[Any, Any, Any], context: Context) -> Any:
        """Run a coroutine to its end."""
        self._loop = self._runner.get_loop()
        return self._runner.run(coroutine, context=context)

    @property
    def was_closed(self) -> bool:
        """Whether somebody closed it."""
        return self._loop is not None and self._loop.is_closed()

    @property
    def is_as_new(self) -> bool:
        """Whether it was made, and nothing can be told of what ran on it."""
        loop = self._loop
        return (
            loop is not None
            and not loop.is_closed()
            and not asyncio.all_tasks(loop)
            and loop.get_exception_handler() is None
            and loop.get_task_factory() is None
        )

    def close(self) -> None:
        """Cancel what still runs on it, and close it, unless somebody else did."""
        if self.was_closed:
            asyncio.set_event_loop(None)
        else:
            self._runner.close()


class Host:
    """A thread that runs jobs one after the other.

    Attributes:
        loop: The thread's event loop.
    """

    def __init__(self) -> None:
        """Start the thread. It is a daemon: a job that hangs does not keep the interpreter from ending."""
        self.loop = LazyLoop()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="trajectory-agent", daemon=True)
        self._thread.start()

    @classmethod
    def take(cls) -> Host:
        """Return the host that was given back last, or a new one."""
        try:
            return _IDLE.pop()
        except IndexError:
            return cls()

    def give_back(self) -> None:
        """Let another session have this host."""
        _IDLE.append(self)

    def end(self, patience: float) -> None:
        """Cancel what still runs on the event loop, close it and end the thread.

        Args:
            patience: Seconds to wait for this.
        """
        self._jobs.put(None)
        self._thread.join(patience)

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        """Run a call as soon as those before it are done."""
        future: Future[Any] = Future()
        self._jobs.put((call, future))
        return future

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            call, future = job
            try:
                future.set_result(call())
            except BaseException as exception:  # noqa: BLE001 - nobody can press Ctrl-C in this thread: it is the agent's
                future.set_exception(exception)
            del job, call, future  # an idle host holds on to nothing of a session
        self.loop.close()


_IDLE: Final[list[Host]] = []


@atexit.register
def _end_idle() -> None:
    while _IDLE:
        _IDLE.pop().end(_END_PATIENCE)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_IDLE.clear)  # the threads are not there in the child
