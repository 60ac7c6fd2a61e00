"""What an evaluation ends in (outcomes, sections 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        exception: What the agent raised, if it did.
    """

    number: int
    expected: Trace
    outcome: Outcome | None
    match: TrajectoryMatch | None = None
    reason: str = ""
    details: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    exception: BaseException | None = None


@dataclass(frozen=True, slots=True)
class ThreadResult:
    """What came of one thread.

    Attributes:
        thread_id: The thread's id.
        turns: Every turn, in order.
        surplus: Turns that a recorded run holds beyond those of the thread.
        notes: What a reader should know beside the verdicts.
    """

    thread_id: str
    turns: tuple[TurnResult, ...]
    surplus: tuple[Trace, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """A thread passes when every one of its turns does; without a verdict on one there is none on the thread."""
        outcomes = {turn.outcome for turn in self.turns}
        if Outcome.ERROR in outcomes or None in outcomes:
            return Outcome.ERROR
        if Outcome.FAILED in outcomes or self.surplus:
            return Outcome.FAILED
        return Outcome.PASSED if Outcome.PASSED in outcomes else Outcome.SKIPPED

    @property
    def failing_turns(self) -> tuple[TurnResult, ...]:
        """The turns that did not pass."""
        return tuple(turn for turn in self.turns if turn.outcome not in {Outcome.PASSED, Outcome.SKIPPED})

    @property
    def nothing_to_check(self) -> bool:
        """Whether every verdict of this thread holds only because a side was empty."""
        matches = [turn.match for turn in self.turns if turn.match is not None]
        return bool(matches) and all(match.vacuous for match in matches)
