"""Put on each item what the process that decides has to know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trajectory.evaluations import Outcome
from trajectory.pytest_plugin.records import ThreadRecord

if TYPE_CHECKING:
    import pytest

    from trajectory.pytest_plugin.items import ThreadItem
    from trajectory.pytest_plugin.run import Run
    from trajectory.running import ThreadRuns
    from trajectory.runs import ThreadEntry
    from trajectory.suite import LoadedEvalSet


class ItemRecords:
    """Makes the records of items."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def of(self, item: pytest.Item, loaded: LoadedEvalSet, index: int) -> ThreadRecord:
        """Make the record of an item, as far as it is known before the item has run."""
        thread = loaded.threads[index]
        gate, group = self._run.gate_of(loaded), self._run.group_of(item)
        return ThreadRecord(
            group=group,
            thread_id=thread.id,
            node_id=item.nodeid if self._run.feeds_tests else f"{loaded.shown}::{item.name}",
            place=(loaded.number, index),
            selected=self._run.counts[group],
            min_pass_rate=str(gate.min_pass_rate),
            max_errors=gate.max_errors,
            min_macro_f1="" if gate.min_macro_f1 is None else str(gate.min_macro_f1),
            must_pass=self._run.settings_for(loaded, thread).must_pass,
        )

    def of_runs(self, item: ThreadItem, runs: ThreadRuns) -> None:
        """Put the record of a thread that was run on its item."""
        record, result = self.of(item, item.loaded, item.index), runs.deciding
        played = [turn.actual for run in runs.runs for turn in run.turns if turn.actual is not None]
        usages = [trace.usage for trace in played if trace.usage is not None]
        replace(
            record,
            outcome=str(runs.outcome.value),
            turns=len(result.turns),
            failing_turns=len(result.failing_turns),
            nothing_to_check=result.nothing_to_check,
            calls=sum(turn.calls for turn in result.turns),
            runs=tuple(str(outcome.value) for outcome in runs.outcomes),
            pass_runs=runs.pass_runs,
            repetitions=runs.repetitions,
            halted=self._run.scheduler.budget.halted,
            f1=str(f1) if record.min_macro_f1 and (f1 := runs.f1) is not None else "",
            tokens=sum(usage.tokens or 0 for usage in usages),
            usd=sum(usage.cost_usd or 0.0 for usage in usages),
        ).attach(item)

    def of_recorded(self, item: ThreadItem, outcome: Outcome) -> None:
        """Put the record of a thread on its item that was recorded, or could not be."""
        record = self.of(item, item.loaded, item.index)
        replace(record, outcome=str(outcome.value), turns=len(item.thread.traces)).attach(item)

    def of_halted(self, item: ThreadItem) -> None:
        """Put the record of a thread on its item that the budget kept from being run."""
        replace(self.of(item, item.loaded, item.index), halted=self._run.scheduler.budget.halted).attach(item)

    def of_kept(self, item: ThreadItem, entry: ThreadEntry) -> None:
        """Put the record of a thread that an earlier run has come to on its item."""
        record = self.of(item, item.loaded, item.index)
        deciding = next((run for run in entry.runs if run.outcome is entry.outcome), entry.runs[0])
        failing = [turn for turn in deciding.turns if turn.outcome not in {Outcome.PASSED, Outcome.SKIPPED}]
        matches = [turn.match for turn in deciding.turns if turn.match is not None]
        replace(
            record,
            outcome=str(entry.outcome.value),
            turns=len(deciding.turns),
            failing_turns=len(failing),
            nothing_to_check=bool(matches) and all(match.vacuous for match in matches),
            calls=sum(len(turn.actual.calls) for turn in deciding.turns if turn.actual is not None),
            runs=tuple(str(run.outcome.value) for run in entry.runs),
            pass_runs=entry.pass_runs,
            repetitions=entry.repetitions,
            f1="" if entry.f1 is None else str(entry.f1),
        ).attach(item)
