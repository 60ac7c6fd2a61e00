"""The rule on the state in which a session ends."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from trajectory.conversation import ToolCall
from trajectory.errors import EvaluationError
from trajectory.evaluations.verdicts import Verdict
from trajectory.matching import ABSENT, match_trajectory
from trajectory.matching.values import brief
from trajectory.rules import RuleSettings, rule
from trajectory.settings import ArgumentPolicy, IgnorePath

if TYPE_CHECKING:
    from trajectory.matching import Difference
    from trajectory.replay import ThreadReplay

_WIDTH = 60


class FinalState(RuleSettings):
    """What can be set about `final_state`."""

    match: Literal["contains", "exact"] = "contains"
    """Whether the state may hold more than what is expected, at any depth, or must equal it."""
    ignore_paths: tuple[IgnorePath, ...] = ()
    """JSON Pointers to what is not compared; * stands for any key or index."""


@rule("final_state", FinalState, whole_thread=True, needs_recording=True)
def judge_final_state(replayed: ThreadReplay, settings: FinalState) -> Verdict:
    """The state of the session must hold what the thread expects of it in the end."""
    expected = replayed.thread.expected_final_state
    if expected is None:
        return Verdict.skipped("the thread states no expected_final_state")
    if replayed.final_state is None:
        why = replayed.state_failure.text if replayed.state_failure else "the session reports no state"
        raise EvaluationError(f"the final state is not known: {why}")
    if not expected and settings.match == "contains":
        return Verdict.skipped("the expected_final_state is empty, and every state contains that")
    policy = _policy(settings.match, settings.ignore_paths)
    stated, reached = (ToolCall(name="state", arguments=value) for value in (expected, replayed.final_state))
    match = match_trajectory([stated], [reached], arguments=policy)
    if match.passed:
        return Verdict.passed()
    lines = [_line(difference) for step in match.steps for difference in step.differences]
    return Verdict.failed("the final state differs, expected -> got", *lines)


@lru_cache(maxsize=16)
def _policy(match: str, ignore_paths: tuple[str, ...]) -> ArgumentPolicy:
    return ArgumentPolicy(policy="superset" if match == "contains" else "exact", ignore_paths=ignore_paths)


def _line(difference: Difference) -> str:
    sides = (
        "(nothing)" if side is ABSENT else brief(side, _WIDTH) for side in (difference.expected, difference.actual)
    )
    hint = f"  ({difference.hint})" if difference.hint else ""
    return f"{difference.pointer or '/'}  {' -> '.join(sides)}{hint}"
