"""Eval sets as Google ADK writes them today (``eval_set_id``, ``eval_cases``)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import PromptTrace, UserMessage, moment
from trajectory.errors import EvalSetError
from trajectory.evalset.adk import read_adk
from trajectory.evalset.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import ConversationThread, FunctionMessage, ToolCall, Trace
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonObject

SHAPE: Final = "adk"
_CASE: Final = "eval_case"
"""Under this key a thread that was read from an ADK file keeps its case as it stood there."""
_APP, _USER = "app", "user"
"""What a session is said to belong to where nothing tells; ADK wants names."""


def adk_document(eval_set: EvalSet) -> JsonObject:
    """Write an eval set as the JSON object of an ADK file.

    Args:
        eval_set: The eval set. A thread that was read from an ADK file, and not changed, is written as it stood there.

    Returns:
        The object.
    """
    texts = {"name": eval_set.name, "description": eval_set.description}
    stated = {key: text for key, text in texts.items() if text}
    return {"eval_set_id": eval_set.id, **stated, "eval_cases": [_case(thread) for thread in eval_set.threads]}


def adk_losses(eval_set: EvalSet) -> Iterator[str]:
    """Name everything of an eval set that an ADK file has no place for.

    Args:
        eval_set: The eval set.

    Yields:
        Each in a few words, with its place.
    """
    if eval_set.evaluation:
        yield "the settings of the set (evaluation)"
    yield from (f"the key {key!r} of the set" for key in eval_set.extras)
    for thread in eval_set.threads:
        if _kept_case(thread) is None:
            yield from (f"thread {thread.id!r}: {loss}" for loss in _thread_losses(thread))
        elif thread.evaluation:
            yield f"thread {thread.id!r}: its settings (evaluation)"


def _thread_losses(thread: ConversationThread) -> Iterator[str]:
    if thread.evaluation:
        yield "its settings (evaluation)"
    if thread.failed_calls:
        yield "which calls failed"
    yield from (f"the key {key!r}" for key in thread.extras if key != _CASE)
    for number, trace in enumerate(thread.traces, start=1):
        yield from (f"turn {number}: {loss}" for loss in _trace_losses(trace))


def _trace_losses(trace: Trace) -> Iterator[str]:
    if trace.error is not None:
        yield "the error in which it ended"
    if trace.tools:
        yield "the tools that the model was told about"
    if trace.user_message.name is not None:
        yield "the name of the user"
    if any(_says_more(trace)):
        yield "what the model was given and said on the way"
    if trace.pairing.unpaired:
        yield "results that belong to no call"


def _says_more(trace: Trace) -> Iterator[bool]:
    for iteration in trace.iterations:
        yield any(not isinstance(message, UserMessage) for message in iteration.history)
        yield any(bool(getattr(output, "content", output)) for output in iteration.output if _is_said(output))


def _is_said(output: object) -> bool:
    return isinstance(output, str) or getattr(output, "role", "") == "assistant"


def _case(thread: ConversationThread) -> JsonObject:
    return _kept_case(thread) or _new_case(thread)


def _kept_case(thread: ConversationThread) -> JsonObject | None:
    """Give the case that a thread was read from, if the thread is still what it says."""
    case = thread.extras.get(_CASE)
    if not isinstance(case, dict):
        return None
    text = json.dumps({"eval_set_id": "x", "eval_cases": [case]})
    try:
        (read,) = read_adk(Document.read("", text)).threads
    except EvalSetError:  # it is a case of another shape
        return None
    return case if read == thread.model_copy(update={"evaluation": read.evaluation}) else None


def _new_case(thread: ConversationThread) -> JsonObject:
    case: JsonObject = {"eval_id": thread.id, "conversation": [_invocation(trace) for trace in thread.traces]}
    if thread.description:
        case["description"] = thread.description
    if thread.tags:
        case["tags"] = list(thread.tags)
    if thread.initial_state is not None:
        case["session_input"] = {"app_name": _APP, "user_id": _USER, "state": thread.initial_state}
    if thread.expected_final_state is not None:
        case["final_session_state"] = thread.expected_final_state
    return case


def _invocation(trace: Trace) -> JsonObject:
    invocation: JsonObject = {"invocation_id": trace.id, "user_content": _content("user", trace.query)}
    if trace.response:
        invocation["final_response"] = _content("model", trace.response)
    if not isinstance(trace, PromptTrace):
        invocation["intermediate_data"] = _expectation(trace)
    seconds = moment(trace.start_time).timestamp()
    if seconds > 0:
        invocation["creation_timestamp"] = seconds
    return invocation


def _content(role: str, text: str) -> JsonObject:
    return {"role": role, "parts": [{"text": text}]}


def _expectation(trace: Trace) -> JsonObject:
    calls = trace.trajectory
    data: JsonObject = {"tool_uses": [_use(call) for call in calls]}
    responses = [_response(call.result) for call in calls if call.result is not None]
    return data | ({"tool_responses": responses} if responses else {})


def _use(call: ToolCall) -> JsonObject:
    use: dict[str, Any] = {"name": call.name, "args": call.arguments}
    return use | ({"id": call.id} if call.id is not None else {})


def _response(result: FunctionMessage) -> JsonObject:
    """Write a result; ADK wants an object, and puts everything else under the key ``result``."""
    text = result.content or ""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    response = value if isinstance(value, dict) else {"result": text}
    named: JsonObject = {"name": result.name, "response": response}
    return named | ({"id": result.id} if result.id is not None else {})
