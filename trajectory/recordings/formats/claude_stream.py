"""What Claude Code prints with ``--output-format stream-json``: messages of a session, and how each run of it ended.

The user's words are there only where they were asked for. Unlike in transcripts there is no tree, keys are spelt with
underscores, and what a run took stands in the record that ends it: what its messages say of that is not final.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from trajectory.recordings.beside import Beside, Request, failed
from trajectory.recordings.formats.anthropic import anthropic_messages
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    NO_QUERY,
    UNKNOWN_QUERY,
    id_of,
    left_out,
    object_of,
    objects_of,
    records_of,
    thread_of,
)
from trajectory.recordings.usage import added_usage, read_usage
from trajectory.usage import Usage

_SPEAKERS: Final = ("user", "assistant")
_NO_END: Final = "a run did not end"


class _ClaudeStream:
    name = "claude-stream"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a stream: records speak, and name their session as only this program does."""
        return any(_speaks(record) and "sessionId" not in record for record in records_of(document))

    def read(self, document: Any) -> Reading:
        """Read a conversation for each session; a run that did not end makes the recording incomplete."""
        records = records_of(document)
        main = [record for record in records if record.get("parent_tool_use_id") is None]
        sessions: dict[str | None, _Session] = {}
        for record in main:
            sessions.setdefault(id_of(record.get("session_id")), _Session()).read(record)
        threads = tuple(thread_of(session.messages(), name) for name, session in sessions.items())
        notes = [
            *left_out(len(records) - len(main), "records of sub-agents"),
            *(note for session in sessions.values() for note in session.notes),
        ]
        return Reading(threads, tuple(dict.fromkeys(notes)), incomplete=_NO_END in notes)


def _speaks(record: dict[str, Any]) -> bool:
    return record.get("type") in _SPEAKERS and "message" in record and "session_id" in record


@dataclass
class _Run:
    """The messages between the ends of two runs; one message of the model comes in many records."""

    spoken: list[dict[str, Any]] = field(default_factory=list)
    models: dict[str, None] = field(default_factory=dict)
    end: dict[str, Any] | None = None

    def add(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content, "a block")
        identity = id_of(message.get("id"))
        same = [one for one in self.spoken if identity is not None and one["id"] == identity]
        if same:
            same[-1]["content"] += blocks
        else:
            self.spoken.append({"id": identity, "role": message.get("role"), "content": blocks})
        if isinstance(message.get("model"), str):
            self.models[message["model"]] = None

    def lacks_query(self) -> bool:
        first = self.spoken[0]
        has_text = any(block.get("type") == "text" for block in first["content"])
        return first["role"] != "user" or not has_text


@dataclass
class _Session:
    runs: list[_Run] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, record: dict[str, Any]) -> None:
        if _speaks(record):
            if not self.runs or self.runs[-1].end is not None:
                self.runs.append(_Run())
            self.runs[-1].add(dict(object_of(record["message"], "a message")))
        elif record.get("type") == "result" and self.runs:
            self.runs[-1].end = record
            if record.get("is_error"):
                self.notes.append(f"a run ended in an error: {record.get('subtype')}")

    def messages(self) -> list[Any]:
        """Give the messages of all runs; each run is a turn at least, whose query may not be there."""
        messages: list[Any] = []
        total = Usage()
        for run in self.runs:
            converted = anthropic_messages(run.spoken)
            messages += [*([UNKNOWN_QUERY] if run.lacks_query() else []), *converted.messages]
            self.notes += [*([NO_QUERY] if run.lacks_query() else []), *converted.notes]
            if run.end is None:
                self.notes.append(_NO_END)
                continue
            now = read_usage(run.end.get("usage"), run.end.get("total_cost_usd")) or Usage()
            messages += _requests(total, now, list(run.models))
            if run.end.get("is_error"):
                messages.append(failed(run.end.get("result"), str(run.end.get("subtype"))))
            total = now
        return messages


def _requests(before: Usage, total: Usage, models: list[str]) -> list[Beside]:
    """Tell what a run took. The program sums up the runs of one process, which is not to be seen: the least is told."""
    added = added_usage(before, total) or total
    is_first = before == Usage()
    took = added if is_first else replace(added, tokens_complete=False, cost_complete=False)
    others = Usage(0, 0, cost_usd=None if took.cost_usd is None else 0.0)
    requests = [Request(others if at else took, model) for at, model in enumerate(models)] or [Request(took)]
    return [Beside(request=request) for request in requests]


CLAUDE_STREAM: Final = _ClaudeStream()
