"""Rollouts of the Codex command line: records around items of the Responses API; in old ones, the items by themselves.

The records of kind ``event_msg`` say once more what the items say, so only the items are read.
"""

from __future__ import annotations

from typing import Any, Final

from trajectory.recordings.beside import request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import left_out, records_of, texts_in, thread_of
from trajectory.recordings.formats.openai_responses import ItemReader
from trajectory.recordings.usage import added_usage, read_usage
from trajectory.usage import Usage

_KINDS: Final = (
    "session_meta",
    "response_item",
    "turn_context",
    "event_msg",
    "compacted",
    "world_state",
    "inter_agent_communication",
)
_INJECTED: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<INSTRUCTIONS>",
    "<skill>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<user_action>",
    "Another language model started to solve this problem",
    "# AGENTS.md instructions",
)


class _Codex:
    name = "codex"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a rollout."""
        records = records_of(document)
        return _is_old(records) or (
            bool(records) and all(record.get("type") in _KINDS and "payload" in record for record in records)
        )

    def read(self, document: Any) -> Reading:
        """Read the rollout as one conversation."""
        given = records_of(document)
        wrapped = _wrapped(given) if _is_old(given) else given
        records = [record for record in wrapped if isinstance(record["payload"], dict)]
        items = [record["payload"] for record in records if record["type"] == "response_item"]
        said = [item for item in items if not _is_injected(item)]
        ids = [record["payload"].get("id") for record in records if record["type"] == "session_meta"]
        reader = ItemReader(said)
        _read_records(records, reader)
        notes = (
            *reader.notes(),
            *left_out(len(items) - len(said), "user messages", "the program put them there, not the user"),
            *left_out(sum(record["type"] == "compacted" for record in records), "summaries of what came before"),
        )
        return Reading((thread_of(reader.finish(), ids[0] if ids else None),), notes)


def _is_old(records: list[dict[str, Any]]) -> bool:
    """Tell a rollout of before autumn 2025: what is said of the session, then items with nothing around them."""
    if len(records) < 2 or not {"id", "timestamp", "instructions"} <= records[0].keys() or "type" in records[0]:  # noqa: PLR2004 - the session and an item
        return False
    return all("record_type" in record or ("type" in record and "payload" not in record) for record in records[1:])


def _wrapped(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    session, *items = records
    return [
        {"type": "session_meta", "payload": session},
        *({"type": "response_item", "payload": item} for item in items if "type" in item),
    ]


def _read_records(records: list[dict[str, Any]], reader: ItemReader) -> None:
    model, before = None, Usage()
    for record in records:
        payload = record["payload"]
        if record["type"] == "turn_context":
            model = payload.get("model")
        elif record["type"] == "response_item" and not _is_injected(payload):
            reader.read(payload, time_of(record.get("timestamp")))
        elif payload.get("type") == "token_count" and isinstance(payload.get("info"), dict):
            total = read_usage(payload["info"].get("total_token_usage")) or Usage()
            if total != before:
                # Each total is written more than once.
                usage = added_usage(before, total) or read_usage(payload["info"].get("last_token_usage"))
                reader.note(request_of(usage, model))
            before = total


def _is_injected(item: dict[str, Any]) -> bool:
    return item.get("role") == "user" and texts_in(item.get("content")).lstrip().startswith(_INJECTED)


CODEX: Final = _Codex()
