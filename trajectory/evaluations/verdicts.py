"""What an evaluation ends in (outcomes, sections 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from trajectory.matching import Overlap
from trajectory.rules import TOOL_TRAJECTORY, label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import Trace
    from trajectory.matching import TrajectoryMatch


class Outcome(StrEnum):
    """Four outcomes, never mixed."""

    PASSED = "passed"
    """Evaluated, and every rule held."""
    FAILED = "failed"
    """Evaluated, and a rule was breached: a verdict on the agent."""
    ERROR = "error"
    """Could not be evaluated: no verdict on the agent."""
    SKIPPED = "skipped"
    """There was nothing to evaluate."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule has to say about a turn or a thread.

    Attributes:
        outcome: What came of it.
        reason: What was breached, why there was nothing to evaluate, or why there is no verdict.
        evidence: What shows it, line by line.
        score: How far the rule held, from 0 to 1, where that says more than the outcome.
        match: The comparison of two trajectories on which the verdict rests.
    """

    outcome: Outcome
    reason: str = ""
    evidence: tuple[str, ...] = ()
    score: float | None = None
    match: TrajectoryMatch | None = None

    def __post_init__(self) -> None:
        if type(self.outcome) is not Outcome:
            object.__setattr__(self, "outcome", Outcome(self.outcome))  # a text that names one is one
        if self.score is not None and not 0 <= self.score <= 1:
            raise ValueError(f"the score {self.score!r} is not in [0, 1]")
        if self.outcome is not Outcome.PASSED and not self.reason:
            raise ValueError(f"a verdict that is {self.outcome} needs a reason")

    @classmethod
    def passed(cls, *evidence: str, score: float | None = None) -> Verdict:
        """The rule held."""
        if not evidence and score is None:
            return _HELD
        return cls(Outcome.PASSED, "", evidence, score)

    @classmethod
    def failed(cls, reason: str, *evidence: str, score: float | None = None) -> Verdict:
        """The rule was breached."""
        return cls(Outcome.FAILED, reason, evidence, score)

    @classmethod
    def skipped(cls, reason: str) -> Verdict:
        """There was nothing to evaluate."""
        return cls(Outcome.SKIPPED, reason)


_HELD: Final = Verdict(Outcome.PASSED)
"""What nearly every rule says of nearly every turn."""


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """A verdict and the rule that came to it.

    Attributes:
        rule: The name of the rule.
        verdict: The verdict.
        exception: What the rule raised, if it did.
    """

    rule: str
    verdict: Verdict
    exception: BaseException | None = None

    @property
    def held(self) -> bool:
        """Whether nothing speaks against the agent, and nothing against the verdict."""
        return self.verdict.outcome in {Outcome.PASSED, Outcome.SKIPPED}

    @property
    def score(self) -> float:
        """How far the rule held: the verdict's own score, or else all or nothing."""
        return float(self.held) if self.verdict.score is None else self.verdict.score

    def __str__(self) -> str:
        return f"{label(self.rule)}: {self.verdict.reason or self.verdict.outcome}"


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule comes to over a whole thread.

    Attributes:
        rule: The name of the rule.
        outcome: What came of it.
        score: The lowest of its scores; those of skipped verdicts do not count.
        verdicts: Its verdicts: one for each turn, or one for the thread.
    """

    rule: str
    outcome: Outcome
    score: float
    verdicts: tuple[RuleVerdict, ...]

    @classmethod
    def of(cls, rule: str, verdicts: Iterable[RuleVerdict]) -> RuleResult:
        """Sum up the verdicts of a rule."""
        own = tuple(given for given in verdicts if given.rule == rule)
        judged = [given.score for given in own if given.verdict.outcome is not Outcome.SKIPPED]
        return cls(rule, combine(given.verdict.outcome for given in own), min(judged, default=0.0), own)


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What came of one turn.

    Attributes:
        number: Which turn of the thread this is, from 1.
        expected: The turn as recorded in the eval set.
        outcome: What came of it; ``None`` for a turn that was not run because an earlier one ended in an error.
        match: The comparison of the two trajectories, where it could be made.
        reason: Why there is no verdict; empty when there is one.
        details: More on the reason, line by line.
        notes: What a reader should know beside the verdict.
        exception: What the agent or a rule raised, if one did.
        verdicts: What each rule has to say about the turn; nothing when it was not played.
        calls: How many tool calls the agent made, those of ignored tools left out where trajectories were compared.
        actual: The turn of today; ``None`` when there is none.
        seconds: How long the agent took.
    """

    number: int
    expected: Trace
    outcome: Outcome | None
    match: TrajectoryMatch | None = None
    reason: str = ""
    details: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    exception: BaseException | None = None
    verdicts: tuple[RuleVerdict, ...] = ()
    calls: int = 0
    actual: Trace | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ThreadResult:
    """What came of one thread.

    Attributes:
        thread_id: The thread's id.
        turns: Every turn, in order.
        surplus: Turns that a recorded run holds beyond those of the thread.
        notes: What a reader should know beside the verdicts.
        verdicts: What the rules that look at the whole thread have to say about it.
        rules: The names of the rules that were in force.
        session_id: The id of the session that the thread was replayed into.
    """

    thread_id: str
    turns: tuple[TurnResult, ...]
    surplus: tuple[Trace, ...] = ()
    notes: tuple[str, ...] = ()
    verdicts: tuple[RuleVerdict, ...] = ()
    rules: tuple[str, ...] = (TOOL_TRAJECTORY,)
    session_id: str = ""

    @property
    def outcome(self) -> Outcome:
        """A thread passes when every one of its turns does; without a verdict on one there is none on the thread."""
        outcomes = [turn.outcome or Outcome.ERROR for turn in self.turns]
        surplus = [Outcome.FAILED] if self.surplus else []
        return combine([*outcomes, *surplus, *(given.verdict.outcome for given in self.verdicts)])

    @property
    def failing_turns(self) -> tuple[TurnResult, ...]:
        """The turns that did not pass."""
        return tuple(turn for turn in self.turns if turn.outcome not in {Outcome.PASSED, Outcome.SKIPPED})

    @property
    def all_verdicts(self) -> tuple[RuleVerdict, ...]:
        """Every verdict: those on the turns, in order, and those on the whole thread."""
        return (*(given for turn in self.turns for given in turn.verdicts), *self.verdicts)

    @property
    def by_rule(self) -> tuple[RuleResult, ...]:
        """What each rule in force comes to."""
        return tuple(RuleResult.of(rule, self.all_verdicts) for rule in self.rules)

    @property
    def overlap(self) -> Overlap | None:
        """How much of the expected and the actual calls of all turns is the same.

        ``None`` where the tool trajectory was not judged, where nothing states an expectation, and where there is no
        verdict. A turn that only the recording has counts with its calls: nobody expected them.
        """
        matches = [turn.match for turn in self.turns if turn.match is not None]
        if self.outcome is Outcome.ERROR or not (matches or self.surplus) or TOOL_TRAJECTORY not in self.rules:
            return None
        surplus = Overlap(actual=sum(len(trace.trajectory) for trace in self.surplus))
        return Overlap.total([*(match.overlap for match in matches), surplus])

    @property
    def exception(self) -> BaseException | None:
        """What kept this thread from a verdict, if it was raised by somebody."""
        raised = [turn.exception for turn in self.turns] + [given.exception for given in self.verdicts]
        return next(filter(None, raised), None)

    @property
    def nothing_to_check(self) -> bool:
        """Whether every verdict of this thread holds only because a side was empty."""
        matches = [turn.match for turn in self.turns if turn.match is not None]
        others = [given for given in self.all_verdicts if given.verdict.match is None]
        judged = any(given.verdict.outcome is not Outcome.SKIPPED for given in others)
        return bool(matches) and not judged and all(match.vacuous for match in matches)


def combine(outcomes: Iterable[Outcome]) -> Outcome:
    """Make one outcome of several: without a verdict on one there is none on the whole; else the worst one counts."""
    found = set(outcomes)
    worst_first = (Outcome.ERROR, Outcome.FAILED, Outcome.PASSED)
    return next((outcome for outcome in worst_first if outcome in found), Outcome.SKIPPED)
