"""Replay the threads of eval sets into an agent, one after the other or several at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from trajectory.running import Ahead, Budget, Interrupts, RunHalted
from trajectory.suite.checker import Judged, Place
from trajectory.suite.kept import still_holds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from trajectory.replay import Agent
    from trajectory.runs import ThreadEntry
    from trajectory.suite.checker import Checker

_PLANNED_PER_WORKER: Final = 4
"""So many threads are planned for each that runs: a slow one does not keep the others from working."""


@dataclass(slots=True)
class LiveWork:
    """Threads that are replayed into an agent.

    Attributes:
        checker: What runs them.
        agent: The agent.
        shown: What the agent is called in messages.
        budget: What the run may take.
        concurrency: How many threads run at once.
        kept: What an earlier run has come to, by eval set and id.
        on_begin: Told of the eval set and the id of every thread that is begun.
        notes: Nothing: the readers of recordings have something to say.
    """

    checker: Checker
    agent: Agent
    shown: str
    budget: Budget
    concurrency: int = 1
    kept: Mapping[tuple[str, str], ThreadEntry] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    on_begin: Callable[[tuple[str, str]], object] | None = None
    _ahead: Ahead[Judged] = field(init=False)

    def __post_init__(self) -> None:
        self._ahead = Ahead(self.concurrency)

    def breaches(self) -> list[str]:
        """Nothing keeps the run from passing but its threads."""
        return []

    def entries(self, interrupts: Interrupts) -> Iterator[tuple[Place, Judged]]:
        """Run every thread; one that the budget does not reach is left out.

        Args:
            interrupts: What has come, so far; a thread that an interrupt hit may have come to a wrong verdict.

        Yields:
            What each came to, in the order of the eval sets.

        Raises:
            KeyboardInterrupt: One came.
        """
        places = self._places()
        try:
            for index, place in enumerate(places):
                if self.concurrency > 1:
                    for other in places[index : index + self.concurrency * _PLANNED_PER_WORKER]:
                        self._plan(other)
                judged = self._one(place, interrupts)
                if judged is not None:
                    yield place, judged
                interrupts.check()
        finally:
            self._ahead.stop()

    def finished_ahead(self) -> Iterator[tuple[Place, Judged]]:
        """Give the threads that came to their end ahead of those that nobody waits for any longer."""
        for place in self._places():
            judged = self._ahead.take_finished(place)
            if judged is not None:
                yield place, judged

    def _places(self) -> list[Place]:
        return [
            Place(number, index)
            for number, loaded in enumerate(self.checker.eval_sets)
            for index in range(len(loaded.threads))
        ]

    def _plan(self, place: Place) -> None:
        if self._kept(place) is None:
            self._ahead.plan(place, self._job(place))

    def _one(self, place: Place, interrupts: Interrupts) -> Judged | None:
        kept = self._kept(place)
        if kept is not None:
            return Judged(kept)
        try:
            if self._ahead.planned(place):  # in a thread of its own, which no interrupt hits
                return self._ahead.take(place)
            judged = self._job(place)()
        except RunHalted:
            return None
        interrupts.check()
        return judged

    def _job(self, place: Place) -> Callable[[], Judged]:
        return lambda: self._run(place)

    def _run(self, place: Place) -> Judged:
        if self.on_begin is not None:
            self.on_begin((self.checker.eval_sets[place.eval_set].shown, self.checker.thread(place).id))
        return self.checker.run(place, self.agent, self.budget)

    def _kept(self, place: Place) -> ThreadEntry | None:
        thread = self.checker.thread(place)
        entry = self.kept.get((self.checker.eval_sets[place.eval_set].shown, thread.id))
        return entry if entry is not None and still_holds(entry, thread, self.checker.settings(place)) else None
