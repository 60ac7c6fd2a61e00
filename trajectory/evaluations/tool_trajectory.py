"""The rule on tool trajectories: today's calls of a turn against the recorded ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import MalformedArguments
from trajectory.evaluations.verdicts import Outcome, Verdict
from trajectory.matching import match_trajectory
from trajectory.rules import TOOL_TRAJECTORY, rule

if TYPE_CHECKING:
    from trajectory.conversation import Trace
    from trajectory.settings import Settings


@rule(TOOL_TRAJECTORY, needs_recording=True)
def judge_trajectory(expected: Trace, actual: Trace, settings: Settings) -> Verdict:
    """The calls of a turn must be what the match mode asks for.

    Args:
        expected: The recorded turn.
        actual: The turn of today.
        settings: All that is in force: this rule follows the settings that stand beside the rules.

    Returns:
        The verdict; none can be given where a comparison needs arguments that were not recorded.
    """
    if not expected.states_expectation:
        return Verdict.skipped("states no expectation")
    match = match_trajectory(
        expected.trajectory,
        actual.trajectory,
        settings.match_mode,
        settings.arguments,
        settings.repeats,
        ignore_tools=settings.ignore_tools,
    )
    if match.undecided is not None:
        return Verdict(Outcome.ERROR, match.undecided, match=match)
    if match.passed:
        return Verdict(Outcome.PASSED, match=match)
    return Verdict(Outcome.FAILED, "the tool calls differ", match=match)


def trajectory_notes(expected: Trace, actual: Trace) -> tuple[str, ...]:
    """Say what is odd about the calls of a turn, whatever the verdict (outcomes, section 7).

    Args:
        expected: The recorded turn.
        actual: The turn of today.

    Returns:
        The notes.
    """
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
    return tuple(notes)
