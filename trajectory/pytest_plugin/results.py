"""The results of a run in a file: written thread by thread, and taken up again by a run that resumes it."""

from __future__ import annotations

import platform
import sys
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Any

from trajectory import report
from trajectory._version import __version__
from trajectory.errors import ConfigurationError
from trajectory.evaluations import Outcome
from trajectory.pytest_plugin.options import RESULTS_INI
from trajectory.pytest_plugin.records import ENTRY
from trajectory.runs import (
    JOURNAL_SUFFIX,
    EvalSetEntry,
    GateEntry,
    Journal,
    RunFile,
    Spent,
    ThreadEntry,
    content_hash,
    load_run,
    settings_hash,
    thread_entry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pytest

    from trajectory.conversation import ConversationThread
    from trajectory.gate import GateVerdict
    from trajectory.pytest_plugin.loading import LoadedEvalSet
    from trajectory.pytest_plugin.run import Run
    from trajectory.running import ThreadRuns
    from trajectory.settings import Settings


def results_path(config: pytest.Config) -> Path | None:
    """Tell the file that the results of the run go into."""
    named = config.getoption("results") or config.getini(RESULTS_INI)
    return config.invocation_params.dir / named if named else None


class Results:
    """The results of a run in a file.

    Attributes:
        kept: The threads whose results an earlier run left, by eval set and id; they are not run again.
        path: The file.
    """

    def __init__(self, path: Path, agent: str) -> None:
        self.path = path
        self.kept: dict[tuple[str, str], ThreadEntry] = {}
        self._agent = agent
        self._started = datetime.now(UTC)
        self._journal: Journal | None = None

    @classmethod
    def of(cls, config: pytest.Config, agent: str) -> Results | None:
        """Prepare the file that the command line names, if it names one.

        Raises:
            ConfigurationError: What is to be resumed cannot be read, or is the run of another agent.
        """
        path, resumes = results_path(config), config.getoption("trajectory_resume")
        if path is None:
            if resumes:
                raise ConfigurationError("--resume: name the results to go on with by --results FILE")
            return None
        results = cls(path, agent)
        if resumes:
            results._take_up()
        return results

    def _take_up(self) -> None:
        """Keep the threads of an earlier run that came to a verdict."""
        journal = self.path.with_name(self.path.name + JOURNAL_SUFFIX)
        for run in [load_run(file) for file in (self.path, journal) if file.exists()]:
            if run.agent != self._agent:
                raise ConfigurationError(
                    f"--resume: {self.path} holds results of {run.agent}, and this run is of {self._agent}: "
                    "name another file"
                )
            ended = [entry for entry in run.threads if entry.outcome is not Outcome.ERROR]
            self.kept.update({(entry.eval_set, entry.id): entry for entry in ended})

    def kept_of(self, loaded: LoadedEvalSet, thread: ConversationThread, settings: Settings) -> ThreadEntry | None:
        """Return the result of a thread from an earlier run, unless the thread or what is in force for it changed."""
        entry = self.kept.get((loaded.shown, thread.id))
        if entry is None:
            return None
        same_runs = (entry.repetitions, entry.pass_runs) == (
            settings.repetitions,
            settings.pass_runs or settings.repetitions,
        )
        same = (entry.content_hash, entry.settings_hash) == (content_hash(thread), settings_hash(settings))
        return entry if same and same_runs else None

    def attach(self, item: pytest.Item, entry: ThreadEntry) -> None:
        """Put a thread's entry on its item."""
        item.user_properties[:] = [pair for pair in item.user_properties if pair[0] != ENTRY]
        item.user_properties.append((ENTRY, entry.model_dump_json()))

    # -------------------------------------------------------------------------------- in the process that writes

    def begin(self, run: Run) -> None:
        """Begin the journal.

        Raises:
            ConfigurationError: It cannot be written.
        """
        self._journal = Journal(self.path, self._head(run))
        for entry in self.kept.values():
            self._journal.add(entry)

    def add(self, entry: ThreadEntry) -> None:
        """Keep what a thread came to."""
        if self._journal is not None:
            self._journal.add(entry)

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
        gates = tuple(_gate(name, verdict) for name, verdict in verdicts.items())
        whole = {
            "ended": _now(datetime.now(UTC)),
            "gates": gates,
            "selected": selected,
            "complete": not (interrupted or halted) and 0 < selected <= len(entries),
            "halted": halted,
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
        sets = (
            EvalSetEntry(
                path=loaded.shown,
                id=loaded.eval_set.id,
                name=loaded.eval_set.name,
                shape=loaded.eval_set.shape,
                threads=len(loaded.threads),
            )
            for loaded in run.eval_sets
        )
        return RunFile(
            made_by=made_by(self._agent), started=_now(self._started), agent=self._agent, eval_sets=tuple(sets)
        )


def entry_of(runs: ThreadRuns, loaded: LoadedEvalSet, thread: ConversationThread, settings: Settings) -> ThreadEntry:
    """Make the entry of a thread that was run."""
    return thread_entry(runs, thread, settings, eval_set=loaded.shown, words=report)


def entry_in(properties: Iterable[tuple[str, Any]]) -> ThreadEntry | None:
    """Find a thread's entry among the properties of a report."""
    text = next((value for name, value in properties if name == ENTRY), None)
    return None if text is None else ThreadEntry.model_validate_json(text)


def spent(entries: Iterable[ThreadEntry], seconds: float) -> Spent:
    """Add up what the turns of a run took."""
    sides = [turn.actual for entry in entries for run in entry.runs for turn in run.turns if turn.actual is not None]
    tokens = [
        side.input_tokens + side.output_tokens
        for side in sides
        if side.input_tokens is not None and side.output_tokens is not None
    ]
    costs = [side.cost_usd for side in sides if side.cost_usd is not None]
    return Spent(
        seconds=seconds,
        tokens=sum(tokens) if tokens else None,
        cost_usd=sum(costs) if costs else None,
        complete=len(tokens) == len(sides) == len(costs),
    )


def made_by(agent: str) -> dict[str, str]:
    """Name the versions of the programs that take part: this one, Python, pytest, and the package of the agent."""
    versions = {"trajectory": __version__, "python": platform.python_version(), "pytest": metadata.version("pytest")}
    package = agent.removeprefix("agent ").partition(":")[0].partition(".")[0]
    if package in sys.modules:
        names = metadata.packages_distributions().get(package, [])
        versions |= {name: metadata.version(name) for name in names}
    return versions


def _gate(name: str, verdict: GateVerdict) -> GateEntry:
    return GateEntry(
        name=name,
        min_pass_rate=str(verdict.gate.min_pass_rate),
        max_errors=verdict.gate.max_errors,
        passed=verdict.passed,
        summary=report.summary_line(name, verdict),
        reasons=verdict.reasons,
        warnings=verdict.warnings,
    )


def _now(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
