"""The rule on calls that need somebody's approval."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from trajectory.evaluations.setting_types import Pattern, Text, Texts  # noqa: TC001 - pydantic reads them
from trajectory.evaluations.verdicts import Verdict
from trajectory.patterns import matches
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall
    from trajectory.replay import ThreadReplay


class Approval(RuleSettings):
    """What can be set about `approval`."""

    tools: Texts
    """The tools, or patterns with *, whose calls need an approval."""
    approved_by: tuple[Text, ...] = ()
    """Tools, or patterns with *, whose call approves unless it failed."""
    result: Pattern | None = None
    """A regular expression that must be found in the result of such a call; without this, any result approves."""
    said: Pattern | None = None
    """A regular expression; a message of the user in which it is found approves."""
    covers: Literal["call", "thread"] = "call"
    """What one approval covers: the next call that needs one, or all that follow in the thread."""

    @model_validator(mode="after")
    def _somebody_can_approve(self) -> Approval:
        if not self.approved_by and self.said is None:
            raise PydanticCustomError("setting", "expected approved_by, said, or both to state who approves")
        if self.result is not None and not self.approved_by:
            raise PydanticCustomError("setting", "expected result to stand beside approved_by")
        return self


@rule("approval", Approval, whole_thread=True)
def judge_approval(replayed: ThreadReplay, settings: Approval) -> Verdict:
    """A call that needs an approval must have one, given earlier in the thread."""
    granted, needed, lines = 0, 0, []
    for turn in replayed.turns:
        if turn.actual is None:
            continue
        granted += settings.said is not None and matches(settings.said, turn.actual.query)
        for number, call in enumerate(turn.actual.trajectory, start=1):
            if _is_one_of(call.name, settings.tools):
                needed += 1
                if not granted:
                    lines.append(f"turn {turn.number}, call {number}: {call.name}")
                granted -= bool(granted) and settings.covers == "call"
            granted += _approves(call, settings)
    if lines:
        return Verdict.failed(f"{len(lines)} call{'s' * (len(lines) != 1)} without an approval before", *lines)
    return Verdict.passed() if needed else Verdict.skipped("no call needed an approval")


def _is_one_of(name: str, tools: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, tool) for tool in tools)


def _approves(call: ToolCall, settings: Approval) -> bool:
    """Tell whether a call approves; one whose result was not kept does so only where any result would."""
    if not _is_one_of(call.name, settings.approved_by) or (call.result is not None and call.result.error):
        return False
    if settings.result is None:
        return True
    return call.result is not None and matches(settings.result, call.result.content or "")
