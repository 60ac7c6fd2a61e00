"""Baselines: runs that somebody accepted as what later runs are compared with."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from trajectory.errors import ConfigurationError
from trajectory.evaluations import Outcome
from trajectory.json_values import printable, shorten
from trajectory.runs.files import load_run
from trajectory.runs.records import Accepted, RunEntry, RunFile, ThreadEntry

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from trajectory.runs.comparison import Comparison

_NAMED: Final = 5


def accept(run: RunFile, *, source: str, moment: str) -> RunFile:
    """Make a baseline of a run.

    Threads that fail are accepted as such; what later runs are held to is that nothing else fails.

    Args:
        run: The run.
        source: The file that it stands in.
        moment: Now, as RFC 3339.

    Returns:
        The baseline: the run without what only shows how it went.

    Raises:
        ConfigurationError: The run was cut short, has threads without a verdict, or nothing was evaluated in it.
    """
    reasons = refusals(run)
    if reasons:
        raise ConfigurationError(f"{source} can be no baseline: {'; '.join(reasons)}")
    threads = tuple(map(_kept, run.threads))
    return run.model_copy(update={"accepted": Accepted(at=moment, source=source), "threads": threads})


def _kept(entry: ThreadEntry) -> ThreadEntry:
    """Keep of a thread what later runs are compared with: a baseline lies in version control, so it is small."""
    runs = tuple(RunEntry(outcome=run.outcome, overlap=run.overlap) for run in entry.runs)
    return entry.model_copy(update={"runs": runs})


def refusals(run: RunFile) -> list[str]:
    """Say why a run can be no baseline; nothing where it can."""
    counts = Counter(entry.outcome for entry in run.threads)
    errors = counts[Outcome.ERROR]
    found = [run.halted] if run.halted else []
    if not run.complete and not run.halted:
        found.append(f"the run was cut short: {len(run.threads)} of {run.selected} threads came to an end")
    if errors:
        names = [entry.id for entry in run.threads if entry.outcome is Outcome.ERROR]
        found.append(f"{errors} thread{'s' * (errors != 1)} could not be evaluated: {named(names)}")
    if not counts[Outcome.PASSED] + counts[Outcome.FAILED] + errors:
        found.append("nothing was evaluated in it")
    return [*found, *run.breaches]


def load_baseline(path: str | os.PathLike[str]) -> RunFile:
    """Load a baseline.

    Args:
        path: The file.

    Returns:
        The accepted run.

    Raises:
        ConfigurationError: There is none, it cannot be read, or it is a run that nobody accepted.
    """
    run = load_run(path)
    if run.accepted is None:
        raise ConfigurationError(
            f"{path}: expected a baseline, found a run that was not accepted "
            f"(trajectory baseline accept {path} -o BASELINE)"
        )
    return run


def regression_reasons(comparison: Comparison, threads: Collection[str] | None = None) -> list[str]:
    """Say what keeps a run from passing that is held to its baseline; nothing where nothing does.

    Args:
        comparison: The run compared with the baseline.
        threads: The ids of the threads that are gated; without these, all of them.
    """
    names = [one.id for one in comparison.regressions if threads is None or one.id in threads]
    count = f"{len(names)} thread{'s' * (len(names) != 1)} newly failing: {named(names)}"
    return [*comparison.problems, *([count] if names else [])]


def named(names: list[str]) -> str:
    """Name the first few."""
    left = len(names) - _NAMED
    return ", ".join(shorten(printable(name)) for name in names[:_NAMED]) + (f" and {left} more" if left > 0 else "")
