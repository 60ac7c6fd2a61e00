"""What ``codex exec --json`` prints: events of turns and of the items in them.

An item comes with its beginning, with changes and with its end; the last of them counts. The calls are those of commands,
of files, of searches and of MCP; what the user said is not printed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from trajectory.recordings.beside import Beside, failed, request_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    NO_QUERY,
    UNKNOWN_QUERY,
    call_of,
    id_of,
    left_out,
    object_of,
    objects_of,
    records_of,
    result_of,
    says,
    thread_of,
)
from trajectory.recordings.usage import added_usage, read_usage
from trajectory.usage import Usage

_ITEMS: Final = ("item.started", "item.updated", "item.completed")
_EVENTS: Final = ("thread.started", "turn.started", "turn.completed", "turn.failed", "error", *_ITEMS)
_ARGUMENTS: Final = {"command_execution": ("command",), "file_change": ("changes",), "web_search": ("query", "action")}
"""The items that are calls of tools of the program, and which of their keys are arguments."""
_SAID: Final = ("agent_message", "assistant_message")
_SILENT: Final = ("reasoning", "error")
_RUNNING: Final = (None, "in_progress")


class _CodexExec:
    name = "codex-exec"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a list of events, or an object that holds one."""
        events = _events(document)
        return all(event.get("type") in _EVENTS for event in events) and any(
            event["type"] != "error" for event in events
        )

    def read(self, document: Any) -> Reading:
        """Read the events as one conversation; a turn that failed or did not end makes the recording incomplete."""
        stream = _Stream()
        for event in _events(document):
            stream.read(event)
        messages = [message for turn in stream.turns for message in turn.messages(stream.unknown)]
        unknown = left_out(stream.unknown.total(), f"items of other kinds: {', '.join(sorted(stream.unknown))}")
        is_open = any(not turn.ended for turn in stream.turns)
        notes = (NO_QUERY, *unknown, *stream.notes, *(["a turn did not end"] if is_open else []))
        return Reading((thread_of(messages, stream.thread),), notes, incomplete=is_open)


def _events(document: Any) -> list[dict[str, Any]]:
    wrapped = isinstance(document, dict) and document.keys() == {"events"}
    return records_of(document["events"] if wrapped else document)


@dataclass
class _Turn:
    items: dict[Any, dict[str, Any]] = field(default_factory=dict)
    usage: Usage | None = None
    ended: bool = False
    failure: Beside | None = None

    def messages(self, unknown: Counter[str]) -> list[Any]:
        said = [message for item in self.items.values() for message in _messages(item, unknown)]
        took = [Beside(request=request_of(self.usage, None))] if self.usage else []
        return [UNKNOWN_QUERY, *said, *took, *([self.failure] if self.failure else [])]


@dataclass
class _Stream:
    thread: str | None = None
    turns: list[_Turn] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    total: Usage = field(default_factory=Usage)

    def read(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == "thread.started":
            self.thread = id_of(event.get("thread_id"))
        elif kind == "turn.started" or not self.turns:
            self.turns.append(_Turn())
        if kind in _ITEMS:
            item = dict(object_of(event.get("item"), "an item"))
            self.turns[-1].items[id_of(item.get("id"))] = item
        elif kind == "turn.completed":
            total = read_usage(event.get("usage")) or Usage()
            self.turns[-1].usage, self.total = added_usage(self.total, total) or total, total
            self.turns[-1].ended = True
        elif kind == "turn.failed":
            self.notes.append("a turn failed")
            self.turns[-1].failure = failed(event.get("error"), "the turn failed")


def _messages(item: dict[str, Any], unknown: Counter[str]) -> list[Any]:
    kind, identity = str(item.get("type", item.get("item_type"))), item.get("id")
    if kind in _SAID:
        return [says(item.get("text"))]
    if kind == "mcp_tool_call":
        call = call_of(item, name="tool")
    elif kind in _ARGUMENTS:
        call = call_of(
            {"name": kind, "id": identity, "arguments": {key: item[key] for key in _ARGUMENTS[kind] if key in item}}
        )
    else:
        unknown.update([] if kind in _SILENT else [kind])
        return []
    if item.get("status") in _RUNNING:
        return [says(None, [call])]
    return [says(None, [call]), result_of(identity, _output(item), call.name, error=item["status"] != "completed")]


def _output(item: dict[str, Any]) -> object:
    """Give what a tool gave back; of an error its message, of MCP the texts."""
    error, result = item.get("error"), item.get("result")
    if isinstance(error, dict):
        return error.get("message")
    if isinstance(result, dict) and isinstance(result.get("content"), list):
        texts = [block.get("text") for block in objects_of(result["content"], "a block")]
        return "".join(text for text in texts if isinstance(text, str))
    return item.get("aggregated_output", result)


CODEX_EXEC: Final = _CodexExec()
