"""What the script of the page reads: the run file without what it repeats, in JSON that JavaScript shows unchanged."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from trajectory.evaluations import Outcome
from trajectory.report.facts import deciding, runs_passed, score
from trajectory.report.html.escaping import exact
from trajectory.running import Label

if TYPE_CHECKING:
    from trajectory.runs import RunFile, ThreadEntry
    from trajectory.runs.comparison import Comparison, ThreadChange

_LEFT_OUT: Final[dict[str, Any]] = {
    "content_hash": True,
    "settings_hash": True,
    "settings": True,
    "runs": {"__all__": {"explanation": True}},
}
"""Of no use to a reader, or said on the page in another way."""


def page_data(run: RunFile, comparison: Comparison | None) -> dict[str, Any]:
    """Gather what the page shows of threads.

    Args:
        run: The run.
        comparison: What changed since a baseline.

    Returns:
        The threads in their order, and the settings that they point to; what is empty or null is left out.
    """
    changes = {one.id: one for one in comparison.changes} if comparison else {}
    newly = {one.id for one in comparison.regressions} if comparison else set()
    ranked = sorted(run.threads, key=lambda entry: (entry.id not in newly, *_severity(entry)))
    ranks = {id(entry): rank for rank, entry in enumerate(ranked)}
    settings: dict[str, int] = {}
    threads = [
        {
            **_thread(entry),
            "shown": _shown(entry),
            "rank": ranks[id(entry)],
            "score": float(score(entry)),
            "f1": None if (f1 := entry.f1) is None else float(f1),
            "settings": settings.setdefault(json.dumps(exact(entry.settings)), len(settings)),
            **_change(changes.get(entry.id)),
        }
        for entry in run.threads
    ]
    return {"threads": threads, "settings": [json.loads(text) for text in settings]}


def _shown(entry: ThreadEntry) -> int:
    """Tell which run shows best what a thread came to."""
    return next((place for place, run in enumerate(entry.runs) if run is deciding(entry)), 0)


def _severity(entry: ThreadEntry) -> tuple[int, Fraction, Fraction]:
    """Order threads by how much they ask for a reader: failures and errors first, the worst on top."""
    group = {Outcome.FAILED: 0, Outcome.ERROR: 0, Outcome.SKIPPED: 2, Outcome.PASSED: 3}[entry.outcome]
    if entry.outcome is Outcome.PASSED and entry.label is Label.FLAKY:
        group = 1
    return group, score(entry), Fraction(runs_passed(entry), max(entry.repetitions, 1))


def _change(change: ThreadChange | None) -> dict[str, Any]:
    return {} if change is None else {"change": str(change.change), "change_reason": change.reason}


def _thread(entry: ThreadEntry) -> dict[str, Any]:
    document = entry.model_dump(exclude_defaults=True, exclude=_LEFT_OUT)
    first: dict[int, Any] = {}
    for run in document.get("runs", ()):
        for number, turn in enumerate(run.get("turns", ())):
            _turn(turn)
            if first.setdefault(number, turn["expected"]) is not turn["expected"] and first[number] == turn["expected"]:
                del turn["expected"]  # as in the first run
    return document


def _turn(turn: dict[str, Any]) -> None:
    """Let the compared calls point to those of the turn, and keep every argument exact."""
    match = turn.get("match", {})
    for side in ("expected", "actual"):
        calls = [_call(call) for call in (turn.get(side) or {}).get("calls", ())]
        compared = [_call(call) for call in match.get(side, ())]
        if calls:
            turn[side]["calls"] = calls
        if compared:
            match[side] = _places(compared, calls)
    for step in match.get("steps", ()):
        step["differences"] = [_difference(one) for one in step.get("differences", ())]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    return {**call, "arguments": exact(call.get("arguments"))}


def _difference(difference: dict[str, Any]) -> dict[str, Any]:
    return {key: exact(value) if key in {"expected", "actual"} else value for key, value in difference.items()}


def _places(compared: list[Any], calls: list[Any]) -> list[Any]:
    """Name each compared call by its place among the calls of the turn; one that is not there stands for itself."""
    places: list[Any] = []
    begin = 0
    for call in compared:
        place = next((place for place in range(begin, len(calls)) if calls[place] == call), None)
        places.append(call if place is None else place)
        begin = begin if place is None else place + 1
    return places
