"""A run as annotations of GitHub Actions, each at its thread's place in the eval set."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from trajectory.evalset.places import thread_places
from trajectory.json_values import printable, shorten
from trajectory.report.changes import changes_counted
from trajectory.report.facts import NOT_PASSED, Standing, alarms, first_divergence, reasons, standing, worst_first
from trajectory.running import Label
from trajectory.runs.comparison import Change
from trajectory.workflow_commands import annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajectory.runs import RunFile, ThreadEntry
    from trajectory.runs.comparison import Comparison
    from trajectory.workflow_commands import Level

    Places = Callable[[str], dict[str, tuple[int, int]]]

SHOWN: Final = 10
"""So many annotations of one level GitHub shows for a step (its documentation, "Limitations")."""

_LINES: Final = 12
_WIDTH: Final = 200


def github_report(run: RunFile, comparison: Comparison | None = None) -> str:
    """Report a run as annotations of GitHub Actions.

    Threads that did not pass are errors, tolerated ones and flaky ones warnings. Beside a baseline, only newly failing
    threads and those without a verdict are errors.

    Args:
        run: The run.
        comparison: What changed since a baseline.

    Returns:
        One annotation a line, the verdict first.
    """
    places = cache(thread_places)
    errors, warnings = _by_level(run, comparison)
    room = SHOWN - bool(run.warnings)
    lines = [_verdict(run, comparison, left=len(errors[SHOWN:]) + len(warnings[room:]))]
    lines += _annotations("error", errors[:SHOWN], places)
    if run.warnings:
        lines.append(annotation("warning", _of_the_run(run), title="trajectory: what makes the run mean less"))
    lines += _annotations("warning", warnings[:room], places)
    return "\n".join(lines) + "\n"


def _of_the_run(run: RunFile) -> str:
    return "\n".join(_first(SHOWN, list(map(printable, run.warnings)), "warnings"))


def _by_level(run: RunFile, comparison: Comparison | None) -> tuple[list[ThreadEntry], list[ThreadEntry]]:
    """Sort the threads that a reader should see into errors and warnings."""
    failing = worst_first(run)
    flaky = [entry for entry in run.threads if entry.label is Label.FLAKY and entry.outcome not in NOT_PASSED]
    if comparison is not None:
        worse = {(one.eval_set, one.id) for one in comparison.of(Change.NEWLY_FAILING, Change.NO_VERDICT)}
    else:
        worse = set() if standing(run) is Standing.PASSED else {(entry.eval_set, entry.id) for entry in failing}
    errors = [entry for entry in failing if (entry.eval_set, entry.id) in worse]
    return errors, [entry for entry in failing if (entry.eval_set, entry.id) not in worse] + flaky


def _verdict(run: RunFile, comparison: Comparison | None, *, left: int) -> str:
    lines = [gate.summary or gate.name for gate in run.gates]
    lines += [f"because {reason}" for gate in run.gates for reason in gate.reasons]
    lines += alarms(run)
    if comparison is not None:
        lines += [f"since the baseline: {changes_counted(comparison)}", *comparison.problems]
    if left:
        lines.append(f"{left} more threads have no annotation: only {SHOWN} of a kind are shown for a step")
    level: Level = "notice" if standing(run) is Standing.PASSED else "error"
    return annotation(level, "\n".join(map(printable, lines)), title=f"trajectory: {standing(run)}")


def _annotations(level: Level, entries: Sequence[ThreadEntry], places: Places) -> Iterator[str]:
    for entry in entries:
        line, column = places(entry.eval_set).get(entry.id, (None, None))
        yield annotation(
            level,
            "\n".join(_message(entry)),
            file=printable(entry.eval_set),
            line=line,
            column=column,
            title=shorten(printable(f"thread {entry.id}: {entry.outcome}")),
        )


def _message(entry: ThreadEntry) -> Iterator[str]:
    yield shorten(printable(entry.headline), _WIDTH)
    lines = first_divergence(entry) or reasons(entry)
    yield from _first(_LINES, lines, "lines")


def _first(most: int, lines: Sequence[str], kind: str) -> Iterator[str]:
    yield from (shorten(line, _WIDTH) for line in lines[:most])
    if len(lines) > most:
        yield f"... and {len(lines) - most} more {kind}"
