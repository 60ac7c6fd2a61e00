"""Write recorded threads as trajectories of ATIF, the Agent Trajectory Interchange Format of Harbor (version 1.7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajectory._version import __version__
from trajectory.atomic import replace_file
from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    MalformedArguments,
    NotRecorded,
    SystemMessage,
    moment,
)
from trajectory.errors import ConfigurationError, EvalSetError, Problem

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.conversation import ConversationThread, ToolCall, Trace, Usage
    from trajectory.json_values import JsonObject

VERSION: Final = "ATIF-v1.7"
FORMATS: Final = ("atif",)
"""The formats that can be written."""


def save_recordings(
    threads: Iterable[ConversationThread],
    path: str | os.PathLike[str],
    format: str = "atif",  # noqa: A002 - the field's name for it
    *,
    allow_loss: bool = False,
) -> None:
    """Write recorded threads into a file: one trajectory for each, in a list, or one a line where the name ends in .jsonl.

    Args:
        threads: The threads.
        path: The file; an existing one is replaced as a whole or not at all.
        format: The format; there is ``atif``.
        allow_loss: Leave out what the format has no place for (see `atif_losses`); without this, that is an error.

    Raises:
        EvalSetError: Something would be lost, or the file cannot be written.
        ConfigurationError: There is no such format to write.
    """
    file, written = str(path), list(threads)
    if format not in FORMATS:
        raise ConfigurationError(f"{file}: expected one of the formats {', '.join(FORMATS)}, found {format!r}")
    lost = [] if allow_loss else list(atif_losses(written))
    if lost:
        hint = "allow_loss leaves it out"
        raise EvalSetError([Problem(file, None, None, "", "what ATIF has a place for", loss, hint) for loss in lost])
    documents = [atif_trajectory(thread) for thread in written]
    if file.endswith(".jsonl"):
        text = "".join(json.dumps(document) + "\n" for document in documents)
    else:
        text = json.dumps(documents if len(documents) != 1 else documents[0], indent=2) + "\n"
    try:
        replace_file(Path(path), text.encode())
    except OSError as problem:
        raise EvalSetError(
            [Problem(file, None, None, "", "a file that can be written", problem.strerror or str(problem))]
        ) from None


def atif_losses(threads: Iterable[ConversationThread]) -> Iterator[str]:
    """Name everything that ATIF has no place for: it knows no errors of calls, and no arguments that are no object.

    Args:
        threads: The threads.

    Yields:
        Each in a few words, with its place.
    """
    for thread in threads:
        if thread.final_state is not None:
            yield f"thread {thread.id!r}: the state in which the session ended"
        for number, trace in enumerate(thread.traces, start=1):
            yield from (f"thread {thread.id!r}, turn {number}: {loss}" for loss in _losses(trace))


def _losses(trace: Trace) -> Iterator[str]:
    if trace.error is not None:
        yield "the error in which it ended"
    for call in trace.trajectory:
        if isinstance(call.arguments, MalformedArguments):
            yield f"the malformed arguments of {call.name}"
        elif isinstance(call.arguments, NotRecorded):
            yield f"that the arguments of {call.name} were not recorded"
        if call.result is not None and call.result.error is not None:
            yield f"whether the call of {call.name} failed"
        if call.agent is not None:
            yield f"which agent called {call.name}"


def atif_trajectory(thread: ConversationThread) -> JsonObject:
    """Write a thread as a trajectory.

    Args:
        thread: The thread.

    Returns:
        The JSON object. A call without an id gets one, which its result names.
    """
    models = [model for trace in thread.traces for model in trace.models or ()]
    agent: JsonObject = {"name": "agent", "version": "unknown"}
    if models and len(set(models)) == 1:
        agent["model_name"] = models[0]
    steps = [step for number, trace in enumerate(thread.traces, start=1) for step in _steps(trace, number)]
    return {
        "schema_version": VERSION,
        "session_id": thread.id,
        "agent": agent,
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        "notes": f"written by trajectory {__version__}",
    }


def _steps(trace: Trace, turn: int) -> list[JsonObject]:
    begun, ended = moment(trace.start_time), moment(trace.end_time)
    has_times = begun.timestamp() != 0
    user: JsonObject = {"source": "user", "message": trace.query}
    system = _instructions(trace) if turn == 1 else None
    steps: list[JsonObject] = [{"source": "system", "message": system}] if system else []
    steps.append({**user, **({"timestamp": begun.isoformat()} if has_times else {})})
    answers = list(_agent_steps(trace, turn))
    if answers and has_times:
        answers[-1]["timestamp"] = ended.isoformat()
    if answers and trace.usage is not None:
        answers[-1]["metrics"] = _metrics(trace.usage)
    if answers and trace.models:
        answers[-1]["model_name"] = trace.models[0]
    return [*steps, *answers]


def _instructions(trace: Trace) -> str | None:
    messages = (message for iteration in trace.iterations for message in iteration.history)
    return next((message.content for message in messages if isinstance(message, SystemMessage)), None)


def _agent_steps(trace: Trace, turn: int) -> Iterator[JsonObject]:
    calls, at = trace.trajectory, 0
    for size, said in _rounds(trace, len(calls)):
        made = calls[at : at + size]
        ids = [call.id or f"call_{turn}_{at + place}" for place, call in enumerate(made, start=1)]
        at += size
        results = [
            {"source_call_id": name, "content": call.result.content}
            for call, name in zip(made, ids, strict=True)
            if call.result is not None
        ]
        step: JsonObject = {"source": "agent", "message": said or ""}
        step["tool_calls"] = [_call(call, name) for call, name in zip(made, ids, strict=True)]
        yield step | ({"observation": {"results": results}} if results else {})
    if trace.response:
        yield {"source": "agent", "message": trace.response}


def _call(call: ToolCall, name: str) -> JsonObject:
    arguments: Any = call.arguments if isinstance(call.arguments, dict) else {}
    return {"tool_call_id": name, "function_name": call.name, "arguments": arguments}


def _rounds(trace: Trace, total: int) -> Sequence[tuple[int, str | None]]:
    """Tell how many calls the model asked for at once, and what it said with them; all at once where nothing tells."""
    said = [
        output
        for iteration in trace.iterations
        for output in iteration.output
        if not isinstance(output, FunctionMessage)
    ]
    rounds = [
        (len(message.tool_calls), message.content)
        for message in said
        if isinstance(message, AssistantMessage) and message.tool_calls
    ]
    if sum(size for size, _ in rounds) == total:
        return rounds
    return [(total, None)] if total else []


def _metrics(usage: Usage) -> JsonObject:
    facts = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost_usd": usage.cost_usd,
    }
    return {key: value for key, value in facts.items() if value is not None}
