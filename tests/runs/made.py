"""Run files made by hand."""

from __future__ import annotations

from typing import Any

from trajectory.evaluations import Outcome
from trajectory.running import Label
from trajectory.runs import EvalSetEntry, RunEntry, RunFile, ThreadEntry

LETTERS = {"p": Outcome.PASSED, "f": Outcome.FAILED, "e": Outcome.ERROR, "s": Outcome.SKIPPED}


def made_thread(name: str, runs: str = "p", *, pass_runs: int | None = None, **facts: Any) -> ThreadEntry:
    """A thread whose runs came to ``p`` (passed), ``f`` (failed), ``e`` (error) or ``s`` (skipped)."""
    outcomes = [LETTERS[letter] for letter in runs]
    must = pass_runs or len(outcomes)
    passed, errors = outcomes.count(Outcome.PASSED), outcomes.count(Outcome.ERROR)
    outcome = Outcome.PASSED if passed >= must else Outcome.ERROR if passed + errors >= must else Outcome.FAILED
    if set(runs) == {"s"}:
        outcome = Outcome.SKIPPED
    stated = {
        "eval_set": "x.evalset.json",
        "content_hash": "c",
        "settings_hash": "s",
        "outcome": outcome,
        "label": Label.of(outcomes),
        "pass_runs": must,
        "repetitions": len(outcomes),
        "headline": f"{name} came to {outcome}",
        "runs": tuple(RunEntry(outcome=one, explanation=f"why {name} is {one}") for one in outcomes),
    }
    return ThreadEntry(id=name, **{**stated, **facts})


def made_run(*threads: ThreadEntry, also: tuple[str, ...] = (), **facts: Any) -> RunFile:
    """A run of one eval set that holds these threads, and others that were not selected."""
    eval_set = EvalSetEntry(
        path="x.evalset.json",
        id="x",
        threads=len(threads),
        thread_ids=(*(thread.id for thread in threads), *also),
    )
    stated = {
        "started": "2026-12-01T00:00:00Z",
        "ended": "2026-12-01T00:00:01Z",
        "agent": "agent m:a",
        "eval_sets": (eval_set,),
        "selected": len(threads),
        "complete": True,
        "threads": threads,
    }
    return RunFile(**{**stated, **facts})
