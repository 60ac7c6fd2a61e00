"""A run in short, as JSON: what a script asks of a run file, without its turns."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

from trajectory.evaluations import Outcome
from trajectory.report.facts import (
    counts,
    first_divergence,
    reasons,
    rule_scores,
    runs_passed,
    score,
    standing,
    turns,
    turns_passed,
)

if TYPE_CHECKING:
    from trajectory.runs import RunFile, ThreadEntry
    from trajectory.runs.comparison import Comparison, ThreadChange

VERSION: Final = 1
"""Changes when a reader of the old shape would go wrong; a key that is added is no such change."""


def json_summary(run: RunFile, comparison: Comparison | None = None) -> str:
    """Sum a run up as JSON.

    Args:
        run: The run.
        comparison: What changed since a baseline.

    Returns:
        The document, in ASCII.
    """
    told = counts(run)
    summary = {
        "format": "trajectory-summary",
        "version": VERSION,
        "standing": standing(run).value,
        "agent": run.agent,
        "started": run.started,
        "ended": run.ended,
        "complete": run.complete,
        "halted": run.halted,
        "breaches": run.breaches,
        "warnings": run.warnings,
        "notes": run.notes,
        "selected": run.selected,
        "counts": {outcome.value: told[outcome] for outcome in Outcome},
        "spent": {name: _finite(value) for name, value in run.spent},
        "gates": [gate.model_dump(mode="json") for gate in run.gates],
        "threads": [_thread(entry) for entry in run.threads],
        "comparison": None if comparison is None else _comparison(comparison),
    }
    return ascii_json(summary)


def ascii_json(value: Any) -> str:
    """Write JSON that no terminal and no CI service acts upon."""
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f").replace("##", "#\\u0023") + "\n"


def _thread(entry: ThreadEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "eval_set": entry.eval_set,
        "outcome": entry.outcome.value,
        "label": entry.label.value,
        "must_pass": entry.must_pass,
        "turns": len(turns(entry)),
        "turns_passed": turns_passed(entry),
        "score": float(score(entry)) if turns(entry) else None,
        "repetitions": entry.repetitions,
        "pass_runs": entry.pass_runs,
        "runs_passed": runs_passed(entry),
        "rule_scores": {rule: _finite(one) for rule, one in rule_scores(entry).items()},
        "headline": entry.headline,
        "reasons": reasons(entry),
        "first_divergence": first_divergence(entry),
    }


def _finite(number: float | None) -> float | None:
    """Leave out what JSON has no number for."""
    return number if number is not None and math.isfinite(number) else None


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "counts": {kind.value: number for kind, number in comparison.counts.items()},
        "problems": list(comparison.problems),
        "changes": [_change(one) for one in comparison.changes],
    }


def _change(change: ThreadChange) -> dict[str, Any]:
    return {
        "id": change.id,
        "eval_set": change.eval_set,
        "change": change.change.value,
        "before": change.before and change.before.outcome.value,
        "now": change.now and change.now.outcome.value,
        "reason": change.reason,
        "p_value": None if change.p_value is None else float(change.p_value),
        "more_runs": change.more_runs,
    }
