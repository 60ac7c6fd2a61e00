"""What changed between an accepted run and this one, thread by thread."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from trajectory.evaluations import Outcome
from trajectory.running import Label
from trajectory.runs.hashes import GATE_KEYS
from trajectory.statistics import at_most_by_chance, runs_to_tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajectory.runs.records import RunFile, ThreadEntry

LEVEL: Final = 0.05
"""A change in how often a thread passes counts when chance alone would bring it this seldom, or less (one-sided)."""

_VERDICTS: Final = frozenset({Outcome.PASSED, Outcome.FAILED})


class Change(StrEnum):
    """How a thread of this run stands to the same thread in the baseline."""

    NEWLY_FAILING = "newly failing"
    NEWLY_PASSING = "newly passing"
    STILL_FAILING = "still failing"
    STILL_PASSING = "still passing"
    FLAKY = "flaky"
    """It passes at times and fails at times, and what changed, if anything did, may be chance."""
    NO_VERDICT = "no verdict"
    """Today, or in the baseline, there is no verdict to compare."""
    NOT_COMPARABLE = "not comparable"
    """The thread, or the settings that its verdict rests on, changed."""
    NEW = "new"
    NOT_RUN = "not run"
    """The eval set still has the thread, and this run left it out."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ThreadChange:
    """How one thread stands to the baseline.

    Attributes:
        eval_set: The file of its eval set.
        id: The thread's id.
        change: What became of it.
        before: The thread in the baseline; ``None`` for a new one.
        now: The thread in this run; ``None`` for one that was not run.
        reason: The change in words, such as ``1 of 5 runs passed, were 5 of 5``.
        p_value: How likely chance alone brings such a change or a greater one, where runs were repeated.
        more_runs: How many further runs of this kind would tell, where that cannot be told yet and can be at all.
    """

    eval_set: str
    id: str
    change: Change
    before: ThreadEntry | None
    now: ThreadEntry | None
    reason: str = ""
    p_value: Fraction | None = None
    more_runs: int | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed since a baseline.

    Attributes:
        changes: Every thread of both runs once: those of this run in its order, then the others.
        problems: Why nothing can be said, or not all; then nothing may pass for the reason that nothing got worse.
    """

    changes: tuple[ThreadChange, ...]
    problems: tuple[str, ...] = ()

    def of(self, *kinds: Change) -> tuple[ThreadChange, ...]:
        """Pick the threads of which one of these is true."""
        return tuple(one for one in self.changes if one.change in kinds)

    @property
    def regressions(self) -> tuple[ThreadChange, ...]:
        """The threads that fail and did not."""
        return self.of(Change.NEWLY_FAILING)

    @property
    def counts(self) -> Counter[Change]:
        """How many threads changed in which way."""
        return Counter(one.change for one in self.changes)


def compare(run: RunFile, baseline: RunFile) -> Comparison:
    """Compare a run with an accepted one.

    Threads are known by their ids, which no two threads of a run share. Where a thread was run several times, a change
    counts when the pass counts are told apart by Fisher's exact test, or when it turned from never failing to never
    passing or back.

    Args:
        run: The run.
        baseline: What it is compared with.

    Returns:
        What changed.
    """
    before = {entry.id: entry for entry in baseline.threads}
    known = {name for eval_set in run.eval_sets for name in eval_set.thread_ids}
    changes = [_compare(before.get(entry.id), entry) for entry in run.threads]
    here = {entry.id for entry in run.threads}
    changes += [_left_out(entry, known) for entry in baseline.threads if entry.id not in here]
    return Comparison(tuple(changes), tuple(_problems(run, baseline, changes)))


def _left_out(before: ThreadEntry, known: set[str]) -> ThreadChange:
    change = Change.NOT_RUN if before.id in known else Change.REMOVED
    return ThreadChange(before.eval_set, before.id, change, before, None, f"was {before.outcome}")


def _problems(run: RunFile, baseline: RunFile, changes: list[ThreadChange]) -> list[str]:
    problems = []
    if baseline.halted or not baseline.complete:
        problems.append("the baseline is incomplete")
    nothing_said = {Change.NEW, Change.REMOVED, Change.NOT_RUN, Change.NOT_COMPARABLE}
    if run.threads and all(one.change in nothing_said for one in changes):
        other = (
            "" if {one.id for one in run.threads} & {one.id for one in baseline.threads} else ": it has other threads"
        )
        problems.append(f"no thread can be compared with the baseline{other}")
    return problems


def _compare(before: ThreadEntry | None, now: ThreadEntry) -> ThreadChange:
    if before is None:
        return _change(None, now, Change.NEW, f"is {now.outcome}")
    changed = [
        what
        for what, is_changed in (
            ("the thread", before.content_hash != now.content_hash),
            (f"its settings{_keys_that_differ(before, now)}", before.settings_hash != now.settings_hash),
            ("the share of its runs that must pass", _share(before) != _share(now)),
        )
        if is_changed
    ]
    if changed:
        return _change(before, now, Change.NOT_COMPARABLE, f"{' and '.join(changed)} changed")
    if not {before.outcome, now.outcome} <= _VERDICTS:
        return _change(before, now, Change.NO_VERDICT, f"is {now.outcome}, was {before.outcome}")
    if max(before.repetitions, now.repetitions) == 1:
        return _change(before, now, _turned(before.outcome, now.outcome))
    return _compare_counts(before, now)


def _keys_that_differ(before: ThreadEntry, now: ThreadEntry) -> str:
    keys = [key for key in now.settings if key in before.settings and key not in GATE_KEYS]
    changed = [key for key in keys if now.settings[key] != before.settings[key]]
    return f" ({', '.join(changed)})" if changed else ""


def _change(before: ThreadEntry | None, now: ThreadEntry, change: Change, reason: str = "") -> ThreadChange:
    return ThreadChange(now.eval_set, now.id, change, before, now, reason)


def _turned(before: Outcome, now: Outcome) -> Change:
    if now is Outcome.PASSED:
        return Change.STILL_PASSING if before is now else Change.NEWLY_PASSING
    return Change.STILL_FAILING if before is now else Change.NEWLY_FAILING


def _compare_counts(before: ThreadEntry, now: ThreadEntry) -> ThreadChange:
    """Tell apart what changed and what may be chance."""
    was, came = _counts(before), _counts(now)
    reason = f"{_told(came)} runs passed, {_told(was)} did"
    p_value = _p_value(was, came)
    turned = _turned(before.outcome, now.outcome)
    steady = Label.FLAKY not in {before.label, now.label}
    if steady or (p_value <= LEVEL and before.outcome is not now.outcome):
        return ThreadChange(now.eval_set, now.id, turned, before, now, reason, p_value)
    more = None
    if before.outcome is not now.outcome:
        more = runs_to_tell(was, came, LEVEL)
        reason += f": may be chance{'' if more is None else f', run {more} more'}"
    return ThreadChange(now.eval_set, now.id, Change.FLAKY, before, now, reason, p_value, more)


def _p_value(was: tuple[int, int], came: tuple[int, int]) -> Fraction:
    """How likely so great a change in the direction that was seen is by chance."""
    worse = came[0] * was[1] <= was[0] * came[1]
    return at_most_by_chance(came, was) if worse else at_most_by_chance(was, came)


def _counts(entry: ThreadEntry) -> tuple[int, int]:
    """Count the runs that passed, and those with a verdict."""
    counts: Mapping[Outcome, int] = Counter(run.outcome for run in entry.runs)
    return counts[Outcome.PASSED], counts[Outcome.PASSED] + counts[Outcome.FAILED]


def _share(entry: ThreadEntry) -> Fraction:
    return Fraction(entry.pass_runs, entry.repetitions)


def _told(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}"
