"""Events of OpenHands before its software agent SDK: numbered actions and observations.

An action that the model called for says so beside it, with the answer of the model; other actions of the agent are calls
under their own names. An observation names the action that caused it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.beside import Beside, Request, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import call_of, id_of, objects_of, records_of, result_of, says, thread_of
from trajectory.recordings.formats.records import every_record
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall

_NO_CALLS: Final = ("system", "message", "change_agent_state", "recall", "null", "condensation")


class _OpenHandsV0:
    name = "openhands-v0"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a list of such events, or what a benchmark keeps of runs: the history of each."""
        return every_record(document, _is_event) or every_record(document, _is_run)

    def read(self, document: Any) -> Reading:
        """Read the events of a run as one conversation."""
        records = records_of(document)
        if not _is_run(records[0]):
            return Reading((thread_of(_messages(records)),))
        return Reading(tuple(thread_of(_messages(run["history"]), run["instance_id"]) for run in records))


def _is_run(record: dict[str, Any]) -> bool:
    return "instance_id" in record and every_record(record.get("history"), _is_event)


def _messages(events: list[dict[str, Any]]) -> list[Any]:
    messages: list[Any] = []
    calls: dict[str | None, ToolCall] = {}
    answers: set[str | None] = set()
    for event in events:
        number, time = id_of(event.get("cause", event.get("id"))), time_of(event.get("timestamp"))
        if "observation" in event:
            call = calls.get(number)
            messages += [Beside(_result(event, call), time)] if call else []
        elif event["action"] == "message":
            role = "user" if event["source"] == "user" else "assistant"
            messages.append(Beside({"role": role, "content": _argument(event, "content")}, time))
        elif event["source"] == "agent" and event["action"] not in _NO_CALLS:
            calls[number] = _call(event)
            messages.append(Beside(says(_argument(event, "thought"), [calls[number]]), time, _request(event, answers)))
    return messages


def _is_event(record: dict[str, Any]) -> bool:
    kinds = [record[key] for key in ("action", "observation") if key in record]
    return (
        len(kinds) == 1
        and isinstance(kinds[0], str)
        and "timestamp" in record
        and isinstance(record.get("source"), str)
    )


def _argument(event: dict[str, Any], key: str) -> Any:
    arguments = event.get("args")
    return arguments.get(key) if isinstance(arguments, dict) else None


def _asked(event: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give what says that the model called for an action, and the answer in which it did."""
    about = event.get("tool_call_metadata")
    told = about if isinstance(about, dict) else {}
    answer = told.get("model_response")
    return told, answer if isinstance(answer, dict) else {}


def _call(event: dict[str, Any]) -> ToolCall:
    told, answer = _asked(event)
    identity = id_of(told.get("tool_call_id"))
    choices = objects_of(answer.get("choices"), "an answer")
    said = [choice["message"] for choice in choices if isinstance(choice.get("message"), dict)]
    for call in (call for message in said for call in objects_of(message.get("tool_calls"), "a tool call")):
        if call.get("id") == identity and isinstance(call.get("function"), dict):
            return call_of({**call["function"], "id": identity})
    return call_of(
        {"name": told.get("function_name") or event["action"], "id": identity, "arguments": event.get("args")}
    )


def _request(event: dict[str, Any], answers: set[str | None]) -> Request | None:
    """Tell of the request that called for an action, once for all the actions that it called for."""
    _, answer = _asked(event)
    identity = id_of(answer.get("id"))
    if identity is None or identity in answers:
        return None
    answers.add(identity)
    return request_of(read_usage(answer.get("usage")), answer.get("model"))


def _result(event: dict[str, Any], call: ToolCall) -> Any:
    failed = event["observation"] == "error" or event.get("success") is False
    return result_of(call.id, event.get("content"), call.name, error=failed if failed or "success" in event else None)


OPENHANDS_V0: Final = _OpenHandsV0()
