"""Understand what an agent returned for one turn.

Understood are a text, a `Trace`, a mapping (a message, ``{"messages": [...]}``, a trace of the native shape, or the
answer with its ``tool_calls``) and a list of messages. Whatever it is, it goes through the reader that recordings of the
same form go through.
"""

from __future__ import annotations

import difflib
import inspect
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from trajectory.conversation import AssistantMessage, ToolCall, Trace, UserMessage
from trajectory.errors import EvaluationError
from trajectory.json_values import describe
from trajectory.recordings.messages import turn_from_messages

ANSWER_KEYS: Final = ("output", "response", "content", "text", "answer", "message", "final_response", "final_output")
CALLS_KEYS: Final = ("tool_calls", "toolCalls")
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
    if trace.error is not None:
        raise EvaluationError(f"the turn ended in an error: {trace.error}")
    if not (trace.response or "").strip() and not trace.trajectory:
        raise EvaluationError("the agent returned no text and no tool call")
    return trace


class _Reading:
    def __init__(self, query: str, begun: datetime) -> None:
        self.query = query
        self.begun = begun

    def read(self, result: Any) -> Trace:
        match result:
            case Trace():
                return result
            case str():
                return self._trace(result, ())
            case AssistantMessage():
                return self._trace(result.content, result.tool_calls or ())
            case Mapping():
                return self._mapping(result)
            case list() | tuple() if result:
                return self._messages(result)
            case BaseModel() if not inspect.isclass(result):
                return self.read(result.model_dump())
            case _:
                raise EvaluationError(f"the agent returned {_what(result)}; {UNDERSTOOD}")

    def _mapping(self, result: Mapping[str, Any]) -> Trace:
        if "messages" in result:
            return self._messages(result["messages"])
        if "role" in result:
            return self._messages([result])
        if "userMessage" in result:
            return _native_trace(result)
        answers = [key for key in ANSWER_KEYS if key in result]
        calls = [key for key in CALLS_KEYS if key in result]
        _refuse_misspelt_calls(result)
        if not (answers or calls):
            raise EvaluationError(f"the agent returned {describe(dict(result))}; {UNDERSTOOD}")
        answer = result[answers[0]] if answers else None
        if isinstance(answer, Mapping):
            return self.read({**answer, **({"tool_calls": result[calls[0]]} if calls else {})})
        if not isinstance(answer, str | None):
            raise EvaluationError(f"the agent's {answers[0]} is {_what(answer)}, not a text")
        return self._trace(answer, [ToolCall.read(call) for call in (result[calls[0]] or ())] if calls else ())

    def _messages(self, messages: Any) -> Trace:
        return turn_from_messages(messages, self.query, id=_new_id(), start=self.begun, end=datetime.now(UTC))

    def _trace(self, answer: str | None, calls: Any) -> Trace:
        return Trace(
            id=_new_id(),
            user_message=UserMessage(content=self.query),
            iterations=(),
            output=AssistantMessage(content=answer),
            tools=(),
            tool_calls=tuple(calls),
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


def _refuse_misspelt_calls(result: Mapping[str, Any]) -> None:
    """A misspelt key would say "no calls", which is a verdict on the agent."""
    for key in set(map(str, result)) - set(CALLS_KEYS):
        looks_alike = difflib.get_close_matches(key.lower(), CALLS_KEYS, n=1, cutoff=0.8) or "call" in key.lower()
        if looks_alike and isinstance(result.get(key), list | tuple):
            raise EvaluationError(f"the agent returned a mapping with the key {key!r}; did you mean 'tool_calls'?")


def _what(result: Any) -> str:
    if result is None:
        return "None"
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        return "a coroutine that nobody awaited"
    return describe(result)
