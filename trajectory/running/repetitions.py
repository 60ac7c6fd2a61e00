"""What the runs of one thread come to together (outcomes, section 4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from trajectory.evaluations import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajectory.evaluations import ThreadResult
    from trajectory.matching import Overlap


class Label(StrEnum):
    """How steady a thread is."""

    STABLE_PASS = "stable pass"  # noqa: S105 - no password
    FLAKY = "flaky"
    STABLE_FAIL = "stable fail"
    ERROR = "error"
    SKIPPED = "skipped"

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Label:
        """Label the outcomes of a thread's runs. One pass and one failure make it flaky, whatever else there was."""
        found = set(outcomes)
        if {Outcome.PASSED, Outcome.FAILED} <= found:
            return cls.FLAKY
        if Outcome.ERROR in found:
            return cls.ERROR
        if Outcome.FAILED in found:
            return cls.STABLE_FAIL
        return cls.STABLE_PASS if Outcome.PASSED in found else cls.SKIPPED


def mean_f1(overlaps: Sequence[Overlap | None], outcome: Outcome, repetitions: int) -> Fraction | None:
    """Average the F1 of tool calls over the runs of a thread; a run that has none, or was not made, counts as 0.

    Args:
        overlaps: What the calls of each run have in common with the expected ones, where they were compared.
        outcome: What came of the thread.
        repetitions: How many runs were asked for.

    Returns:
        The mean; ``None`` for a thread with a verdict of which no run compared any calls.
    """
    if outcome is not Outcome.ERROR and not any(overlaps):
        return None
    return sum((overlap.f1 for overlap in overlaps if overlap), Fraction()) / repetitions


@dataclass(frozen=True, slots=True)
class ThreadRuns:
    """The runs of one thread, each in a session of its own.

    Attributes:
        runs: What came of each, in the order in which they were made.
        pass_runs: How many of them must pass.
        repetitions: How many runs were asked for; fewer were made when the run was halted.
    """

    runs: tuple[ThreadResult, ...]
    pass_runs: int = 1
    repetitions: int = 1

    @property
    def thread_id(self) -> str:
        """The thread's id."""
        return self.runs[0].thread_id

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What came of each run."""
        return tuple(run.outcome for run in self.runs)

    @property
    def counts(self) -> Counter[Outcome]:
        """How many runs came to each outcome."""
        return Counter(self.outcomes)

    @property
    def outcome(self) -> Outcome:
        """What came of the thread.

        It passes when enough runs pass. It fails when too few do whatever the runs without a verdict might have been;
        until then there is no verdict on it. Nothing to evaluate is the same in every run.
        """
        counts = self.counts
        if counts[Outcome.PASSED] >= self.pass_runs:
            return Outcome.PASSED
        if counts[Outcome.SKIPPED] == len(self.runs):
            return Outcome.SKIPPED
        not_known = counts[Outcome.ERROR] + self.repetitions - len(self.runs)
        return Outcome.ERROR if counts[Outcome.PASSED] + not_known >= self.pass_runs else Outcome.FAILED

    @property
    def f1(self) -> Fraction | None:
        """The mean F1 of the tool calls over the runs; ``None`` where no run has one.

        A run without a verdict, and one that the run was halted before, counts as 0.
        """
        return mean_f1([run.overlap for run in self.runs], self.outcome, self.repetitions)

    @property
    def label(self) -> Label:
        """How steady the thread is."""
        return Label.of(self.outcomes)

    @property
    def deciding(self) -> ThreadResult:
        """The run that shows best what the thread came to: the first one with its outcome."""
        found = next((run for run in self.runs if run.outcome is self.outcome), self.runs[0])
        if self.repetitions == 1:
            return found
        number = self.runs.index(found) + 1
        return replace(found, notes=(*found.notes, f"this is run {number}: {self.summary}"))

    @property
    def summary(self) -> str:
        """Say in a few words how the runs ended, such as ``2 of 3 runs passed, 3 must: flaky``."""
        passed, errors = self.counts[Outcome.PASSED], self.counts[Outcome.ERROR]
        no_verdict = f", {errors} without a verdict" if errors else ""
        missing = self.repetitions - len(self.runs)
        not_made = f", {missing} not made" if missing else ""
        return f"{passed} of {self.repetitions} runs passed{no_verdict}{not_made}, {self.pass_runs} must: {self.label}"
