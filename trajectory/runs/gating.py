"""Decide about a run once more, from its records alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.evaluations import Outcome
from trajectory.gate import ThreadScore, decide
from trajectory.rules import TOOL_TRAJECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajectory.gate import Gate, GateVerdict
    from trajectory.runs.records import RunEntry, RunFile, ThreadEntry

_HELD: Final = frozenset({Outcome.PASSED, Outcome.SKIPPED})


def deciding_run(entry: ThreadEntry) -> RunEntry:
    """Return the run that shows best what a thread came to: the first one with its outcome."""
    return next((run for run in entry.runs if run.outcome is entry.outcome), entry.runs[0])


def thread_score(entry: ThreadEntry) -> ThreadScore:
    """Give what a gate looks at of a thread."""
    run = deciding_run(entry)
    failing = sum(turn.outcome not in _HELD for turn in run.turns)
    failing = max(failing, int(entry.outcome in {Outcome.FAILED, Outcome.ERROR}))
    return ThreadScore(
        thread_id=entry.id,
        outcome=entry.outcome,
        turns=max(len(run.turns), failing),
        failing_turns=failing,
        must_pass=entry.must_pass,
        nothing_to_check=_nothing_to_check(run),
        runs=tuple(one.outcome for one in entry.runs),
        repetitions=entry.repetitions,
        f1=entry.f1,
    )


def _nothing_to_check(run: RunEntry) -> bool:
    """Tell whether every verdict of a run holds only because a side was empty."""
    matches = [turn.match for turn in run.turns if turn.match is not None]
    given = [*(verdict for turn in run.turns for verdict in turn.verdicts), *run.verdicts]
    others = [verdict for verdict in given if verdict.rule != TOOL_TRAJECTORY]
    judged = any(verdict.outcome is not Outcome.SKIPPED for verdict in others)
    return bool(matches) and not judged and all(match.vacuous for match in matches)


def decide_run(
    run: RunFile, gate: Gate, *, threads: Sequence[ThreadEntry] | None = None, breaches: Iterable[str] = ()
) -> GateVerdict:
    """Decide whether a run reaches what is asked of it.

    Args:
        run: The run.
        gate: What it must reach.
        threads: Those of its threads that are gated; without these, all of them.
        breaches: What else, found by the caller, keeps it from passing.

    Returns:
        The verdict. A run that was halted, cut short, or had a breach of its own never passes.
    """
    gated = run.threads if threads is None else threads
    missing = max(0, run.selected - len(run.threads))
    own = [run.halted] if run.halted else []
    if not (run.complete or run.halted or missing):
        own.append("the run is not complete")
    return decide(
        gate,
        [thread_score(entry) for entry in gated],
        selected=len(gated) + missing,
        breaches=[*own, *run.breaches, *breaches],
    )
