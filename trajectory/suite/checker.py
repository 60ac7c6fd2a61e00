"""Judge recorded threads one by one: a plain object that can be sent to other processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from trajectory import report
from trajectory.evaluations import Outcome
from trajectory.replay import RecordedRun
from trajectory.running import run_thread
from trajectory.runs import thread_entry
from trajectory.runs.brief import brief_entry, brief_of
from trajectory.runs.building import SettingsFacts
from trajectory.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.conversation import ConversationThread
    from trajectory.replay import Agent
    from trajectory.running import Budget
    from trajectory.runs import ThreadEntry
    from trajectory.suite.loading import LoadedEvalSet

_NOTHING_STATED = Settings.model_construct()


class Judged(NamedTuple):
    """What a thread came to.

    Attributes:
        entry: Its record, as it is kept in memory.
        line: The whole of it as JSON, where that is wanted for a file.
    """

    entry: ThreadEntry
    line: str = ""


class Place(NamedTuple):
    """Where a thread of the eval sets stands: in which set, and at which place in there."""

    eval_set: int
    thread: int


@dataclass(slots=True)
class Kept:
    """How much of what threads came to is kept.

    Attributes:
        in_memory: Whether everything is; otherwise only what gates and totals look at, of threads that passed.
        as_lines: Whether everything is wanted as JSON as well.
    """

    in_memory: bool = True
    as_lines: bool = False


@dataclass(slots=True)
class Checker:
    """Runs threads of eval sets, and makes their records.

    Attributes:
        eval_sets: The eval sets.
        stated: What is stated for all of them.
        keeps: How much is kept of what threads came to.
    """

    eval_sets: Sequence[LoadedEvalSet]
    stated: Settings
    keeps: Kept
    _facts: SettingsFacts = field(default_factory=SettingsFacts)

    def thread(self, place: Place) -> ConversationThread:
        """Return a thread that is to be run."""
        return self.eval_sets[place.eval_set].threads[place.thread]

    def settings(self, place: Place) -> Settings:
        """Return what is in force for it."""
        return self.eval_sets[place.eval_set].settings_for(self.thread(place), self.stated, _NOTHING_STATED)

    def run(self, place: Place, agent: Agent, budget: Budget | None = None) -> Judged:
        """Run a thread.

        Raises:
            RunHalted: The budget was used up before it began.
        """
        thread, settings = self.thread(place), self.settings(place)
        runs, shown = run_thread(agent, thread, settings, budget), self.eval_sets[place.eval_set].shown
        if runs.outcome is Outcome.PASSED and not (self.keeps.in_memory or self.keeps.as_lines):
            asked = self._asks_overlap(place)
            return Judged(brief_entry(runs, thread, settings, eval_set=shown, facts=self._facts, with_overlap=asked))
        entry = thread_entry(runs, thread, settings, eval_set=shown, words=report, facts=self._facts)
        line = entry.model_dump_json() if self.keeps.as_lines else ""
        whole = self.keeps.in_memory or runs.outcome is not Outcome.PASSED
        return Judged(entry if whole else brief_of(entry), line)

    def _asks_overlap(self, place: Place) -> bool:
        """Tell whether a gate looks at what the expected and the actual calls have in common."""
        stated = self.eval_sets[place.eval_set].stated
        return self.stated.min_macro_f1 is not None or stated.min_macro_f1 is not None

    def check(self, place: Place, recorded: ConversationThread | None, name: str) -> Judged:
        """Check a recorded thread against a thread.

        Args:
            place: The thread.
            recorded: The recorded one, under whatever id; ``None`` where there is none.
            name: What the recording is called.

        Returns:
            What the thread came to.
        """
        identity = self.thread(place).id
        partners = [] if recorded is None else [recorded.model_copy(update={"id": identity})]
        return self.run(place, RecordedRun(partners, name=name))
