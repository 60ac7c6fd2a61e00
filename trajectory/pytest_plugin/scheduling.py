"""When threads are run: as their items ask for them, or ahead of them when several may run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from trajectory.errors import AgentError
from trajectory.prices import Prices
from trajectory.pytest_plugin.items import ThreadItem
from trajectory.pytest_plugin.options import PRICES_INI
from trajectory.running import Ahead, Budget, ThreadRuns, run_thread
from trajectory.settings import merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajectory.pytest_plugin.run import Run

_PLANNED_PER_WORKER: Final = 4
"""So many threads are planned for each that runs: a slow one does not keep the others from working."""


class Scheduler:
    """Runs the threads of a session.

    Attributes:
        budget: What the run may take.
    """

    def __init__(self, run: Run) -> None:
        """Take what is in force for the run.

        Raises:
            pytest.UsageError: Threads are to run at once in this process, and in several processes as well.
            ConfigurationError: The prices cannot be read.
        """
        settings = merge(run.command_line, run.ini)
        self._run = run
        self._items: list[ThreadItem] = []
        self._places: dict[str, int] = {}
        self._concurrency = settings.concurrency
        self._ahead: Ahead[ThreadRuns] = Ahead(settings.concurrency)
        share = getattr(run.config, "workerinput", {}).get("workercount", 1)
        self.budget = Budget(
            usd=settings.budget_usd and settings.budget_usd / share,
            tokens=settings.budget_tokens and settings.budget_tokens / share,
            seconds=settings.budget_seconds,
            prices=_prices(run.config),
        )
        if settings.concurrency > 1 and run.config.getoption("numprocesses", None):
            raise pytest.UsageError(
                "--concurrency and -n: give one of them, threads run at once in one way or the other"
            )

    def take_in(self, items: list[pytest.Item]) -> None:
        """Take in what is going to be run, in order."""
        self._items = [item for item in items if isinstance(item, ThreadItem)]
        self._places = {item.nodeid: place for place, item in enumerate(self._items)}

    def run(self, item: ThreadItem) -> ThreadRuns:
        """Run an item's thread, or wait for it where it was begun ahead; begin those that follow.

        Raises:
            RunHalted: The budget was used up before it began.
        """
        if self._concurrency == 1:
            return self._job(item)()
        place = self._places[item.nodeid]
        for other in self._items[place : place + self._reach]:
            self._plan(other)
        if self._ahead.planned(item.nodeid):
            return self._ahead.take(item.nodeid)
        return self._job(item)()  # a rerun plugin asks again

    @property
    def _reach(self) -> int:
        """How far ahead threads are planned; not far where the first failure ends the run."""
        stops_early = self._run.config.getoption("maxfail", 0)
        return self._concurrency * (1 if stops_early else _PLANNED_PER_WORKER)

    def _plan(self, item: ThreadItem) -> None:
        if item.was_planned or any(item.iter_markers("skip")) or any(item.iter_markers("skipif")) or item.is_kept:
            return
        item.was_planned = True
        try:
            job = self._job(item)
        except AgentError:
            return  # the item itself will say so
        self._ahead.plan(item.nodeid, job)

    def _job(self, item: ThreadItem) -> Callable[[], ThreadRuns]:
        settings = self._run.settings_for(item.loaded, item.thread)
        agent = self._run.agent_for(item.loaded)

        def job() -> ThreadRuns:
            self._run.progress.begin(item.nodeid)
            runs = run_thread(agent, item.thread, settings, self.budget)
            self._run.progress.end(item.nodeid, runs.outcome)
            return runs

        return job

    def stop(self) -> None:
        """Begin nothing more."""
        self._ahead.stop()

    def unreported(self) -> Iterator[tuple[ThreadItem, ThreadRuns]]:
        """Give the threads that came to their end ahead of their items, which nobody runs any more."""
        for item in self._items:
            runs = self._ahead.take_finished(item.nodeid)
            if runs is not None:
                yield item, runs


def _prices(config: pytest.Config) -> Prices | None:
    named = config.getoption("prices") or config.getini(PRICES_INI)
    return Prices.load(config.invocation_params.dir / named) if named else None
