"""The results of a run in a file: written thread by thread, and taken up again by a run that resumes it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajectory import report
from trajectory.errors import ConfigurationError
from trajectory.pytest_plugin.options import COMPARE_INI, FAIL_ON_INI, RESULTS_INI, options_in_force
from trajectory.pytest_plugin.records import ENTRY
from trajectory.runs import (
    Journal,
    RunFile,
    ThreadEntry,
    thread_entry,
)
from trajectory.suite import (
    BaselineInPlay,
    eval_set_entry,
    gate_entry,
    made_by,
    notes_of,
    spent,
    still_holds,
    take_up,
    timestamp,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pytest

    from trajectory.conversation import ConversationThread
    from trajectory.gate import GateVerdict
    from trajectory.pytest_plugin.run import Run
    from trajectory.running import ThreadRuns
    from trajectory.runs.comparison import Comparison
    from trajectory.settings import Settings
    from trajectory.suite import LoadedEvalSet


def results_path(config: pytest.Config) -> Path | None:
    """Tell the file that the results of the run go into."""
    named = config.getoption("results") or config.getini(RESULTS_INI)
    return config.invocation_params.dir / named if named else None


class Results:
    """What every thread of a run came to, kept for a file or for the comparison with a baseline.

    Attributes:
        kept: The threads whose results an earlier run left, by eval set and id; they are not run again.
        path: The file that they go into, if they do.
        baseline: What the run is compared with, if it is.
    """

    def __init__(self, path: Path | None, agent: str, baseline: BaselineInPlay | None = None) -> None:
        self.path = path
        self.baseline = baseline
        self.kept: dict[tuple[str, str], ThreadEntry] = {}
        self._agent = agent
        self._started = datetime.now(UTC)
        self._journal: Journal | None = None

    @classmethod
    def of(cls, config: pytest.Config, agent: str) -> Results | None:
        """Prepare for the file and the baseline that the command line names, if it names one of them.

        Raises:
            ConfigurationError: What is to be resumed or compared with cannot be read, or is the run of another agent.
        """
        path, resumes, baseline = results_path(config), config.getoption("trajectory_resume"), _baseline(config)
        if path is None and resumes:
            raise ConfigurationError("--resume: name the results to go on with by --results FILE")
        if path is None and baseline is None:
            return None
        results = cls(path, agent, baseline)
        if path is not None and resumes:
            results._take_up(path)
        return results

    def _take_up(self, path: Path) -> None:
        """Keep the threads of an earlier run that came to a verdict."""
        self.kept.update(take_up(path, self._agent))

    def kept_of(self, loaded: LoadedEvalSet, thread: ConversationThread, settings: Settings) -> ThreadEntry | None:
        """Return the result of a thread from an earlier run, unless the thread or what is in force for it changed."""
        entry = self.kept.get((loaded.shown, thread.id))
        if entry is None:
            return None
        return entry if still_holds(entry, thread, settings) else None

    def attach(self, item: pytest.Item, entry: ThreadEntry) -> None:
        """Put a thread's entry on its item."""
        item.user_properties[:] = [pair for pair in item.user_properties if pair[0] != ENTRY]
        item.user_properties.append((ENTRY, entry.model_dump_json()))

    # -------------------------------------------------------------------------------- in the process that writes

    def begin(self, run: Run) -> None:
        """Begin the journal, where results go into a file.

        Raises:
            ConfigurationError: It cannot be written.
        """
        if self.path is None:
            return
        self._journal = Journal(self.path, self._head(run))
        for entry in self.kept.values():
            self._journal.add(entry)

    def add(self, entry: ThreadEntry) -> None:
        """Keep what a thread came to."""
        if self._journal is not None:
            self._journal.add(entry)

    def compare(self, run: Run, entries: Sequence[ThreadEntry]) -> Comparison | None:
        """Compare what the threads came to with the baseline, where there is one."""
        if self.baseline is None:
            return None
        return self.baseline.compare(self._head(run).model_copy(update={"threads": tuple(entries)}))

    def finish(
        self,
        run: Run,
        verdicts: Mapping[str, GateVerdict],
        entries: Sequence[ThreadEntry],
        *,
        interrupted: bool,
        halted: str | None,
    ) -> None:
        """Write the file."""
        if self._journal is None:
            return
        selected = sum(run.counts.values())
        gates = tuple(gate_entry(name, verdict) for name, verdict in verdicts.items())
        whole = {
            "ended": timestamp(datetime.now(UTC)),
            "gates": gates,
            "selected": selected,
            "complete": not (interrupted or halted) and 0 < selected <= len(entries),
            "halted": halted,
            "breaches": tuple(run.breaches()),
            "warnings": tuple(run.warnings()),
            "spent": spent(entries, (datetime.now(UTC) - self._started).total_seconds()),
            "threads": tuple(entries),
        }
        self._journal.finish(self._head(run).model_copy(update=whole))

    @property
    def problem(self) -> str:
        """Say why the results could not be written; empty when they could."""
        problem = self._journal.problem if self._journal is not None else None
        return f"the results could not be written into {self.path}: {problem.strerror}" if problem else ""

    def _head(self, run: Run) -> RunFile:
        return RunFile(
            made_by=made_by(self._agent),
            started=timestamp(self._started),
            agent=self._agent,
            command=("pytest", *options_in_force(run.config, with_eval_sets=True), *run.paths),
            eval_sets=tuple(map(eval_set_entry, run.eval_sets)),
            notes=tuple(notes_of(run.eval_sets, run.recording)),
        )


def _baseline(config: pytest.Config) -> BaselineInPlay | None:
    """Find the baseline that the command line or the ini file names; the command line wins over the ini file."""
    flag, ini = config.getoption("compare"), config.getini(COMPARE_INI)
    fail_on_flag, fail_on_ini = config.getoption("fail_on"), config.getini(FAIL_ON_INI)
    names = ("--compare", "--fail-on" if fail_on_flag else FAIL_ON_INI)
    named = flag or ini
    path = os.path.relpath(config.invocation_params.dir / named, Path.cwd()) if named else None
    return BaselineInPlay.of(path, fail_on_flag or fail_on_ini, names=names)


def entry_of(runs: ThreadRuns, loaded: LoadedEvalSet, thread: ConversationThread, settings: Settings) -> ThreadEntry:
    """Make the entry of a thread that was run."""
    return thread_entry(runs, thread, settings, eval_set=loaded.shown, words=report)


def entry_in(properties: Iterable[tuple[str, Any]]) -> ThreadEntry | None:
    """Find a thread's entry among the properties of a report."""
    text = next((value for name, value in properties if name == ENTRY), None)
    return None if text is None else ThreadEntry.model_validate_json(text)
