"""Make a recorded thread of one that was replayed live: what an eval set is written from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import MalformedArguments, NotRecorded, Trace
from trajectory.errors import EvaluationError
from trajectory.evalset import plain_thread

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread, ToolCall
    from trajectory.replay import ThreadReplay, TurnReplay


def is_recorded(thread: ConversationThread) -> bool:
    """Tell whether a thread holds more than what the user said: an answer, a call, or what was done on the way."""
    return any(trace.trajectory or trace.iterations or (trace.response or "").strip() for trace in thread.traces)


def recorded_thread(replayed: ThreadReplay) -> ConversationThread:
    """Write what the agent did into the thread that was replayed.

    Args:
        replayed: The thread and what the agent did.

    Returns:
        The thread with the same ids, queries and settings, and with today's answers, calls and results.

    Raises:
        EvaluationError: A turn has no result, or a call cannot stand in an eval set.
    """
    traces = tuple(_trace(turn) for turn in replayed.turns)
    return plain_thread(replayed.thread.model_copy(update={"traces": traces, "failed_calls": ()}))


def _trace(turn: TurnReplay) -> Trace:
    if turn.actual is None:
        raise EvaluationError(f"turn {turn.number}: {turn.failure.text if turn.failure else 'not run'}")
    expected, actual = turn.expected, turn.actual
    for call in actual.trajectory:
        _refuse_what_cannot_stand(call, turn.number)
    return Trace(
        id=expected.id,
        user_message=expected.user_message,
        iterations=actual.iterations,
        output=actual.output,
        tools=actual.tools or expected.tools,
        tool_calls=actual.trajectory,
        start_time=actual.start_time,
        end_time=actual.end_time,
    )


def _refuse_what_cannot_stand(call: ToolCall, number: int) -> None:
    if isinstance(call.arguments, MalformedArguments):
        raise EvaluationError(
            f"turn {number}: the call of {call.name} has malformed arguments, which no eval set can hold: "
            f"{call.arguments.reason}"
        )
    if isinstance(call.arguments, NotRecorded):
        raise EvaluationError(f"turn {number}: the agent does not tell the arguments of its call of {call.name}")
