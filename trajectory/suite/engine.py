"""Run eval sets and decide: the same for the command line and for code."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

from trajectory.evaluations import Outcome
from trajectory.gate import Gate, decide
from trajectory.judges import set_judge
from trajectory.running import Interrupts
from trajectory.runs import Journal, RunFile, thread_score
from trajectory.runs.brief import brief_of
from trajectory.settings import Settings
from trajectory.suite.facts import eval_set_entry, gate_entry, made_by, spent, timestamp
from trajectory.suite.gating import gate_names, gate_source
from trajectory.suite.warnings import run_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from trajectory.gate import GateVerdict
    from trajectory.judges import JudgeInForce
    from trajectory.running import Budget
    from trajectory.runs import ThreadEntry
    from trajectory.runs.comparison import Comparison
    from trajectory.suite.baseline import BaselineInPlay
    from trajectory.suite.checker import Checker, Judged, Place

_WHOLE_WHEN_BRIEF: Final = 1000
"""Of so many threads that did not pass everything is kept, where not everything can be."""
_NO_INI: Final = Settings.model_construct()


class Work(Protocol):
    """What is run, and into what."""

    @property
    def checker(self) -> Checker:
        """What runs the threads."""

    @property
    def shown(self) -> str:
        """What they are run into, in words."""

    @property
    def budget(self) -> Budget | None:
        """What the run may take."""

    @property
    def notes(self) -> Sequence[str]:
        """What the readers of recordings had to say so far."""

    def entries(self, interrupts: Interrupts) -> Iterator[tuple[Place, Judged]]:
        """Run every thread; those that the run was halted before are left out, and so is one that an interrupt hit."""

    def finished_ahead(self) -> Iterator[tuple[Place, Judged]]:
        """Give what came to its end before it was asked for, once nobody asks any longer."""

    def breaches(self) -> list[str]:
        """Say what keeps the run from passing, whatever its threads come to."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to its end, or was interrupted.

    Attributes:
        run: The run. Where not everything was kept in memory, its threads say less than those in the file of results.
        verdicts: What each gate came to.
        comparison: What changed since the baseline; ``None`` without one.
        interrupted: Somebody interrupted it.
    """

    run: RunFile
    verdicts: Mapping[str, GateVerdict]
    comparison: Comparison | None
    interrupted: bool


@dataclass(slots=True)
class Engine:
    """Runs threads and decides.

    Attributes:
        work: What is run.
        results: The file that everything goes into, thread by thread, if it does.
        baseline: What the run is compared with, if it is.
        judge: The LLM judge in force, if one is.
        command: The words that start the run again.
        kept: What an earlier run has come to, which stays in the file of results.
        on_thread: Told of every thread that came to its end.
    """

    work: Work
    results: Path | None = None
    baseline: BaselineInPlay | None = None
    judge: JudgeInForce | None = None
    command: tuple[str, ...] = ()
    kept: Sequence[ThreadEntry] = ()
    on_thread: Callable[[ThreadEntry], object] | None = None
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _entries: dict[Place, ThreadEntry] = field(default_factory=dict)
    _whole: int = 0
    _interrupts: Interrupts = field(default_factory=Interrupts)

    def run(self) -> Finished:
        """Run everything.

        Returns:
            The run. One that is interrupted keeps what it has come to.

        Raises:
            ConfigurationError: A recording turns out to be wrong, or the results cannot be written.
        """
        journal = Journal(self.results, self._head()) if self.results is not None else None
        for entry in self.kept if journal else ():
            journal.add(entry)  # type: ignore[union-attr]  # there is one
        before = set_judge(self.judge) if self.judge is not None else None
        interrupted = False
        try:
            with self._interrupts as interrupts:
                for place, judged in self.work.entries(interrupts):
                    self._take_in(place, judged, journal)
        except KeyboardInterrupt:
            interrupted = True
            for place, judged in self.work.finished_ahead():
                self._take_in(place, judged, journal)
        finally:
            if self.judge is not None:
                set_judge(before)
        return self._finish(journal, interrupted=interrupted)

    def _take_in(self, place: Place, judged: Judged, journal: Journal | None) -> None:
        """Keep what a thread came to; an interrupt on the way does not lose it."""
        try:
            self._keep(place, judged, journal)
        except BaseException:
            if self._interrupts.came:
                self._keep(place, judged, journal)
            raise
        if self.on_thread is not None:
            self.on_thread(judged.entry)

    def _keep(self, place: Place, judged: Judged, journal: Journal | None) -> None:
        if journal is not None:
            journal.add(judged.entry, judged.line)
        if place not in self._entries:
            self._entries[place] = self._as_kept(judged.entry)

    def _as_kept(self, entry: ThreadEntry) -> ThreadEntry:
        if self.work.checker.keeps.in_memory or entry.outcome is Outcome.PASSED:
            return entry
        self._whole += 1
        return brief_of(entry) if self._whole > _WHOLE_WHEN_BRIEF else entry

    # --------------------------------------------------------------------------------------------------- the end

    def _finish(self, journal: Journal | None, *, interrupted: bool) -> Finished:
        run = self._run_file(interrupted=interrupted)
        comparison = self.baseline.compare(run) if self.baseline is not None else None
        verdicts = self._decide(run, comparison)
        run = _with_gates(run, verdicts)
        if journal is not None:
            journal.finish(run)
            if journal.problem is not None:  # a run that was to be kept, and is not, is no pass
                lost = f"the results could not be written into {self.results}: {journal.problem.strerror}"
                run = run.model_copy(update={"breaches": (*run.breaches, lost)})
                verdicts = self._decide(run, comparison)
                run = _with_gates(run, verdicts)
        return Finished(run, verdicts, comparison, interrupted)

    def _head(self) -> RunFile:
        eval_sets = self.work.checker.eval_sets
        return RunFile(
            made_by=made_by(self.work.shown),
            started=timestamp(self._started),
            agent=self.work.shown,
            command=self.command,
            eval_sets=tuple(map(eval_set_entry, eval_sets)),
            notes=tuple(f"{one.shown}: {note}" for one in eval_sets for note in one.eval_set.notes),
        )

    def _run_file(self, *, interrupted: bool) -> RunFile:
        entries = tuple(self._entries[place] for place in sorted(self._entries))
        selected = sum(len(loaded.threads) for loaded in self.work.checker.eval_sets)
        now, head, budget = datetime.now(UTC), self._head(), self.work.budget
        halted = (budget.halted if budget else "") or None  # said only when something was not begun
        return head.model_copy(
            update={
                "ended": timestamp(now),
                "selected": selected,
                "complete": not (interrupted or halted) and 0 < selected <= len(entries),
                "halted": halted,
                "breaches": tuple(self.work.breaches()),
                "notes": (*head.notes, *self.work.notes),
                "warnings": tuple(self._warnings()),
                "spent": spent(entries, (now - self._started).total_seconds()),
                "threads": entries,
            }
        )

    def _warnings(self) -> list[str]:
        return run_warnings(
            self.work.checker.eval_sets,
            self.work.checker.stated,
            _NO_INI,
            uncounted_turns=self.work.budget.uncounted_turns if self.work.budget else 0,
            live_turns=self.work.budget.live_turns if self.work.budget else 0,
            same_model_turns=self.judge.same_model if self.judge is not None else 0,
        )

    def _decide(self, run: RunFile, comparison: Comparison | None) -> dict[str, GateVerdict]:
        """Decide about every group of threads that is gated together."""
        checker = self.work.checker
        names = gate_names(checker.eval_sets, checker.stated, _NO_INI)
        gates = {names[one.path]: gate_source(one, checker.stated, _NO_INI) for one in checker.eval_sets}
        grouped: defaultdict[str, list[ThreadEntry]]
        grouped, selected = defaultdict(list), Counter[str]()
        for loaded in checker.eval_sets:
            selected[names[loaded.path]] += len(loaded.threads)
        for place, entry in sorted(self._entries.items()):
            grouped[names[checker.eval_sets[place.eval_set].path]].append(entry)
        verdicts = {}
        for name, source in gates.items():
            gate = Gate(source.min_pass_rate, source.max_errors, source.min_macro_f1)
            if self.baseline is not None:
                gate = self.baseline.gate(gate)
            regressed = self._regressed(comparison, grouped[name])
            breaches = [*([run.halted] if run.halted else []), *run.breaches, *regressed]
            scores = [thread_score(entry) for entry in grouped[name]]
            verdicts[name] = decide(gate, scores, selected=selected[name], breaches=breaches)
        return verdicts

    def _regressed(self, comparison: Comparison | None, entries: Sequence[ThreadEntry]) -> list[str]:
        if self.baseline is None or comparison is None:
            return []
        return self.baseline.reasons(comparison, {entry.id for entry in entries})


def _with_gates(run: RunFile, verdicts: Mapping[str, GateVerdict]) -> RunFile:
    return run.model_copy(update={"gates": tuple(gate_entry(name, verdict) for name, verdict in verdicts.items())})
