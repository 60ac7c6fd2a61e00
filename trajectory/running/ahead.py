"""Run threads ahead of those who ask for them, several at once, within one process."""

from __future__ import annotations

import contextvars
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_Result = TypeVar("_Result")
_Job = tuple[Future[Any], "Callable[[], Any]", contextvars.Context]


class Ahead(Generic[_Result]):
    """A few workers that run jobs in the order in which they are planned; each result is handed out once.

    The workers are daemons: an agent that hangs does not keep the interpreter from ending.
    """

    def __init__(self, workers: int) -> None:
        """Prepare.

        Args:
            workers: How many jobs run at once.
        """
        self._workers = workers
        self._started = 0
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._planned: dict[Hashable, Future[_Result]] = {}
        self._stopped = False

    def plan(self, key: Hashable, job: Callable[[], _Result]) -> None:
        """Have a job run as soon as a worker is free.

        Args:
            key: Names the job.
            job: What to run; it sees the context variables of the caller.
        """
        if self._stopped or key in self._planned:
            return
        future: Future[_Result] = Future()
        self._planned[key] = future
        self._jobs.put((future, job, contextvars.copy_context()))
        if self._started < self._workers:
            self._started += 1
            threading.Thread(target=self._work, name=f"trajectory-ahead-{self._started}", daemon=True).start()

    def planned(self, key: Hashable) -> bool:
        """Tell whether a job is planned, running or done, and its result not handed out."""
        return key in self._planned

    def take(self, key: Hashable) -> _Result:
        """Wait for a job and hand out its result, or raise what it raised."""
        return self._planned.pop(key).result()

    def take_finished(self, key: Hashable) -> _Result | None:
        """Hand out the result of a job that has one by now, without waiting for it."""
        future = self._planned.get(key)
        if future is None or not future.done() or future.cancelled() or future.exception() is not None:
            return None
        return self.take(key)

    def stop(self) -> None:
        """Start no further job."""
        self._stopped = True
        for future in self._planned.values():
            future.cancel()
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            future, job, context = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(context.run(job))
            except BaseException as problem:  # noqa: BLE001 - it belongs to whoever takes the result
                future.set_exception(problem)
