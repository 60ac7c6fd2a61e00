"""The facts of a whole run, as its run file keeps them."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Final

from trajectory import report
from trajectory._version import __version__
from trajectory.json_values import printable
from trajectory.runs import EvalSetEntry, GateEntry, Spent
from trajectory.runs.building import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from trajectory.gate import GateVerdict
    from trajectory.runs import ThreadEntry
    from trajectory.suite.loading import LoadedEvalSet
    from trajectory.suite.recorded_run import LoadedRun


_NAMED: Final = 20


def eval_set_entry(loaded: LoadedEvalSet) -> EvalSetEntry:
    """Make the record of an eval set in play."""
    return EvalSetEntry(
        path=loaded.shown,
        id=loaded.eval_set.id,
        name=loaded.eval_set.name,
        shape=loaded.eval_set.shape,
        threads=len(loaded.threads),
        thread_ids=tuple(clean(thread.id) for thread in loaded.eval_set.threads),
    )


def notes_of(eval_sets: Iterable[LoadedEvalSet], recording: LoadedRun | None) -> Iterator[str]:
    """Give what the readers of the files had to say."""
    for loaded in eval_sets:
        yield from (f"{loaded.shown}: {clean(note)}" for note in loaded.eval_set.notes)
    yield from (clean(note) for note in (recording.notes if recording else ()))


def unmatched_reason(name: str, threads: Iterable[str]) -> str:
    """Say that recorded threads have no partner; empty when all have one."""
    names = [printable(thread) for thread in threads]
    left = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{name} has threads that no eval set knows of: {', '.join(names[:_NAMED])}{left}" if names else ""


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


def gate_entry(name: str, verdict: GateVerdict) -> GateEntry:
    """Make the record of a gate."""
    return GateEntry(
        name=name,
        min_pass_rate=str(verdict.gate.min_pass_rate),
        max_errors=verdict.gate.max_errors,
        min_macro_f1=None if verdict.gate.min_macro_f1 is None else str(verdict.gate.min_macro_f1),
        passed=verdict.passed,
        summary=report.summary_line(name, verdict),
        reasons=verdict.reasons,
        warnings=verdict.warnings,
    )


def timestamp(moment: datetime) -> str:
    """Write a moment as RFC 3339."""
    return moment.isoformat().replace("+00:00", "Z")
