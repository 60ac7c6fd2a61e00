"""Eval sets made of threads that were recorded: what the format has no place for is taken off, and what it cannot say refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    Iteration,
    MalformedArguments,
    NotRecorded,
    Trace,
)
from trajectory.errors import EvalSetError, Problem
from trajectory.evalset.model import EvalSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import ConversationThread, IterationOutput, Message, ToolCall

_IN_CODE_ONLY: Final = {"error": None, "start_time": None, "end_time": None}


def eval_set_of(threads: Iterable[ConversationThread], *, id: str, name: str = "", description: str = "") -> EvalSet:  # noqa: A002 - the name of the field
    """Make an eval set of recorded threads, such as those of `load_recordings`: what was done becomes what is expected.

    Args:
        threads: The threads.
        id: Names the set.
        name: Its title.
        description: What it is about.

    Returns:
        The eval set, which can be saved.

    Raises:
        EvalSetError: A call's arguments are malformed or were not recorded, so that nothing can be expected of them; or
            two threads have one id.
    """
    made = [*threads]
    problems = [*_what_cannot_stand(made), *_repeated(made)]
    if problems:
        raise EvalSetError(problems)
    return EvalSet(id=id, name=name, description=description, threads=tuple(plain_thread(thread) for thread in made))


def plain_thread(thread: ConversationThread) -> ConversationThread:
    """Take off a thread what no eval-set file holds; which calls failed is kept beside the traces.

    Args:
        thread: The thread.

    Returns:
        A thread that equals what is read back from a file of it.
    """
    failed = tuple(
        f"/traces/{number}/toolCalls/{place}"
        for number, trace in enumerate(thread.traces)
        for place, call in enumerate(trace.trajectory)
        if call.result is not None and call.result.error
    )
    traces = tuple(_plain_trace(trace) for trace in thread.traces)
    return thread.model_copy(
        update={"traces": traces, "failed_calls": failed or thread.failed_calls, "final_state": None}
    )


def _what_cannot_stand(threads: list[ConversationThread]) -> Iterator[Problem]:
    for thread in threads:
        for number, trace in enumerate(thread.traces):
            for place, call in enumerate(trace.trajectory):
                pointer = f"/traces/{number}/toolCalls/{place}/arguments"
                found = _why_not(call)
                if found:
                    yield Problem(f"thread {thread.id}", None, None, pointer, "arguments of an expected call", found)


def _why_not(call: ToolCall) -> str:
    if isinstance(call.arguments, MalformedArguments):
        return f"malformed ones of {call.name} ({call.arguments.reason})"
    return f"that those of {call.name} were not recorded" if isinstance(call.arguments, NotRecorded) else ""


def _repeated(threads: list[ConversationThread]) -> Iterator[Problem]:
    seen: set[str] = set()
    for thread in threads:
        if thread.id in seen:
            yield Problem(f"thread {thread.id}", None, None, "/id", "an id that no other thread has", repr(thread.id))
        seen.add(thread.id)


def _plain_trace(trace: Trace) -> Trace:
    calls = trace.trajectory
    iterations = trace.iterations or tuple(_iterations(trace))
    return trace.model_copy(
        update={
            "tool_calls": tuple(_plain_call(call) for call in calls),
            "iterations": tuple(_plain_iteration(iteration) for iteration in iterations),
            "usage": None,
            "models": None,
        }
    )


def _iterations(trace: Trace) -> Iterator[Iteration]:
    """Put results that stand with their calls where the format keeps them."""
    results = [call.result for call in trace.trajectory if call.result is not None]
    if results:
        yield Iteration(
            history=(trace.user_message,),
            output=(AssistantMessage(tool_calls=trace.trajectory), *results),
            start_time=trace.start_time,
            end_time=trace.end_time,
        )


def _plain_call(call: ToolCall) -> ToolCall:
    return call.model_copy(update={"result": None, "agent": None})


def _plain_iteration(iteration: Iteration) -> Iteration:
    return iteration.model_copy(
        update={
            "history": tuple(_plain_message(message) for message in iteration.history),
            "output": tuple(_plain_message(message) for message in iteration.output),
        }
    )


def _plain_message(message: Message | IterationOutput) -> Message | IterationOutput:
    if isinstance(message, FunctionMessage):
        return message.model_copy(update=_IN_CODE_ONLY)
    if isinstance(message, AssistantMessage) and message.tool_calls:
        return message.model_copy(update={"tool_calls": tuple(_plain_call(call) for call in message.tool_calls)})
    return message
