"""Rules on calls and the tools that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import NOT_RECORDED, MalformedArguments
from trajectory.errors import EvaluationError, did_you_mean
from trajectory.evaluations.setting_types import Texts  # noqa: TC001 - pydantic reads it
from trajectory.evaluations.verdicts import Verdict
from trajectory.matching.matcher_check import check_schema
from trajectory.matching.schemas import MATCHER_KEY, is_valid, why_not
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall, ToolSchema, Trace


class KnownTools(RuleSettings):
    """What can be set about `known_tools`."""

    tools: Texts | None = None
    """The names of the tools that there are; without this, those that the agent lists, or else the recording."""


def _listed(expected: Trace, actual: Trace) -> dict[str, ToolSchema]:
    """Find the tools that there are: what the agent says of itself today counts, or else what was recorded."""
    return {tool.name: tool for tool in actual.tools or expected.tools}


@rule("known_tools", KnownTools)
def judge_known_tools(expected: Trace, actual: Trace, settings: KnownTools) -> Verdict:
    """Every call must be one of a tool that there is."""
    if not actual.trajectory:
        return Verdict.skipped("no tool was called")
    known = settings.tools or tuple(_listed(expected, actual))
    if not known:
        raise EvaluationError("neither the agent nor the recording lists the tools that there are")
    unknown = dict.fromkeys(call.name for call in actual.trajectory if call.name not in known)
    if not unknown:
        return Verdict.passed()
    return Verdict.failed(f"there is no tool {', '.join(map(repr, unknown))}", *_hints(unknown, known))


def _hints(unknown: dict[str, None], known: tuple[str, ...]) -> list[str]:
    return [f"{name!r}: {hint}" for name in unknown if (hint := did_you_mean(name, known))]


@rule("valid_arguments")
def judge_valid_arguments(expected: Trace, actual: Trace, settings: RuleSettings) -> Verdict:
    """The arguments of every call must be valid by the JSON Schema that its tool states."""
    del settings
    if not actual.trajectory:
        return Verdict.skipped("no tool was called")
    tools = _listed(expected, actual)
    if not tools:
        raise EvaluationError("neither the agent nor the recording lists the tools and their schemas")
    for name in dict.fromkeys(call.name for call in actual.trajectory if call.name in tools):
        _refuse_unsound(tools[name])
    checked = [call for call in actual.trajectory if _can_be_wrong(call, tools.get(call.name))]
    if not checked:
        return Verdict.skipped("no tool that was called states a schema")
    wrong = [problem for call in checked if (problem := _wrong(call, tools.get(call.name)))]
    score = 1 - len(wrong) / len(checked)
    if not wrong:
        return Verdict.passed(score=score)
    return Verdict.failed(f"{len(wrong)} of {len(checked)} checked calls have wrong arguments", *wrong, score=score)


def _can_be_wrong(call: ToolCall, tool: ToolSchema | None) -> bool:
    """Tell whether there is something to check: a tool without a schema takes whatever is an object."""
    return tool is None or tool.parameters_schema is not None or isinstance(call.arguments, MalformedArguments)


def _wrong(call: ToolCall, tool: ToolSchema | None) -> str:
    """Say what is wrong with the arguments of a call; nothing when they are right."""
    if tool is None:
        return f"{call.name}: there is no such tool"
    if call.arguments is NOT_RECORDED:
        raise EvaluationError(f"the arguments of {call.name} were not recorded")
    if isinstance(call.arguments, MalformedArguments):
        return f"{call.name}: {call.arguments.reason}"
    if is_valid(tool.parameters_schema, call.arguments):
        return ""
    return f"{call.name}: {why_not({MATCHER_KEY: tool.parameters_schema}, call.arguments)}"


def _refuse_unsound(tool: ToolSchema) -> None:
    """Refuse a schema that cannot be carried out: nothing is known about the agent then.

    Raises:
        EvaluationError: It cannot.
    """
    schema = {} if tool.parameters_schema is None else tool.parameters_schema
    wrong = next((message for _, message, is_wrong in check_schema(schema) if is_wrong), None)
    if wrong is not None:
        raise EvaluationError(f"the tool {tool.name!r} states a schema that cannot be carried out: {wrong}")
