"""What a judge is shown of a turn: its steps, what tools gave back, the errors, the instructions."""

from __future__ import annotations

import json
from itertools import chain, islice
from typing import TYPE_CHECKING

from trajectory.conversation import (
    FunctionMessage,
    MalformedArguments,
    NotRecorded,
    SystemMessage,
)
from trajectory.evaluations.tool_loops import shows_failure
from trajectory.pairing import calls_in, pair_results, said_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import ToolCall, Trace


def steps_of(trace: Trace) -> str:
    """List the steps of a turn, numbered: what the model said, the calls, what came back.

    Args:
        trace: The turn.

    Returns:
        The lines; empty when nothing is known.
    """
    return "\n".join(f"{number}. {_indented(line)}" for number, line in enumerate(_steps(trace), start=1))


def _indented(text: str) -> str:
    """Let further lines of a text stand apart, so that none can pass for a step or a result of its own."""
    return "\n    ".join(text.splitlines())


def _steps(trace: Trace) -> Iterator[str]:
    outputs = [iteration.output for iteration in trace.iterations]
    said = list(chain.from_iterable(outputs))
    calls, shows_results = calls_in(said), any(isinstance(output, FunctionMessage) for output in said)
    for call in () if calls else trace.trajectory:  # they are listed apart from the iterations
        yield from _called(call, with_result=not shows_results)
    history = trace.iterations[-1].history if trace.iterations else ()
    paired = iter(pair_results(calls, said_in(outputs, history)).calls)
    for output in said:
        if isinstance(output, str):
            yield f"error: {output}"
        elif isinstance(output, FunctionMessage):
            yield _result(output)
        else:
            if output.content:
                yield f"said: {output.content}"
            for call in islice(paired, len(output.tool_calls or ())):
                yield from _called(call, with_result=not shows_results)


def _called(call: ToolCall, *, with_result: bool) -> Iterator[str]:
    yield f"called {_call(call)}"
    if with_result and call.result is not None:
        yield _result(call.result)


def _call(call: ToolCall) -> str:
    match call.arguments:
        case MalformedArguments():
            return f"{call.name} with malformed arguments: {call.arguments.text}"
        case NotRecorded():
            return f"{call.name} (arguments not recorded)"
        case _:
            return f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})"


def _result(message: FunctionMessage) -> str:
    failed = " (failed)" if message.error else ""
    return f"{message.name or 'a tool'} gave back{failed}: {message.content or '(nothing)'}"


def evidence_in(trace: Trace) -> str:
    """Collect what tools gave back, in this turn and in earlier ones that the model was reminded of; each once.

    Args:
        trace: The turn.

    Returns:
        The lines; empty when no tool gave anything back.
    """
    histories = [message for iteration in trace.iterations for message in iteration.history]
    outputs = [output for iteration in trace.iterations for output in iteration.output]
    messages = [message for message in (*histories, *outputs) if isinstance(message, FunctionMessage)]
    messages += [call.result for call in trace.trajectory if call.result is not None]
    return "\n".join(dict.fromkeys(_indented(_result(message)) for message in messages if message.content))


def errors_in(trace: Trace) -> str:
    """Collect the errors that occurred on the way: of iterations, and of calls that failed.

    Args:
        trace: The turn.

    Returns:
        The lines; empty when there were none.
    """
    lines = [output for iteration in trace.iterations for output in iteration.output if isinstance(output, str)]
    results = [call.result for call in trace.trajectory if call.result is not None]
    return "\n".join(map(_indented, [*lines, *(_result(result) for result in results if shows_failure(result))]))


def instructions_of(trace: Trace) -> str:
    """Find the system prompt: the first one in what the model was given."""
    messages = (message for iteration in trace.iterations for message in iteration.history)
    return next((message.content for message in messages if isinstance(message, SystemMessage)), "")
