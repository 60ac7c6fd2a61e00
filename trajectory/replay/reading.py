"""Understand what an agent returned for one turn.

Understood are a text, a `Trace`, a list of messages, and a mapping: a message, ``{"messages": [...]}``, a trace of the
native shape, or an answer (a text, or any of these) with its ``tool_calls``; beside it ``usage``, ``cost_usd`` and
``model``. A dataclass and a pydantic object count as the mapping of their fields. Whatever it is, it goes through the reader that recordings of the same form go through.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError

from trajectory.conversation import AssistantMessage, Trace, UserMessage
from trajectory.errors import EvaluationError
from trajectory.json_values import describe, plain_json
from trajectory.recordings.chat import MessageReader
from trajectory.recordings.messages import turn_from_messages
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ToolCall

ANSWER_KEYS: Final = ("output", "response", "content", "text", "answer", "message", "final_response", "final_output")
CALLS_KEYS: Final = ("tool_calls", "toolCalls")
_TYPES_OF_ANSWERS: Final = ("ai", "assistant")
UNDERSTOOD: Final = (
    "understood are a text, a trajectory.Trace, a list of messages, and a mapping with an answer "
    f"({', '.join(ANSWER_KEYS[:3])}, ...) and tool_calls"
)


def read_result(result: Any, query: str, begun: datetime) -> Trace:
    """Read what an agent returned for a turn.

    Args:
        result: What it returned, already awaited.
        query: The user's words of this turn.
        begun: When the turn began.

    Returns:
        The turn as a trace.

    Raises:
        EvaluationError: It cannot be understood, is empty, or says that the turn ended in an error.
    """
    reading = _Reading(query, begun)
    try:
        trace = reading.read(result)
    except (TypeError, ValueError) as problem:
        raise EvaluationError(f"the agent returned something that cannot be understood: {problem}") from problem
    refuse_no_answer(trace)
    # Copies: what the agent does to its own records afterwards must not reach the verdict.
    calls = tuple(_copied(call) for call in trace.trajectory)
    return trace.changed(tool_calls=calls)


def refuse_no_answer(trace: Trace) -> None:
    """Refuse a turn in which the agent did nothing, or which says that it ended in an error.

    Raises:
        EvaluationError: It is such a turn.
    """
    if trace.error is not None:
        raise EvaluationError(f"the turn ended in an error: {trace.error}")
    if not (trace.response or "").strip() and not trace.trajectory:
        raise EvaluationError("the agent returned no text and no tool call")


def _copied(call: ToolCall) -> ToolCall:
    given = call.arguments
    return call.changed(arguments=plain_json(given)) if isinstance(given, dict) else call


class _Reading:
    def __init__(self, query: str, begun: datetime) -> None:
        self.query = query
        self.begun = begun

    def read(self, result: Any) -> Trace:
        match result:
            case Trace():
                return result
            case str():
                return self._trace(AssistantMessage(content=result))
            case AssistantMessage():
                return self._trace(result)
            case list() | tuple() if result:
                return self._messages(result)
        fields = _fields(result)
        if fields is None:
            raise EvaluationError(f"the agent returned {_what(result)}; {UNDERSTOOD}")
        return self._mapping(fields)

    def _mapping(self, result: Mapping[str, Any]) -> Trace:
        if "userMessage" in result or "user_message" in result:
            return _native_trace(result)
        return _with_request(self._said(result), result)

    def _said(self, result: Mapping[str, Any]) -> Trace:
        if "role" in result or result.get("type") in _TYPES_OF_ANSWERS:
            return self._messages([result])
        if "messages" in result:
            return _with_calls(self._messages(result["messages"]), _listed_calls(result))
        return _with_calls(self._answer(result), _listed_calls(result))

    def _answer(self, result: Mapping[str, Any]) -> Trace:
        if not any(key in result for key in CALLS_KEYS):
            _refuse_misspelt_calls(result)
            if not any(key in result for key in ANSWER_KEYS):
                raise EvaluationError(f"the agent returned {describe(dict(result))}; {UNDERSTOOD}")
        answers = {key: result[key] for key in ANSWER_KEYS if result.get(key) is not None}
        if not answers:
            return self._trace(AssistantMessage())
        # A message may bring calls, which must not be lost to a text that stands beside it.
        key = min(answers, key=lambda key: isinstance(answers[key], str | int | float))
        if not isinstance(answers[key], str | list | tuple) and _fields(answers[key]) is None:
            raise EvaluationError(f"the agent's {key} is {_what(answers[key])}, not a text")
        return self.read(answers[key])

    def _messages(self, messages: Any) -> Trace:
        return turn_from_messages(messages, self.query, id=_new_id(), start=self.begun, end=datetime.now(UTC))

    def _trace(self, answer: AssistantMessage) -> Trace:
        return Trace.of_sound(
            id=_new_id(),
            user_message=UserMessage.of_sound(content=self.query),
            iterations=(),
            output=answer,
            tools=(),
            tool_calls=answer.tool_calls or (),
            start_time=self.begun.isoformat(),
            end_time=datetime.now(UTC).isoformat(),
        )


def _new_id() -> str:
    return str(uuid.uuid4())


def _native_trace(result: Mapping[str, Any]) -> Trace:
    try:
        return Trace.model_validate(dict(result))
    except ValidationError as invalid:
        first = invalid.errors()[0]
        where = "/".join(str(step) for step in first["loc"])
        raise ValueError(f"a trace that is wrong at {where}: {first['msg']}") from None


def _fields(result: Any) -> Mapping[str, Any] | None:
    """Take an object apart, one level deep: what stands in its fields has readers of its own."""
    if isinstance(result, Mapping):
        return result
    if isinstance(result, BaseModel):
        computed = {name: getattr(result, name) for name in type(result).model_computed_fields}
        return {**computed, **dict(result)}
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return None


def _listed_calls(result: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    calls: tuple[ToolCall, ...] = ()
    for key in CALLS_KEYS:
        given = result.get(key)
        if given is not None and not isinstance(given, list | tuple):
            raise TypeError(f"{key}: expected a list of tool calls, found {describe(given)}")
        if given and not calls:
            records = MessageReader(key, {}).read({"role": "assistant", "tool_calls": given})
            calls = tuple(
                call for record in records if isinstance(record, AssistantMessage) for call in record.tool_calls or ()
            )
    return calls


def _with_calls(answer: Trace, listed: tuple[ToolCall, ...]) -> Trace:
    """Let the calls that are listed beside an answer be those of the turn."""
    if not listed:
        return answer
    if answer.trajectory and _compared(answer.trajectory) != _compared(listed):
        raise EvaluationError(
            "the agent's result states its tool calls twice, and not alike: in tool_calls and in its messages"
        )
    return answer.changed(tool_calls=listed)


def _with_request(trace: Trace, result: Mapping[str, Any]) -> Trace:
    """Let the turn have taken what the agent says that it took, and by the model that it names."""
    usage = read_usage(_fields(result.get("usage")), result.get("cost_usd"))
    model = result.get("model")
    told = {"usage": usage, "models": (model,) if isinstance(model, str) and model else None}
    known = {key: value for key, value in told.items() if value is not None}
    return trace.changed(**known) if known else trace


def _compared(calls: Iterable[ToolCall]) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in calls]


def _refuse_misspelt_calls(result: Mapping[str, Any]) -> None:
    """A misspelt key would say "no calls", which is a verdict on the agent."""
    for key, value in result.items():
        name = str(key).lower()
        looks_alike = value is not None and difflib.get_close_matches(name, CALLS_KEYS, n=1, cutoff=0.8)
        if looks_alike or ("call" in name and value and isinstance(value, list | tuple)):
            raise EvaluationError(f"the agent returned a mapping with the key {key!r}; did you mean 'tool_calls'?")


def _what(result: Any) -> str:
    if result is None:
        return "None"
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        return "a coroutine that nobody awaited"
    return describe(result)
