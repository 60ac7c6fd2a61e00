"""Make a recorded thread of one that was replayed live: what an eval set is written from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    Iteration,
    MalformedArguments,
    NotRecorded,
    Trace,
)
from trajectory.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import ConversationThread, ToolCall
    from trajectory.replay import ThreadReplay, TurnReplay


def is_recorded(thread: ConversationThread) -> bool:
    """Tell whether a thread holds more than what the user said: an answer, a call, or that no call is expected."""
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
    failed = tuple(pointer for number, trace in enumerate(traces) for pointer in _failed_calls(number, trace))
    return replayed.thread.model_copy(update={"traces": tuple(map(_plain, traces)), "failed_calls": failed})


def _trace(turn: TurnReplay) -> Trace:
    if turn.actual is None:
        raise EvaluationError(f"turn {turn.number}: {turn.failure.text if turn.failure else 'not run'}")
    expected, actual = turn.expected, turn.actual
    for call in actual.trajectory:
        _refuse_what_cannot_stand(call, turn.number)
    return Trace(
        id=expected.id,
        user_message=expected.user_message,
        iterations=actual.iterations or tuple(_iterations(turn.expected, actual)),
        output=actual.output,
        tools=actual.tools or expected.tools,
        tool_calls=actual.trajectory,
        start_time=actual.start_time,
        end_time=actual.end_time,
    )


def _iterations(expected: Trace, actual: Trace) -> Iterator[Iteration]:
    """Put results that an agent lists with its calls where the format keeps them."""
    results = [call.result for call in actual.trajectory if call.result is not None]
    if results:
        yield Iteration(
            history=(expected.user_message,),
            output=(AssistantMessage(tool_calls=actual.trajectory), *results),
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


def _failed_calls(number: int, trace: Trace) -> Iterator[str]:
    for place, call in enumerate(trace.trajectory):
        if call.result is not None and call.result.error:
            yield f"/traces/{number}/toolCalls/{place}"


def _plain(trace: Trace) -> Trace:
    """Leave out what the format has no place for, so that the thread equals what is read back."""
    calls = tuple(call.model_copy(update={"result": None, "agent": None}) for call in trace.trajectory)
    iterations = tuple(_plain_iteration(iteration) for iteration in trace.iterations)
    return trace.model_copy(update={"tool_calls": calls, "iterations": iterations})


def _plain_iteration(iteration: Iteration) -> Iteration:
    nothing = {"error": None, "start_time": None, "end_time": None}
    return iteration.model_copy(
        update={
            "history": tuple(
                message.model_copy(update=nothing) if isinstance(message, FunctionMessage) else message
                for message in iteration.history
            ),
            "output": tuple(
                message.model_copy(update=nothing) if isinstance(message, FunctionMessage) else message
                for message in iteration.output
            ),
        }
    )
