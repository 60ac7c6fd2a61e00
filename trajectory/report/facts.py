"""What every report says of a run beyond what stands in its records: worked out once, here."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from trajectory.evaluations import Outcome
from trajectory.json_values import printable
from trajectory.report.text import count
from trajectory.rules import label
from trajectory.runs.gating import deciding_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.runs import GateEntry, RunEntry, RunFile, ThreadEntry, TurnEntry, VerdictEntry

NOT_PASSED: Final = frozenset({Outcome.FAILED, Outcome.ERROR})
_VERDICTS: Final = frozenset({Outcome.PASSED, Outcome.FAILED})
_HELD: Final = frozenset({Outcome.PASSED, Outcome.SKIPPED})


class Standing(StrEnum):
    """What a run comes to as a whole (outcomes, section 6)."""

    PASSED = "passed"
    """Every gate passed."""
    FAILED = "failed"
    """A gate failed: a verdict on the agent."""
    NOT_EVALUATED = "not evaluated"
    """The run halted, is not complete, evaluated nothing, had more threads without a verdict than a gate allows, or
    something else keeps it from passing, such as a recording that was cut off."""


def standing(run: RunFile) -> Standing:
    """Tell what a run comes to as a whole.

    Args:
        run: The run.

    Returns:
        Its standing; what could not be evaluated outweighs a failure, for the rest of the run is not known.
    """
    evaluated = any(entry.outcome in _VERDICTS for entry in run.threads)
    failed = [gate for gate in run.gates if not gate.passed]
    if run.halted or run.breaches or not run.complete or not run.gates or not evaluated:
        return Standing.NOT_EVALUATED
    if any(_errors(run, gate) > gate.max_errors for gate in failed):
        return Standing.NOT_EVALUATED
    return Standing.FAILED if failed else Standing.PASSED


def _errors(run: RunFile, gate: GateEntry) -> int:
    """Count the threads without a verdict that a gate looks at: those of its own eval set, where it has one."""
    own = {one.path for one in run.eval_sets if gate.name.endswith(f"({one.path})")}
    return sum(entry.outcome is Outcome.ERROR and (not own or entry.eval_set in own) for entry in run.threads)


def gate_over(run: RunFile, eval_set: str) -> GateEntry | None:
    """Find the gate over an eval set: its own, or else the one that it shares with others; ``None`` where none was decided."""
    paths = [one.path for one in run.eval_sets]
    own = [gate for gate in run.gates if gate.name.endswith(f"({eval_set})")]
    shared = [gate for gate in run.gates if not any(gate.name.endswith(f"({path})") for path in paths)]
    return next(iter([*own, *shared]), None)


def alarms(run: RunFile) -> list[str]:
    """Say what keeps a run from being whole, which no report may whisper."""
    said = []
    if run.halted:
        said.append(run.halted)
    if not run.complete:
        ended = len(run.threads)
        selected = f"{ended} of {count(run.selected, 'thread')}" if run.selected else count(ended, "thread")
        said.append(f"the run is not complete: {selected} came to an end")
    if not run.gates:
        said.append("the run has no verdict: no gate was decided")
    said += run.breaches
    return said


def worst_first(run: RunFile) -> list[ThreadEntry]:
    """List the threads that failed or have no verdict, worst first."""
    bad = [entry for entry in run.threads if entry.outcome in NOT_PASSED]
    return sorted(bad, key=lambda entry: (score(entry), Fraction(runs_passed(entry), max(entry.repetitions, 1))))


def counts(run: RunFile) -> Counter[Outcome]:
    """Count the threads that came to each outcome."""
    return Counter(entry.outcome for entry in run.threads)


def deciding(entry: ThreadEntry) -> RunEntry | None:
    """Find the run that shows best what a thread came to: the first one with its outcome."""
    return deciding_run(entry) if entry.runs else None


def turns(entry: ThreadEntry) -> tuple[TurnEntry, ...]:
    """Return the turns of the deciding run."""
    run = deciding(entry)
    return run.turns if run else ()


def turns_passed(entry: ThreadEntry) -> int:
    """Count the turns of the deciding run in which nothing spoke against the agent."""
    return sum(turn.outcome in _HELD for turn in turns(entry))


def score(entry: ThreadEntry) -> Fraction:
    """Tell the share of the turns that passed, in the deciding run."""
    return Fraction(turns_passed(entry), len(turns(entry)) or 1)


def runs_passed(entry: ThreadEntry) -> int:
    """Count the runs of a thread that passed."""
    return sum(run.outcome is Outcome.PASSED for run in entry.runs)


def seconds(entry: ThreadEntry) -> float:
    """Add up how long the agent took, over all runs."""
    return sum(turn.seconds for run in entry.runs for turn in run.turns)


def reasons(entry: ThreadEntry) -> list[str]:
    """Say turn by turn what kept the deciding run from passing."""
    run = deciding(entry)
    return [] if run is None else list(_reasons(run))


def _reasons(run: RunEntry) -> Iterator[str]:
    for turn in run.turns:
        said = [_verdict(given) for given in turn.verdicts if given.outcome not in _HELD]
        if turn.outcome in NOT_PASSED and not said:
            said = [turn.reason]
        yield from (printable(f"turn {turn.number}: {text}") for text in said)
    yield from (printable(_verdict(given)) for given in run.verdicts if given.outcome not in _HELD)
    if run.surplus:
        yield f"{count(len(run.surplus), 'recorded turn')} too many"


def _verdict(given: VerdictEntry) -> str:
    return f"{label(given.rule)}: {given.reason}"


def rule_scores(entry: ThreadEntry) -> dict[str, float]:
    """Tell the lowest score of each rule in the deciding run; of a rule that gives none, 1 or 0."""
    run, found = deciding(entry), dict[str, float]()
    given = [*(one for turn in turns(entry) for one in turn.verdicts), *(run.verdicts if run else ())]
    for verdict in given:
        if verdict.outcome is not Outcome.SKIPPED:
            own = float(verdict.outcome is Outcome.PASSED) if verdict.score is None else verdict.score
            found[verdict.rule] = min(found.get(verdict.rule, 1.0), own)
    return found


def explanation(entry: ThreadEntry) -> list[str]:
    """Explain why a thread did not pass, line by line."""
    run = deciding(entry)
    return lines_of(run.explanation) if run and run.explanation else []


def first_divergence(entry: ThreadEntry) -> list[str]:
    """Show the first turn, or the first breach, that kept a thread from passing: the first part of its explanation."""
    lines = explanation(entry)
    begin = lines.index("") + 1 if "" in lines else 0
    part = lines[begin:]
    return part[: part.index("")] if "" in part else part


def lines_of(text: str) -> list[str]:
    """Split a recorded text into lines of which each can be printed."""
    return [printable(line) for line in text.split("\n")]
