"""Recorded turns as the chat messages that a session would have kept of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from trajectory.conversation import AssistantMessage, MalformedArguments, NotRecorded
from trajectory.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.conversation import ToolCall, Trace


def openai_messages(traces: Iterable[Trace]) -> list[dict[str, Any]]:
    """Write recorded turns as messages of OpenAI Chat: what was said, the calls with their results, and the answers.

    Args:
        traces: The turns, in order.

    Returns:
        The messages. A call without an id gets one, so that its result can name it.

    Raises:
        AgentError: A call's arguments were not recorded, so that nobody could have been told of it.
    """
    return [message for number, trace in enumerate(traces, start=1) for message in _messages(trace, number)]


@dataclass(frozen=True, slots=True)
class Round:
    """What the model said at once.

    Attributes:
        said: The text.
        calls: The calls that it asked for, each with the id by which its result names it.
    """

    said: str | None
    calls: tuple[tuple[str, ToolCall], ...]


def rounds_of(trace: Trace, number: int) -> list[Round]:
    """Take a recorded turn apart into the rounds in which the model asked for calls; all at once where nothing tells.

    Args:
        trace: The turn.
        number: Which turn of the thread it is; calls without an id get one that begins with it.

    Returns:
        The rounds, without the answer that ended the turn.

    Raises:
        AgentError: A call's arguments were not recorded, so that nobody could have been told of it.
    """
    calls = [(call.id or f"call_{number}_{place}", call) for place, call in enumerate(trace.trajectory, start=1)]
    for _, call in calls:
        if isinstance(call.arguments, NotRecorded):
            raise AgentError(
                f"the arguments of the recorded call of {call.name} are not known: no session can be told of it"
            )
    left = iter(calls)
    return [Round(said, tuple(islice(left, size))) for size, said in _sizes(trace, len(calls))]


def object_arguments(call: ToolCall) -> dict[str, Any]:
    """Give the arguments of a call to a framework that takes nothing but objects; of malformed ones nothing is left."""
    return call.arguments if isinstance(call.arguments, dict) else {}


def result_text(call: ToolCall) -> str:
    """Give what a call gave back; where no result was recorded, an empty text, for models want one."""
    return (call.result and call.result.content) or ""


def _messages(trace: Trace, number: int) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": trace.query}
    for made in rounds_of(trace, number):
        yield {"role": "assistant", "content": made.said, "tool_calls": [_call(*named) for named in made.calls]}
        for name, call in made.calls:
            yield {"role": "tool", "tool_call_id": name, "name": call.name, "content": result_text(call)}
    if trace.response is not None or trace.error is not None:
        yield {"role": "assistant", "content": trace.response or trace.error}


def _sizes(trace: Trace, total: int) -> Sequence[tuple[int, str | None]]:
    """Tell how many calls the model asked for at once, and what it said with them."""
    said = [output for iteration in trace.iterations for output in iteration.output]
    rounds = [
        (len(message.tool_calls), message.content)
        for message in said
        if isinstance(message, AssistantMessage) and message.tool_calls
    ]
    if sum(size for size, _ in rounds) == total:
        return rounds
    return [(total, None)] if total else []


def _call(name: str, call: ToolCall) -> dict[str, Any]:
    text = call.arguments.text if isinstance(call.arguments, MalformedArguments) else json.dumps(call.arguments)
    return {"id": name, "type": "function", "function": {"name": call.name, "arguments": text}}
