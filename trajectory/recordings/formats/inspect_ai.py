"""Logs of Inspect AI: each sample and epoch is a conversation.

A log keeps long texts apart, as attachments that are named where they belong.
"""

from __future__ import annotations

from typing import Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import call_of, objects_of, result_of, says, texts_in, thread_of

_ATTACHMENT: Final = "attachment://"


class _InspectAI:
    name = "inspect-ai"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a log."""
        return isinstance(document, dict) and all(key in document for key in ("status", "eval", "plan"))

    def read(self, document: Any) -> Reading:
        """Read the samples; a log of a run that did not succeed is incomplete."""
        samples = objects_of(document.get("samples"), "a sample")
        status = document["status"]
        notes = () if status == "success" else (f"the run of this log has the status {status!r}",)
        return Reading(tuple(_thread(sample) for sample in samples), notes, incomplete=bool(notes))


def _thread(sample: dict[str, Any]) -> Any:
    attachments = sample.get("attachments")
    messages = _whole(sample.get("messages"), attachments if isinstance(attachments, dict) else {})
    records = [_record(message) for message in objects_of(messages, "a message")]
    return thread_of(records, f"{sample.get('id')}_epoch_{sample.get('epoch', 1)}")


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
        failed = message.get("error") is not None
        return result_of(message.get("tool_call_id"), text, message.get("function"), error=failed)
    if role != "assistant":
        return {"role": role, "content": text}
    return says(text, [_call(call) for call in objects_of(message.get("tool_calls"), "a tool call")])


def _call(call: dict[str, Any]) -> Any:
    """Read a call; of one that could not be parsed the log keeps the text under a key of its own making."""
    name = "name" if isinstance(call.get("name"), str) else "function"
    return call_of(call, name=name)


INSPECT_AI: Final = _InspectAI()
