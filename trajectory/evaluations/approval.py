"""The rule on calls that need somebody's approval."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from trajectory.errors import EvaluationError
from trajectory.evaluations.setting_types import Pattern, Text, Texts  # noqa: TC001 - pydantic reads them
from trajectory.evaluations.verdicts import Verdict
from trajectory.patterns import matches
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall, Trace
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
    asked: Pattern | None = None
    """A regular expression that must be found in the agent's answer just before such a message."""
    covers: Literal["call", "thread"] = "call"
    """What one approval covers: the next call that needs one, or all that follow in the thread."""

    @model_validator(mode="after")
    def _somebody_can_approve(self) -> Approval:
        if not self.approved_by and self.said is None:
            raise PydanticCustomError("setting", "expected approved_by, said, or both to state who approves")
        if self.result is not None and not self.approved_by:
            raise PydanticCustomError("setting", "expected result to stand beside approved_by")
        if self.asked is not None and self.said is None:
            raise PydanticCustomError("setting", "expected asked to stand beside said")
        return self


@dataclass(slots=True)
class _Granted:
    """The approvals that are left: those that are known, and calls of which nobody knows whether they approve."""

    covers: str
    known: int = 0
    unknown: int = 0

    def add(self, approves: bool | None) -> None:  # noqa: FBT001 - None is not known
        self.known += approves is True
        self.unknown += approves is None

    def take(self) -> bool | None:
        """Use up an approval for a call, if there is one."""
        if self.known:
            self.known -= self.covers == "call"
            return True
        if self.unknown:
            self.unknown -= self.covers == "call"
            return None
        return False


@rule("approval", Approval, whole_thread=True)
def judge_approval(replayed: ThreadReplay, settings: Approval) -> Verdict:
    """A call that needs an approval must have one, given earlier in the thread."""
    granted, before = _Granted(settings.covers), None
    came: dict[str, bool | None] = {}
    for turn in replayed.turns:
        if turn.actual is None:
            continue
        granted.add(_says_yes(before, turn.actual, settings))
        for number, call in enumerate(turn.actual.trajectory, start=1):
            if _is_one_of(call.name, settings.tools):
                came[f"turn {turn.number}, call {number}: {call.name}"] = granted.take()
            granted.add(_approves(call, settings))
        before = turn.actual
    lines = [place for place, approved in came.items() if approved is False]
    if lines:
        return Verdict.failed(f"{len(lines)} call{'s' * (len(lines) != 1)} without an approval before", *lines)
    unknown = [place for place, approved in came.items() if approved is None]
    if unknown:
        raise EvaluationError(f"the results that would approve were not recorded: {'; '.join(unknown)}")
    return Verdict.passed() if came else Verdict.skipped("no call needed an approval")


def _is_one_of(name: str, tools: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, tool) for tool in tools)


def _says_yes(before: Trace | None, turn: Trace, settings: Approval) -> bool:
    if settings.said is None or not matches(settings.said, turn.query):
        return False
    return settings.asked is None or (before is not None and matches(settings.asked, before.response or ""))


def _approves(call: ToolCall, settings: Approval) -> bool | None:
    """Tell whether a call approves; where its result must say so and was not kept, nobody knows."""
    if not _is_one_of(call.name, settings.approved_by):
        return False
    if call.result is None:
        return None if settings.result is not None else True
    if call.result.error:
        return False
    return settings.result is None or matches(settings.result, call.result.content or "")
