"""The memory of a smolagents agent, by steps.

Of a step in which a tool failed, the calls stand only in the message of the model; what the other tools gave back is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    NO_QUERY,
    UNKNOWN_QUERY,
    call_of,
    object_of,
    objects_of,
    records_of,
    result_of,
    says,
    thread_of,
)
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall

_FINAL: Final = "final_answer"


class _Smolagents:
    name = "smolagents"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a memory."""
        steps = records_of(document)
        return any("step_number" in step and "model_output_message" in step for step in steps)

    def read(self, document: Any) -> Reading:
        """Read the steps as one conversation: each task is a turn."""
        steps = records_of(document)
        messages = [message for step in steps for message in _messages(step)]
        has_task = any("task" in step for step in steps)
        notes = () if has_task else (NO_QUERY,)
        return Reading((thread_of(messages if has_task else [UNKNOWN_QUERY, *messages]),), notes)


def _messages(step: dict[str, Any]) -> list[Any]:
    if "task" in step:
        return [{"role": "user", "content": step["task"]}]
    if "step_number" not in step:
        return []
    output = object_of(step.get("model_output_message") or {}, "the message of the model")
    listed = step.get("tool_calls") or output.get("tool_calls")
    calls = [_call(call) for call in objects_of(listed, "a tool call")]
    asked = says(step.get("model_output") if isinstance(step.get("model_output"), str) else None, calls)
    timing = step.get("timing")
    start, end = (time_of(timing.get(key)) if isinstance(timing, dict) else None for key in ("start_time", "end_time"))
    took = request_of(read_usage(step.get("token_usage")), None)
    # A step's time is that of the model and of the tools together.
    stopped = [failed(step["error"], str(step["error"]))] if step.get("error") is not None and not calls else []
    return [Beside(asked, start, took), *_results(step, calls), *_answer(step), *stopped, Beside(time=end)]


def _call(call: dict[str, Any]) -> Any:
    function = object_of(call.get("function"), "the function of a tool call")
    return call_of({**function, "id": call.get("id")})


def _results(step: dict[str, Any], calls: list[ToolCall]) -> list[Any]:
    """Give the results; where tools ran in parallel there is one text for all of them."""
    if step.get("error") is not None:
        return _failure(step["error"], calls)
    if step.get("observations") is None:
        return []
    return [result_of(call.id, step["observations"], call.name, error=False) for call in calls]


def _failure(error: Any, calls: list[ToolCall]) -> list[Any]:
    """Give the error of a step to the call that its text names by tool and arguments, as Python writes them."""
    text = str(error.get("message")) if isinstance(error, dict) else str(error)
    meant = [call for call in calls if f"{call.name!r} with arguments {call.arguments}" in text]
    failed = meant or calls
    return [result_of(call.id, text, call.name, error=True) for call in failed] if len(failed) == 1 else []


def _answer(step: dict[str, Any]) -> list[Any]:
    """Say what the final answer was: the model gives it by a call."""
    if not step.get("is_final_answer"):
        return []
    answer = step.get("action_output")
    return [says(str(answer if answer is not None else step.get("observations") or ""))]


SMOLAGENTS: Final = _Smolagents()
