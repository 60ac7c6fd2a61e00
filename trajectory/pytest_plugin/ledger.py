"""The ledger of a run: gathers what the items report, decides when the session ends, and says so.

It works in the one process that decides: the only one, or xdist's controller. Everything it knows of the threads comes
in reports, so that it is the same with and without xdist.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.evaluations import Outcome
from trajectory.gate import Gate, GateVerdict, ThreadScore, decide
from trajectory.pytest_plugin import terminal
from trajectory.pytest_plugin.records import WORK, ThreadRecord, record_in, strip
from trajectory.pytest_plugin.results import entry_in, entry_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from trajectory.pytest_plugin.results import Results
    from trajectory.pytest_plugin.run import Run
    from trajectory.runs import ThreadEntry
    from trajectory.runs.comparison import Comparison


class Entry:
    """What was reported of one item."""

    def __init__(self, record: ThreadRecord) -> None:
        self.record = record
        self.earlier: list[Outcome] = []
        self.reports: list[pytest.TestReport] = []

    def add(self, report: pytest.TestReport, record: ThreadRecord) -> None:
        """Add a report; a rerun plugin marks the tries before the last one."""
        self.record = record
        if str(report.outcome) == "rerun":  # an outcome of pytest-rerunfailures
            self.earlier.append(_outcome_of([*self.reports, report]))
            self.reports.clear()
        else:
            self.reports.append(report)

    @property
    def came_to_an_end(self) -> bool:
        """Whether there is a verdict, or a reason for none; a process may have died, or been stopped, before."""
        if self.record.halted and not self.record.outcome:
            return False
        return any(report.when == "call" or not report.passed for report in self.reports)

    @property
    def score(self) -> ThreadScore:
        """What the gate looks at."""
        record, outcome = self.record, _outcome_of(self.reports)
        failing = max(record.failing_turns, int(outcome in {Outcome.FAILED, Outcome.ERROR}))
        return ThreadScore(
            thread_id=record.thread_id,
            outcome=outcome,
            turns=max(record.turns, failing),
            failing_turns=failing,
            must_pass=record.must_pass,
            nothing_to_check=record.nothing_to_check,
            earlier=tuple(self.earlier),
            runs=tuple(map(Outcome, record.runs)),
            repetitions=record.repetitions,
            f1=Fraction(record.f1) if record.f1 else None,
        )


def _outcome_of(reports: list[pytest.TestReport]) -> Outcome:
    """Read off the reports of one try how it ended; the worst phase counts."""
    if any(("outcome", "error") in report.user_properties and not report.passed for report in reports):
        return Outcome.ERROR
    broken = {report.when for report in reports if not (report.passed or report.skipped)}
    if broken:
        return Outcome.FAILED if broken == {"call"} else Outcome.ERROR
    return Outcome.SKIPPED if any(report.skipped for report in reports) else Outcome.PASSED


class Ledger:
    """The pytest plugin object that holds the ledger."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._entries: dict[str, Entry] = {}
        self._collected = True
        self._unused: list[str] = []
        self._results: dict[str, ThreadEntry] = {}
        self._places: dict[str, tuple[int, int]] = {}
        if run.results is not None:
            run.results.begin(run)
        self.verdicts: dict[str, GateVerdict] = {}
        self.comparison: Comparison | None = None

    def pytest_report_header(self) -> list[str]:
        """Say what is in force."""
        return terminal.header(self._run)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a report."""
        self._keep(report)
        record = record_in(report.user_properties)
        if record is not None:
            self._entries.setdefault(report.nodeid, Entry(record)).add(report, record)
            terminal.colour(report)
            strip(report)
        elif report.nodeid in self._entries:
            entry = self._entries[report.nodeid]
            entry.add(report, entry.record)

    def find(self, node_id: str) -> tuple[ThreadRecord, Outcome] | None:
        """Find what was reported of an item, and what it came to; nothing for an item that replays no thread."""
        entry = self._entries.get(node_id)
        return None if entry is None else (entry.record, _outcome_of(entry.reports))

    def _keep(self, report: pytest.TestReport) -> None:
        """Keep a thread's entry when its item has come to an end, whatever that was."""
        if self._run.recorder is not None and report.when == "teardown":
            self._run.recorder.hear(report.user_properties)
        results = self._run.results
        if results is None or report.when != "teardown" or (entry := entry_in(report.user_properties)) is None:
            return
        self._results[report.nodeid] = entry
        results.add(entry)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that something could not be collected: then nobody knows who would have used which eval set."""
        self._collected = self._collected and not report.failed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """Hear from an xdist worker what there was to do; one that died tells nothing."""
        del error
        work = getattr(node, "workeroutput", {}).get(WORK)
        if work is not None:
            self._run.hear(work)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None, None, None]:
        """Decide, and let the exit code say so: after every other plugin, and before the terminal's summary."""
        yield
        config = session.config
        if config.option.collectonly:
            return
        if self._run.results is not None:
            self.comparison = self._run.results.compare(self._run, self._kept())
        self.verdicts = self._decide_all()
        if self._run.recorder is not None:
            self._run.recorder.write(self._run.eval_sets)
            self.verdicts = self._decide_all()
        if self._run.results is not None:
            self._write_results(interrupted=exitstatus not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED})
        if exitstatus not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}:
            return
        if self._collected:
            self._unused = [loaded.shown for loaded in self._run.asked if loaded.shown not in self._run.used]
        tolerated = self._tolerated_reports()
        terminal.set_apart(config, tolerated)
        failures_left = session.testsfailed - len(tolerated)
        session.exitstatus = self._exit_code(session.exitstatus, exitstatus, failures_left)

    def _write_results(self, *, interrupted: bool) -> None:
        results = self._run.results
        if results is None:
            return
        left = self._take_in_unreported(results)
        halted = next((entry.record.halted for entry in self._entries.values() if entry.record.halted), None)
        results.finish(self._run, self.verdicts, self._kept(), interrupted=interrupted or left, halted=halted)
        if results.problem:  # a run that was to be kept, and is not, is no pass
            self.verdicts = self._decide_all()

    def _take_in_unreported(self, results: Results) -> bool:
        """Keep what came to its end ahead of an item that was never run; tell whether there was any."""
        left = list(self._run.scheduler.unreported())
        for item, runs in left:
            settings = self._run.settings_for(item.loaded, item.thread)
            entry = entry_of(runs, item.loaded, item.thread, settings)
            self._results[item.nodeid] = entry
            self._places[item.nodeid] = (item.loaded.number, item.index)
            results.add(entry)
        return bool(left)

    def _kept(self) -> list[ThreadEntry]:
        """Return what the threads came to, in the order of the eval sets."""
        places = self._places | {node_id: entry.record.place for node_id, entry in self._entries.items()}
        return [self._results[node_id] for node_id in sorted(self._results, key=lambda node_id: places[node_id])]

    def _exit_code(self, now: int, before: int, failures_left: int) -> int:
        """Decide on the exit code; failures that the gate does not know of stay failures.

        Args:
            now: The exit code as other plugins leave it. Some add the code that they were given to their own.
            before: The exit code that all of them were given.
            failures_left: How many failures there are beside the tolerated ones.
        """
        if self._unused:
            return pytest.ExitCode.USAGE_ERROR
        if now not in {pytest.ExitCode.OK, before}:
            return now
        if not all(verdict.passed for verdict in self.verdicts.values()):
            return pytest.ExitCode.TESTS_FAILED
        tolerates = before == pytest.ExitCode.TESTS_FAILED and not failures_left
        return pytest.ExitCode.OK if tolerates else now

    def _groups(self) -> dict[str, list[Entry]]:
        groups: dict[str, list[Entry]] = defaultdict(list)
        for entry in sorted(self._entries.values(), key=lambda entry: entry.record.place):
            groups[entry.record.group].append(entry)
        return groups | {group: [] for group in self._run.counts if group not in groups}

    def _decide_all(self) -> dict[str, GateVerdict]:
        breaches = self._run.breaches()
        return {group: self._decide(group, entries, breaches) for group, entries in self._groups().items()}

    def _decide(self, group: str, entries: list[Entry], breaches: list[str]) -> GateVerdict:
        """Decide on a group; one of which nothing came to an end is as cut short as one of which a part did."""
        gate, selected = Gate(), self._run.counts.get(group, 0)
        if entries:
            record = entries[0].record
            floor = Decimal(record.min_macro_f1) if record.min_macro_f1 else None
            gate, selected = Gate(Decimal(record.min_pass_rate), record.max_errors, floor), record.selected
        scores = [entry.score for entry in entries if entry.came_to_an_end]
        halted = dict.fromkeys(entry.record.halted for entry in entries if entry.record.halted)
        gate, regressions = self._held_to_baseline(gate, entries)
        return decide(gate, scores, selected=selected, breaches=[*halted, *breaches, *regressions])

    def _held_to_baseline(self, gate: Gate, entries: list[Entry]) -> tuple[Gate, list[str]]:
        """Put the baseline in the place of the rates where it decides; not for ordinary tests, of which it knows nothing."""
        baseline = self._run.results.baseline if self._run.results is not None else None
        if baseline is None or self.comparison is None:
            return gate, []
        known = {entry.id for entry in self._results.values()}
        ids = {entry.record.thread_id for entry in entries}
        return (baseline.gate(gate) if ids <= known else gate), baseline.reasons(self.comparison, ids)

    def _tolerated_reports(self) -> set[int]:
        return {
            id(report)
            for entry in self._entries.values()
            if self.verdicts[entry.record.group].passed
            for report in entry.reports
            if report.failed
        }

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how the run ended, and why."""
        if not terminalreporter.config.option.collectonly:
            terminal.summarize(terminalreporter, self._run, self.verdicts, self._entries, self._unused)
            terminal.tell_changes(terminalreporter, self._run, self.comparison)
