"""Rules on calls that lead nowhere."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from trajectory.conversation import NOT_RECORDED, MalformedArguments
from trajectory.errors import EvaluationError
from trajectory.evaluations.setting_types import Count, Pattern, Text  # noqa: TC001 - pydantic reads them
from trajectory.evaluations.verdicts import Verdict
from trajectory.json_values import shorten
from trajectory.matching.equality import Key, canonical_key
from trajectory.patterns import matches
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import FunctionMessage, ToolCall, Trace

_FAILURE_TEXT: Final = re.compile(r"\s*(error|exception|traceback|failed|failure)\b", re.ASCII | re.IGNORECASE)


class NoLoops(RuleSettings):
    """What can be set about `no_loops`."""

    max_repeats: Count = 0
    """How many such repeats one turn may have."""
    allowed: tuple[Text, ...] = ()
    """Tools, or patterns with *, that may be called again and again, such as one that polls."""


class FailedCallsRecovered(RuleSettings):
    """What can be set about `failed_calls_recovered`."""

    failure: Pattern | None = None
    """A regular expression that finds a failure in a tool's result; without this, the usual signs of one."""


@rule("no_loops", NoLoops)
def judge_no_loops(expected: Trace, actual: Trace, settings: NoLoops) -> Verdict:
    """No call may be made again in a turn when no new call was made since it was last made."""
    del expected
    calls = [call for call in actual.trajectory if not any(fnmatchcase(call.name, tool) for tool in settings.allowed)]
    some_tool_twice = len({call.name for call in calls}) < len(calls)  # else no call can have been made before
    repeats = list(_repeats(calls)) if some_tool_twice else []
    if len(repeats) <= settings.max_repeats:
        return Verdict.passed()
    lines = [f"call {number}: {shorten(f'{call.name}({_text(call)})', 200)}" for number, call in repeats]
    what = f"{len(repeats)} call{'s' * (len(repeats) != 1)} made again with nothing new between"
    return Verdict.failed(f"{what}, {settings.max_repeats} allowed", *lines)


def _repeats(calls: list[ToolCall]) -> Iterator[tuple[int, ToolCall]]:
    """Find the calls that were made before, and since then only calls that were made before as well."""
    made: dict[Key, int] = {}
    newest = 0
    for number, call in enumerate(calls, start=1):
        key = _key(call)
        if key not in made:
            newest = number
        elif made[key] >= newest:
            yield number, call
        made[key] = number


def _key(call: ToolCall) -> Key:
    if call.arguments is NOT_RECORDED:
        raise EvaluationError(f"the arguments of {call.name} were not recorded")
    if isinstance(call.arguments, MalformedArguments):
        return (call.name, "malformed", call.arguments.text)
    return (call.name, *canonical_key(call.arguments))


def _text(call: ToolCall) -> str:
    malformed = isinstance(call.arguments, MalformedArguments)
    return call.arguments.text if malformed else json.dumps(call.arguments, ensure_ascii=False)  # type: ignore[union-attr]


@rule("failed_calls_recovered", FailedCallsRecovered)
def judge_failed_calls_recovered(expected: Trace, actual: Trace, settings: FailedCallsRecovered) -> Verdict:
    """After a call that failed, a later call of the same tool in the same turn must succeed."""
    del expected
    calls = actual.trajectory
    if not calls:
        return Verdict.skipped("no tool was called")
    results, names = [call.result for call in calls], [call.name for call in calls]
    failed = [result is not None and _failed(result, settings) for result in results]
    last_good = {name: index for index, name in enumerate(names) if not failed[index]}
    lost = [index for index, name in enumerate(names) if failed[index] and last_good.get(name, -1) < index]
    if lost:
        lines = [f"call {index + 1}, {names[index]}: {_shown(results[index])}" for index in lost]
        return Verdict.failed(f"{len(lost)} failed call{'s' * (len(lost) != 1)} not made good", *lines)
    if None in results:
        first = results.index(None)
        raise EvaluationError(f"the result of call {first + 1}, {names[first]}, was not kept: it may have failed")
    return Verdict.passed()


def _shown(result: FunctionMessage | None) -> str:
    return shorten((result and result.content) or "", 200)


def _failed(result: FunctionMessage, settings: FailedCallsRecovered) -> bool:
    if settings.failure is not None:
        return bool(result.error) or matches(settings.failure, result.content or "")
    return shows_failure(result)


def shows_failure(result: FunctionMessage) -> bool:
    """Tell whether a tool's result says that the call failed, or has the usual signs of that."""
    text = result.content or ""
    if result.error:
        return True
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _FAILURE_TEXT.match(text) is not None
    if isinstance(value, str):
        return _FAILURE_TEXT.match(value) is not None
    return isinstance(value, dict) and (
        bool(value.get("error"))
        or True in (value.get("isError"), value.get("is_error"))
        or False in (value.get("ok", True), value.get("success", True))
    )
