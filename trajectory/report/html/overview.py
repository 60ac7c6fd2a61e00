"""What stands on the page whether or not its script runs: the verdict, why, and the threads that did not pass."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from trajectory.evaluations import Outcome
from trajectory.report.facts import alarms, counts, explanation, standing, worst_first
from trajectory.report.in_force import recorded_in_force
from trajectory.report.rerun import rerun_command
from trajectory.report.text import percent
from trajectory.running import Label
from trajectory.runs.comparison import Change

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from trajectory.runs import RunFile, Spent, ThreadEntry
    from trajectory.runs.comparison import Comparison

_ORDER: Final = (Outcome.FAILED, Outcome.ERROR, Outcome.PASSED, Outcome.SKIPPED)
_MINUTE: Final = 60
_NAMED: Final = 3
"""How many eval sets the title names."""
_BARE: Final = frozenset({Change.NOT_RUN, Change.REMOVED})


def overview(run: RunFile, comparison: Comparison | None) -> dict[str, Any]:
    """Gather what the template puts on the page.

    Args:
        run: The run.
        comparison: What changed since a baseline.

    Returns:
        The values by the names that the template knows them by.
    """
    found, bad = counts(run), worst_first(run)
    evaluated = sum(found[outcome] for outcome in _ORDER if outcome is not Outcome.SKIPPED)
    return {
        "run": run,
        "standing": standing(run),
        "alarms": alarms(run),
        "breaches": [breach for breach in run.breaches if not any(breach in gate.reasons for gate in run.gates)],
        "counts": [(outcome, found[outcome]) for outcome in _ORDER],
        "bars": list(_bars([found[outcome] for outcome in _ORDER])),
        "evaluated": evaluated,
        "pass_rate": percent(Fraction(found[Outcome.PASSED], evaluated)) if evaluated else "",
        "flaky": sum(entry.label is Label.FLAKY for entry in run.threads),
        "begin": _moment(run.started),
        "spent": list(_spent(run.spent)),
        "in_force": _in_force(run),
        "title": _title(run),
        "command": shlex.join(run.command),
        "rerun": rerun_command(run, bad),
        "bad": [(entry, "\n".join(explanation(entry)) or entry.headline) for entry in bad],
        **_since(comparison),
    }


def _bars(numbers: list[int]) -> Iterator[tuple[float, float]]:
    """Tell where the part of each number begins in a bar, and how long it is, in hundredths."""
    begin, total = 0, sum(numbers) or 1
    for number in numbers:
        yield round(100 * begin / total, 3), round(100 * number / total, 3)
        begin += number


def _moment(text: str) -> str:
    """Write a point in time as people do; what is none is left as it is."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError):
        return text


def _spent(spent: Spent) -> Iterator[str]:
    minutes, seconds = divmod(round(spent.seconds), _MINUTE)
    yield f"{minutes} min {seconds} s" if minutes else f"{spent.seconds:.3g} s"
    if spent.tokens is not None:
        yield f"{spent.tokens:,} tokens"
    if spent.cost_usd is not None:
        yield f"{spent.cost_usd:.4g} USD"
    if not spent.complete and (spent.tokens is not None or spent.cost_usd is not None):
        yield "at least: some turns reported nothing"


def _title(run: RunFile) -> str:
    names = [one.name or one.id or one.path for one in run.eval_sets]
    left = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {left} more" if left > 0 else "")


def _in_force(run: RunFile) -> list[str]:
    """Say of each eval set what its threads were held to."""
    by_set: dict[str, list[ThreadEntry]] = {one.path: [] for one in run.eval_sets}
    for entry in run.threads:
        by_set.setdefault(entry.eval_set, []).append(entry)
    return [recorded_in_force(by_set[one.path]) for one in run.eval_sets]


def _since(comparison: Comparison | None) -> dict[str, Any]:
    if comparison is None:
        return {"compared": False}
    found: Counter[Change] = comparison.counts
    return {
        "compared": True,
        "problems": comparison.problems,
        "changes": [(change, found[change], change not in _BARE) for change in Change if found[change]],
        "regressions": comparison.regressions,
        "left_out": comparison.of(*_BARE),
    }
