"""Rules on which tools are called, how often and in which order."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads it
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from trajectory.evaluations.setting_types import Count, Text, Texts, refuse_min_above_max
from trajectory.evaluations.verdicts import Verdict
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import Trace
    from trajectory.replay import ThreadReplay


class ForbiddenTools(RuleSettings):
    """What can be set about `forbidden_tools`."""

    tools: Texts
    """The names of the tools, or patterns with *."""


class RequiredTools(RuleSettings):
    """What can be set about `required_tools`."""

    tools: Texts
    """The names of the tools, or patterns with *."""


class Bounds(RuleSettings):
    """How many calls there may be."""

    min: Count = 0
    """The fewest calls."""
    max: Count | None = None
    """The most calls; without this, any number."""

    @model_validator(mode="after")
    def _mean_something(self) -> Bounds:
        refuse_min_above_max(self.min, self.max)
        if self.max is None and not self.min:
            raise PydanticCustomError("setting", "expected a min above 0, a max, or both")
        return self

    def __str__(self) -> str:
        if self.max is None:
            return f"at least {self.min}"
        return f"{self.min} to {self.max}" if self.min else f"at most {self.max}"


class CallCounts(RuleSettings):
    """What can be set about `call_counts`."""

    tools: Annotated[Mapping[Text, Bounds], Field(min_length=1)]
    """For each tool, or pattern with *, the fewest (min) and the most (max) calls."""


class ToolOrder(RuleSettings):
    """What can be set about `tool_order`."""

    before: tuple[tuple[Text, Text], ...] = ()
    """Pairs of tools, or patterns with *: each call of the second needs an earlier call of the first."""
    last: tuple[Text, ...] = ()
    """Tools, or patterns with *, after whose call no other call may follow."""

    @model_validator(mode="after")
    def _states_something(self) -> ToolOrder:
        if not (self.before or self.last):
            raise PydanticCustomError("setting", "expected before, last, or both to state something")
        return self


def _made(replayed: ThreadReplay) -> list[tuple[str, int]]:
    """List the names of all calls of a thread, in order, each with the number of its turn."""
    return [
        (call.name, turn.number)
        for turn in replayed.turns
        if turn.actual is not None
        for call in turn.actual.trajectory
    ]


@rule("forbidden_tools", ForbiddenTools)
def judge_forbidden_tools(expected: Trace, actual: Trace, settings: ForbiddenTools) -> Verdict:
    """No forbidden tool may be called, not even once."""
    del expected
    names = [call.name for call in actual.trajectory]
    forbidden = dict.fromkeys(name for name in names if any(fnmatchcase(name, tool) for tool in settings.tools))
    if not forbidden:
        return Verdict.passed()
    return Verdict.failed("called " + ", ".join(f"{name} {_times(names.count(name))}" for name in forbidden))


@rule("required_tools", RequiredTools, whole_thread=True)
def judge_required_tools(replayed: ThreadReplay, settings: RequiredTools) -> Verdict:
    """Every required tool must be called somewhere in the thread."""
    names = {name for name, _ in _made(replayed)}
    missing = [tool for tool in settings.tools if not any(fnmatchcase(name, tool) for name in names)]
    score = 1 - len(missing) / len(settings.tools)
    if not missing:
        return Verdict.passed(score=score)
    return Verdict.failed(f"never called: {', '.join(missing)}", score=score)


@rule("call_counts", CallCounts, whole_thread=True)
def judge_call_counts(replayed: ThreadReplay, settings: CallCounts) -> Verdict:
    """Each tool must be called as often as its bounds say, counted over the thread."""
    names = [name for name, _ in _made(replayed)]
    counts = {tool: sum(fnmatchcase(name, tool) for name in names) for tool in settings.tools}
    wrong = [
        f"{tool} called {_times(counts[tool])}, not {bounds}"
        for tool, bounds in settings.tools.items()
        if counts[tool] < bounds.min or (bounds.max is not None and counts[tool] > bounds.max)
    ]
    return Verdict.failed("; ".join(wrong)) if wrong else Verdict.passed()


@rule("tool_order", ToolOrder, whole_thread=True)
def judge_tool_order(replayed: ThreadReplay, settings: ToolOrder) -> Verdict:
    """Calls must keep an order, over the turns of the thread."""
    calls = _made(replayed)
    wrong = [line for first, second in settings.before if (line := _too_early(calls, first, second))]
    wrong += [line for tool in settings.last if (line := _not_last(calls, tool))]
    return Verdict.failed("; ".join(wrong)) if wrong else Verdict.passed()


def _too_early(calls: list[tuple[str, int]], first: str, second: str) -> str:
    for name, turn in calls:
        if fnmatchcase(name, second):
            return f"{name} called in turn {turn} before any {first}"
        if fnmatchcase(name, first):
            return ""
    return ""


def _not_last(calls: list[tuple[str, int]], tool: str) -> str:
    at = next((index for index, (name, _) in enumerate(calls) if fnmatchcase(name, tool)), None)
    if at is None or at == len(calls) - 1:
        return ""
    (name, _), (after, turn) = calls[at], calls[at + 1]
    return f"{after} called in turn {turn} after {name}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
