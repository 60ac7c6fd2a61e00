"""The gate across threads: outcomes of threads turned into pass or fail (outcomes, section 3)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from trajectory.evaluations.verdicts import Outcome
from trajectory.json_values import printable, shorten
from trajectory.statistics import mean, pass_all, pass_at, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class ThreadScore:
    """What the gate looks at of one thread.

    Attributes:
        thread_id: The thread's id.
        outcome: What came of it.
        turns: How many turns it has.
        failing_turns: How many of them did not pass.
        must_pass: It must pass whatever the rate.
        nothing_to_check: Its verdicts hold only because a side was empty.
        earlier: What came of it in earlier tries of a rerun plugin, in order.
        runs: What came of each of its runs.
        repetitions: How many of them were asked for.
        f1: The F1 of its tool calls; ``None`` where there is nothing to take it over.
    """

    thread_id: str
    outcome: Outcome
    turns: int = 1
    failing_turns: int = 0
    must_pass: bool = False
    nothing_to_check: bool = False
    earlier: tuple[Outcome, ...] = ()
    runs: tuple[Outcome, ...] = ()
    repetitions: int = 1
    f1: Fraction | None = None

    @property
    def score(self) -> float:
        """The share of turns that passed, to order threads by."""
        return 1 - self.failing_turns / self.turns if self.turns else 0.0


@dataclass(frozen=True, slots=True)
class Gate:
    """What a run must reach.

    Attributes:
        min_pass_rate: The share of threads that must pass, an exact decimal fraction.
        max_errors: How many threads may end without a verdict.
        min_macro_f1: What the F1 of tool calls must be on average, an exact decimal fraction; ``None`` for any.
        regressions_only: Threads may fail that failed before: how many pass, and how well the calls agree, is not asked.
            The caller says what got worse.
    """

    min_pass_rate: Decimal = Decimal(1)
    max_errors: int = 0
    min_macro_f1: Decimal | None = None
    regressions_only: bool = False

    def required(self, evaluated: int) -> int:
        """How many of so many threads must pass."""
        return math.ceil(Fraction(self.min_pass_rate) * evaluated)


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether a run passes, and why.

    Attributes:
        gate: What was asked.
        scores: The threads, in the order of the eval set.
        reasons: Why the gate failed; empty when it passed.
        warnings: What makes the verdict mean less than it seems to.
    """

    gate: Gate
    scores: tuple[ThreadScore, ...]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def counts(self) -> Counter[Outcome]:
        """How many threads came to each outcome."""
        return Counter(score.outcome for score in self.scores)

    @property
    def passed(self) -> bool:
        """Whether the gate passed."""
        return not self.reasons

    @property
    def evaluated(self) -> int:
        """How many threads the rate is taken over: all but the skipped ones."""
        return len(self.scores) - self.counts[Outcome.SKIPPED]

    @property
    def not_passed(self) -> tuple[ThreadScore, ...]:
        """The threads that failed or had no verdict, worst first."""
        bad = [score for score in self.scores if score.outcome in {Outcome.FAILED, Outcome.ERROR}]
        return tuple(sorted(bad, key=lambda score: score.score))

    @property
    def repetitions(self) -> int:
        """How often every thread was to be run at least; a skipped one does not count."""
        return min((score.repetitions for score in self.scores if score.outcome is not Outcome.SKIPPED), default=1)

    def pass_at(self, k: int) -> Fraction | None:
        """Estimate how likely at least one of k runs of a thread passes; ``None`` where a thread has too few verdicts."""
        return self._mean_of(pass_at, k)

    def pass_all(self, k: int) -> Fraction | None:
        """Estimate how likely all of k runs of a thread pass; ``None`` where a thread has too few verdicts."""
        return self._mean_of(pass_all, k)

    def _mean_of(self, estimate: Callable[[int, int, int], Fraction | None], k: int) -> Fraction | None:
        counts = [Counter(score.runs) for score in self.scores if score.outcome is not Outcome.SKIPPED]
        return mean([estimate(k, c[Outcome.PASSED], c[Outcome.PASSED] + c[Outcome.FAILED]) for c in counts])

    @property
    def macro_f1(self) -> Fraction | None:
        """The mean F1 of tool calls over the threads that have one; every thread weighs the same."""
        return mean([score.f1 for score in self.scores if score.f1 is not None])

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the pass rate across threads (Wilson)."""
        return wilson(self.counts[Outcome.PASSED], self.evaluated)

    @property
    def tolerated(self) -> tuple[ThreadScore, ...]:
        """The threads that did not pass, where the gate passed all the same."""
        return self.not_passed if self.passed else ()


def decide(gate: Gate, scores: Sequence[ThreadScore], *, selected: int, breaches: Sequence[str] = ()) -> GateVerdict:
    """Decide whether a run passes.

    Args:
        gate: What the run must reach.
        scores: The threads that came to an end, in the order of the eval set.
        selected: How many threads were to be run.
        breaches: What else, found by the caller, keeps the run from passing.

    Returns:
        The verdict, with every reason against the run.
    """
    counts = Counter(score.outcome for score in scores)
    evaluated = len(scores) - counts[Outcome.SKIPPED]
    reasons = [
        *_rate_reasons(gate, counts, evaluated),
        *_f1_reasons(gate, scores),
        *_must_pass_reasons(scores),
        *_completeness_reasons(len(scores), selected),
        *breaches,
    ]
    return GateVerdict(gate, tuple(scores), tuple(reasons), tuple(_warnings(gate, scores, evaluated)))


def _rate_reasons(gate: Gate, counts: Counter[Outcome], evaluated: int) -> list[str]:
    if not evaluated:
        return ["nothing was evaluated"]
    reasons = []
    required, passed, errors = gate.required(evaluated), counts[Outcome.PASSED], counts[Outcome.ERROR]
    if passed < required and not gate.regressions_only:
        reasons.append(f"{passed} of {evaluated} threads passed, {required} must")
    if errors > gate.max_errors:
        reasons.append(
            f"{errors} thread{'s' * (errors != 1)} could not be evaluated, at most {gate.max_errors} allowed"
        )
    if not reasons and errors == evaluated:  # a dead agent passes nothing, whatever is tolerated
        reasons.append("nothing was evaluated: no thread came to a verdict")
    return reasons


def _f1_reasons(gate: Gate, scores: Sequence[ThreadScore]) -> list[str]:
    if gate.min_macro_f1 is None or gate.regressions_only:
        return []
    found = mean([score.f1 for score in scores if score.f1 is not None])
    if found is None:
        return ["no tool calls were compared, so there is no macro-F1"]
    if found >= Fraction(gate.min_macro_f1):
        return []
    shown = math.floor(found * 10_000) / 10_000  # rounded down, so that it never looks like what it does not reach
    return [f"the macro-F1 of the tool calls is {shown:.4f}, {gate.min_macro_f1.normalize():f} is required"]


def _must_pass_reasons(scores: Sequence[ThreadScore]) -> list[str]:
    return [
        f"thread {shorten(score.thread_id)!r} must pass, and its outcome is {score.outcome}"
        for score in scores
        if score.must_pass and score.outcome is not Outcome.PASSED
    ]


def _completeness_reasons(finished: int, selected: int) -> list[str]:
    return [] if finished >= selected else [f"the run was cut short: {finished} of {selected} threads came to an end"]


def _warnings(gate: Gate, scores: Sequence[ThreadScore], evaluated: int) -> list[str]:
    warnings = [] if gate.regressions_only else _rate_warnings(gate, evaluated)
    empty = [score.thread_id for score in scores if score.nothing_to_check]
    if empty:
        warnings.append(f"nothing to check in {_names(empty)}: no call could have broken the match mode")
    tries = [(score.thread_id, (*score.earlier, score.outcome)) for score in scores]
    warnings += [
        f"{shorten(printable(name))} is flaky: {', then '.join(came)}" for name, came in tries if len(set(came)) > 1
    ]
    return warnings


def _rate_warnings(gate: Gate, evaluated: int) -> list[str]:
    if gate.min_pass_rate == 0:
        return ["the gate is off: a pass rate of 0 lets every thread fail"]
    if gate.min_pass_rate < 1 and evaluated and gate.required(evaluated) == evaluated:
        threads = f"{evaluated} thread{'s' * (evaluated != 1)}"
        return [f"a pass rate of {gate.min_pass_rate} over {threads} means all of them"]
    return []


def _names(identities: Sequence[str], most: int = 5) -> str:
    left = len(identities) - most
    return ", ".join(shorten(printable(identity)) for identity in identities[:most]) + (
        f" and {left} more" if left > 0 else ""
    )
