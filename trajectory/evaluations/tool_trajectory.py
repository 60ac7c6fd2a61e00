"""The rule on tool trajectories: today's calls of each turn against the recorded ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import MalformedArguments
from trajectory.evaluations.verdicts import Outcome, ThreadResult, TurnResult
from trajectory.matching import match_trajectory

if TYPE_CHECKING:
    from trajectory.conversation import Trace
    from trajectory.replay import ThreadReplay, TurnReplay
    from trajectory.settings import Settings


def judge_tool_trajectory(replayed: ThreadReplay, settings: Settings) -> ThreadResult:
    """Compare the trajectories of a replayed thread, turn by turn.

    Args:
        replayed: The thread and what the agent did.
        settings: What is in force for this thread.

    Returns:
        A verdict on every turn that was played, and why there is none on the others.
    """
    return ThreadResult(
        thread_id=replayed.thread.id,
        turns=tuple(_judge_turn(turn, settings) for turn in replayed.turns),
        surplus=replayed.surplus,
        notes=replayed.notes,
    )


def _judge_turn(turn: TurnReplay, settings: Settings) -> TurnResult:
    if turn.failure is not None:
        failure = turn.failure
        return TurnResult(
            turn.number,
            turn.expected,
            Outcome.ERROR,
            reason=failure.text,
            details=failure.details,
            exception=failure.exception,
        )
    if turn.actual is None:
        return TurnResult(turn.number, turn.expected, None, reason="not run")
    if not turn.expected.states_expectation:
        return TurnResult(turn.number, turn.expected, Outcome.SKIPPED, reason="states no expectation")
    match = match_trajectory(
        turn.expected.trajectory,
        turn.actual.trajectory,
        settings.match_mode,
        settings.arguments,
        settings.repeats,
        ignore_tools=settings.ignore_tools,
    )
    notes = tuple(_notes(turn.expected, turn.actual))
    if match.undecided is not None:
        return TurnResult(turn.number, turn.expected, Outcome.ERROR, match, match.undecided, notes=notes)
    outcome = Outcome.PASSED if match.passed else Outcome.FAILED
    return TurnResult(turn.number, turn.expected, outcome, match, notes=notes)


def _notes(expected: Trace, actual: Trace) -> list[str]:
    """Say what is odd about the agent's turn, whatever the verdict (outcomes, section 7)."""
    calls, known = actual.trajectory, {tool.name for tool in actual.tools}
    notes = [
        f"call {number} has malformed arguments: {call.arguments.reason}"
        for number, call in enumerate(calls, start=1)
        if isinstance(call.arguments, MalformedArguments)
    ]
    unknown = dict.fromkeys(call.name for call in calls if known and call.name not in known)
    notes += [f"the agent's own tool list does not know {name!r}" for name in unknown]
    if expected.trajectory and not (actual.tool_calls or actual.iterations):
        notes.append(
            "the agent returned no tool calls; calls are seen only when it returns a Trace, messages, or tool_calls"
        )
    return notes
