"""Logs of Inspect AI: each sample and epoch is a conversation.

A log keeps long texts apart, as attachments that are named where they belong.
"""

from __future__ import annotations

import re
from typing import Any, Final

from trajectory.conversation import FunctionMessage, MalformedArguments
from trajectory.recordings.beside import Beside, Request, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import call_of, id_of, objects_of, result_of, says, texts_in, thread_of
from trajectory.recordings.usage import read_usage

_ATTACHMENT: Final = "attachment://"
_UNPARSED: Final = re.compile(
    r"Error parsing the following tool call arguments:\n\n(?P<text>.*)\n\nError details: (?P<reason>.*)", re.DOTALL
)


class _InspectAI:
    name = "inspect-ai"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a log."""
        return isinstance(document, dict) and all(key in document for key in ("status", "eval", "plan"))

    def read(self, document: Any) -> Reading:
        """Read the samples; a log of a run that did not succeed is incomplete."""
        samples = objects_of(document.get("samples"), "a sample")
        status = document["status"]
        failed = [_name(sample) for sample in samples if sample.get("error") is not None]
        notes = (
            *(() if status == "success" else (f"the run of this log has the status {status!r}",)),
            *([f"samples that ended in an error: {', '.join(failed)}"] if failed else []),
        )
        return Reading(tuple(_thread(sample) for sample in samples), notes, incomplete=bool(notes))


def _name(sample: dict[str, Any]) -> str:
    return f"{sample.get('id')}_epoch_{sample.get('epoch', 1)}"


def _thread(sample: dict[str, Any]) -> Any:
    attachments = sample.get("attachments")
    kept = {key: sample.get(key) for key in ("messages", "input")}
    whole = _whole(kept, attachments if isinstance(attachments, dict) else {})
    messages = [*_asked(**whole), *objects_of(whole["messages"], "a message")]
    events = _Events(sample.get("events"))
    records = [one for message in messages for one in _with_event(message, events)]
    if records and not isinstance(records[0], Beside):
        records[0] = Beside(records[0], time_of(sample.get("started_at")))
    ended = Beside(time=time_of(sample.get("completed_at")), request=_unlogged(sample, events, messages))
    return thread_of([*records, ended], _name(sample))


def _asked(messages: Any, input: Any) -> list[dict[str, Any]]:  # noqa: A002 - the name of the field
    """Give what was asked, where no message says it: the input of the sample."""
    said = messages if isinstance(messages, list) else []
    lacks_query = said and not any(isinstance(one, dict) and one.get("role") == "user" for one in said)
    return [{"role": "user", "content": input}] if lacks_query and isinstance(input, str) else []


class _Events:
    """What the events of a sample say of its messages: by their ids which request and which run of a tool made them."""

    def __init__(self, events: Any) -> None:
        listed = [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []
        self.tools = {id_of(event.get("id")): event for event in listed if event.get("event") == "tool"}
        self.models = {_answer_id(event): event for event in listed if event.get("event") == "model"}


def _answer_id(event: dict[str, Any]) -> str | None:
    """Give the id of the message that a model's answer became."""
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    message = (
        choices[0].get("message") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    )
    return id_of(message.get("id")) if isinstance(message, dict) else None


def _with_event(message: dict[str, Any], events: _Events) -> list[Any]:
    record = _record(message)
    if isinstance(record, FunctionMessage) and (ran := events.tools.get(record.id)):
        times = {"start_time": time_of(ran.get("timestamp")), "end_time": time_of(ran.get("completed"))}
        return [record.model_copy(update=times)]
    identity = id_of(message.get("id"))
    answered = events.models.get(identity) if identity is not None else None
    if answered is None:
        return [record]
    took = request_of(read_usage(answered["output"].get("usage")), answered.get("model"))
    asked, completed = time_of(answered.get("timestamp")), time_of(answered.get("completed"))
    return [Beside(time=asked), Beside(record, completed or asked, took)]


def _unlogged(sample: dict[str, Any], events: _Events, messages: list[dict[str, Any]]) -> Request | None:
    """Tell what a sample took whose events are not there: of a conversation of one turn the sum is recorded."""
    used = sample.get("model_usage")
    users = [message for message in messages if message.get("role") == "user"]
    if events.models or not isinstance(used, dict) or len(users) != 1 or len(used) != 1:
        return None
    ((model, usage),) = used.items()
    return request_of(read_usage(usage), model)


def _whole(value: Any, attachments: dict[str, Any]) -> Any:
    """Put attachments back where they belong."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, dict):
        return {key: _whole(item, attachments) for key, item in value.items()}
    return [_whole(item, attachments) for item in value] if isinstance(value, list) else value


def _record(message: dict[str, Any]) -> Any:
    role, text = message.get("role"), texts_in(message.get("content"))
    if role == "tool":
        failed = any(message.get(key) is not None for key in ("error", "tool_error"))  # the latter in 2024
        return result_of(message.get("tool_call_id"), text, message.get("function"), error=failed)
    if role != "assistant":
        return {"role": role, "content": text}
    return says(text, [_call(call) for call in objects_of(message.get("tool_calls"), "a tool call")])


def _call(call: dict[str, Any]) -> Any:
    """Read a call; of one that could not be parsed the log keeps the text in the words of the error, not as arguments."""
    name = "name" if isinstance(call.get("name"), str) else "function"
    error = call.get("parse_error")
    if not isinstance(error, str) or call.get("arguments"):
        return call_of(call, name=name)
    told = _UNPARSED.fullmatch(error)
    given = MalformedArguments(told["text"] if told else "", told["reason"] if told else error)
    return call_of({**call, "arguments": given}, name=name)


INSPECT_AI: Final = _InspectAI()
