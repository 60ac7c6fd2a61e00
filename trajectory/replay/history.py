"""Recorded turns as the chat messages that a session would have kept of them."""

from __future__ import annotations

import json
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


def _messages(trace: Trace, number: int) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": trace.query}
    calls = list(trace.trajectory)
    names = [call.id or f"call_{number}_{place}" for place, call in enumerate(calls, start=1)]
    at = 0
    for size, said in _rounds(trace, len(calls)):
        made, ids = calls[at : at + size], names[at : at + size]
        at += size
        yield {
            "role": "assistant",
            "content": said,
            "tool_calls": [_call(*pair) for pair in zip(made, ids, strict=True)],
        }
        for call, name in zip(made, ids, strict=True):
            yield {
                "role": "tool",
                "tool_call_id": name,
                "name": call.name,
                "content": (call.result and call.result.content) or "",
            }
    if trace.response is not None or trace.error is not None:
        yield {"role": "assistant", "content": trace.response or trace.error}


def _rounds(trace: Trace, total: int) -> Sequence[tuple[int, str | None]]:
    """Tell how many calls the model asked for at once, and what it said with them; all at once where nothing tells."""
    said = [output for iteration in trace.iterations for output in iteration.output]
    rounds = [
        (len(message.tool_calls), message.content)
        for message in said
        if isinstance(message, AssistantMessage) and message.tool_calls
    ]
    if sum(size for size, _ in rounds) == total:
        return rounds
    return [(total, None)] if total else []


def _call(call: ToolCall, name: str) -> dict[str, Any]:
    if isinstance(call.arguments, NotRecorded):
        raise AgentError(
            f"the arguments of the recorded call of {call.name} are not known: no session can be told of it"
        )
    text = call.arguments.text if isinstance(call.arguments, MalformedArguments) else json.dumps(call.arguments)
    return {"id": name, "type": "function", "function": {"name": call.name, "arguments": text}}
