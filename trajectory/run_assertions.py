"""Assert what a finished run came to, as often as wanted, without running anything again."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import ConfigurationError, EvaluationError, TrajectoryMismatch, did_you_mean
from trajectory.evaluations import Outcome
from trajectory.gate import Gate
from trajectory.json_values import printable
from trajectory.report import summary_line
from trajectory.runs import RunFile, decide_run, deciding_run, load_run, thread_score
from trajectory.runs.baselines import load_baseline, regression_reasons
from trajectory.runs.comparison import compare
from trajectory.settings import read_settings

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from trajectory.runs import ThreadEntry

_EXPLAINED: Final = 3
_CALL: Final = "assert_passes: "


def assert_passes(  # noqa: PLR0913 - everything that can be asked of a run
    report: RunFile | str | os.PathLike[str],
    *,
    min_pass_rate: Decimal | float | str | None = None,
    min_macro_f1: Decimal | float | str | None = None,
    max_errors: int | None = None,
    must_pass: Iterable[str] = (),
    baseline: RunFile | str | os.PathLike[str] | None = None,
) -> None:
    """Assert that a finished run reaches what is asked of it; nothing is run again.

    A floor that is not stated here is not asked for: a call that states only ``min_macro_f1`` lets threads fail. A call
    that states neither a floor nor a baseline asks for what the run itself was held to.

    Args:
        report: The run, as `run_eval_set` returns it, or the file of a saved one.
        min_pass_rate: The share of threads that must pass, from 0 to 1.
        min_macro_f1: What the F1 of tool calls must be on average over the threads, from 0 to 1.
        max_errors: How many threads may end without a verdict; without this, none.
        must_pass: The ids of threads that must pass whatever the rate, beside those of which the eval set says so.
        baseline: An accepted run, or its file: no thread may fail that did not fail there.

    Raises:
        TrajectoryMismatch: Threads failed, and so the run does not reach what is asked. The text explains the worst ones.
        EvaluationError: It does not for another reason: threads without a verdict, nothing evaluated, or a run that was
            halted or cut short, which never passes.
        ConfigurationError: Something is asked that makes no sense, or a file cannot be read.
    """
    __tracebackhide__ = True
    run = report if isinstance(report, RunFile) else load_run(report)
    floors = {"min_pass_rate": _number(min_pass_rate), "min_macro_f1": _number(min_macro_f1), "max_errors": max_errors}
    gate = _gate({key: value for key, value in floors.items() if value is not None}, asks_more=baseline is not None)
    reasons = _must_pass_reasons(run, must_pass)
    if baseline is not None:
        accepted = baseline if isinstance(baseline, RunFile) else load_baseline(baseline)
        reasons += regression_reasons(compare(run, accepted))
    found = _own_gates(run, reasons) if gate is None else _asserted(run, gate, reasons)
    if found:
        failed = any(entry.outcome is Outcome.FAILED for entry in run.threads)
        raise (TrajectoryMismatch if failed else EvaluationError)("\n".join([*found, *_explanations(run)]))


def _number(value: Any) -> Any:
    """Read a text as the decimal that it is; whatever else it may be, the settings refuse."""
    try:
        return Decimal(value) if isinstance(value, str) else value
    except InvalidOperation:
        return value


def _gate(stated: dict[str, Any], *, asks_more: bool) -> Gate | None:
    """Make the gate of what is stated; nothing where the run's own gates are asked for."""
    settings = read_settings(stated, keys=("min_pass_rate", "min_macro_f1", "max_errors"), source=_CALL)
    if not (asks_more or stated):
        return None
    floors = {"min_pass_rate", "min_macro_f1"} & stated.keys()
    if not floors:
        return Gate(max_errors=settings.max_errors, regressions_only=asks_more)
    rate = settings.min_pass_rate if "min_pass_rate" in floors else Decimal(0)
    return Gate(rate, settings.max_errors, settings.min_macro_f1)


def _must_pass_reasons(run: RunFile, must_pass: Iterable[str]) -> list[str]:
    if isinstance(must_pass, str):
        must_pass = [must_pass]
    threads = {entry.id: entry for entry in run.threads}
    reasons = []
    for name in must_pass:
        if name not in threads:
            hint = did_you_mean(name, threads)
            raise ConfigurationError(f"{_CALL}must_pass: the run has no thread {name!r}{f' ({hint})' if hint else ''}")
        entry = threads[name]
        if entry.outcome is not Outcome.PASSED and not entry.must_pass:
            reasons.append(f"thread {printable(name)!r} must pass, and its outcome is {entry.outcome}")
    return reasons


def _asserted(run: RunFile, gate: Gate, reasons: list[str]) -> list[str]:
    verdict = decide_run(run, gate, breaches=reasons)
    if verdict.passed:
        return []
    return [summary_line("the run", verdict), *(f"  because {reason}" for reason in verdict.reasons)]


def _own_gates(run: RunFile, reasons: list[str]) -> list[str]:
    """Say which of the gates that the run was held to failed."""
    lines = [
        line
        for gate in run.gates
        if not gate.passed
        for line in (gate.summary or f"{gate.name}: FAILED", *(f"  because {reason}" for reason in gate.reasons))
    ]
    if not run.gates or (not run.complete and not lines):
        lines.append("the run was cut short, so it has no verdict")
    return lines + [f"  because {reason}" for reason in reasons]


def _explanations(run: RunFile) -> list[str]:
    """Explain the worst threads."""
    bad = [entry for entry in run.threads if entry.outcome in {Outcome.FAILED, Outcome.ERROR}]
    worst = sorted(bad, key=lambda entry: thread_score(entry).score)
    lines = [line for entry in worst[:_EXPLAINED] for line in ("", _explanation(entry))]
    left = len(worst) - _EXPLAINED
    return lines + [f"\n... and {left} more thread{'s' * (left != 1)} that did not pass"] * (left > 0)


def _explanation(entry: ThreadEntry) -> str:
    return deciding_run(entry).explanation or f"{printable(entry.headline)}\nthread {printable(entry.id)}"
