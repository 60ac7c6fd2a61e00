"""What an agent did, turn by turn, wherever that was written down: in a recording, an eval set or a run file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trajectory.conversation import NOT_RECORDED, FunctionMessage, MalformedArguments, ToolCall
from trajectory.runs.gating import deciding_run
from trajectory.times import moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.runs.records import CallEntry, RunFile, ThreadEntry, TurnEntry


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, as far as it was written down.

    Attributes:
        query: What the user said; empty where that was not recorded.
        response: What the agent answered.
        error: The error in which the turn ended, if it did.
        calls: The tool calls, each with its result where there is one.
        seconds: How long it took; ``None`` where that was not recorded.
        tokens: How many tokens it took; likewise.
        cost_usd: What it cost in US dollars; likewise.
    """

    query: str
    response: str | None = None
    error: str | None = None
    calls: tuple[ToolCall, ...] = ()
    seconds: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation, as far as it was written down.

    Attributes:
        id: Its id.
        turns: Its turns.
    """

    id: str
    turns: tuple[Turn, ...]


def conversations_of(threads: Iterable[ConversationThread]) -> list[Conversation]:
    """Take conversations from a recording or an eval set."""
    return [Conversation(thread.id, tuple(map(_of_trace, thread.traces))) for thread in threads]


def conversations_in_run(run: RunFile) -> list[Conversation]:
    """Take from a run what the agent did: of each thread, in the run that shows best what the thread came to."""
    return [Conversation(entry.id, tuple(map(_of_entry, _played(entry)))) for entry in run.threads]


def _played(entry: ThreadEntry) -> list[TurnEntry]:
    return [turn for turn in deciding_run(entry).turns if turn.outcome is not None] if entry.runs else []


def _of_trace(trace: Trace) -> Turn:
    usage = trace.usage
    return Turn(
        query=trace.query,
        response=trace.response,
        error=trace.error,
        calls=trace.trajectory,
        seconds=_seconds(trace),
        tokens=None if usage is None else usage.tokens,
        cost_usd=None if usage is None else usage.cost_usd,
    )


def _seconds(trace: Trace) -> float | None:
    try:
        taken = (moment(trace.end_time) - moment(trace.start_time)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None
    return taken if taken > 0 else None  # eval sets state one moment for both where nobody measured


def _of_entry(entry: TurnEntry) -> Turn:
    side = entry.actual
    if side is None:
        return Turn(entry.query, error=entry.reason or "not known")
    known = side.input_tokens is not None and side.output_tokens is not None
    return Turn(
        query=entry.query,
        response=side.response,
        error=side.error,
        calls=tuple(map(_call, side.calls)),
        seconds=entry.seconds or None,
        tokens=(side.input_tokens or 0) + (side.output_tokens or 0) if known else None,
        cost_usd=side.cost_usd,
    )


def _call(entry: CallEntry) -> ToolCall:
    arguments: Any
    match entry.arguments_state:
        case "malformed":
            arguments = MalformedArguments(text=str(entry.arguments), reason="as the run file says")
        case "not_recorded":
            arguments = NOT_RECORDED
        case _:
            arguments = entry.arguments
    result = (
        FunctionMessage(name=entry.name, content=entry.result, error=entry.error) if entry.result_recorded else None
    )
    return ToolCall(name=entry.name, arguments=arguments, id=entry.id, result=result)
