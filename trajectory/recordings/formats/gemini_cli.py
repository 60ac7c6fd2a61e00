"""Sessions of the Gemini command line: a document, or since late 2025 a record a line.

In files of lines a message that comes again replaces itself, ``$set`` changes the session, and ``$rewindTo`` drops what
follows a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.json_values import describe
from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    call_of,
    id_of,
    left_out,
    objects_of,
    records_of,
    result_of,
    says,
    texts_in,
    thread_of,
)
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import FunctionMessage

_TOLD: Final = ("user", "gemini", "error")
_SILENT: Final = ("info", "warning")


class _GeminiCli:
    name = "gemini-cli"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a session."""
        records = records_of(document)
        return bool(records) and "sessionId" in records[0] and "projectHash" in records[0]

    def read(self, document: Any) -> Reading:
        """Read the session as a conversation."""
        first, *later = records_of(document)
        messages = _replayed([*objects_of(first.get("messages"), "a message"), *later])
        speaking = [message for message in messages if message.get("type") in _TOLD]
        records = [record for message in speaking for record in _records(message)]
        notes = left_out(
            sum(message.get("type") not in _SILENT for message in messages) - len(speaking), "messages of other kinds"
        )
        return Reading((thread_of(records, first["sessionId"]),), notes)


def _replayed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    messages: dict[Any, dict[str, Any]] = {}
    for number, record in enumerate(records):
        if "$rewindTo" in record:
            kept = _position(list(messages), record["$rewindTo"]) + 1
            messages = dict(list(messages.items())[:kept])
        elif "$set" not in record:
            messages[id_of(record.get("id")) or number] = record
    return list(messages.values())


def _position(ids: list[Any], wanted: Any) -> int:
    if wanted not in ids:
        raise ValueError(f"expected $rewindTo to name an earlier message, found {describe(wanted)}")
    return ids.index(wanted)


def _records(message: dict[str, Any]) -> list[Any]:
    text, time = texts_in(message.get("content")), time_of(message.get("timestamp"))
    if message["type"] == "user":
        return [Beside({"role": "user", "content": text}, time)]
    if message["type"] == "error":
        return [failed(text, "the program reported an error", time)]
    calls = objects_of(message.get("toolCalls"), "a tool call")
    results = [
        Beside(_result(call), time_of(call.get("timestamp"))) for call in calls if call.get("result") is not None
    ]
    took = request_of(read_usage(message.get("tokens")), message.get("model"))
    return [Beside(says(text, [call_of(call, arguments="args") for call in calls]), time, took), *results]


def _result(call: dict[str, Any]) -> FunctionMessage:
    given = call["result"]
    parts = given if isinstance(given, list) else [given]
    responses = [part.get("functionResponse") for part in parts if isinstance(part, dict)]
    values = [response.get("response") for response in responses if isinstance(response, dict)]
    failed = call.get("status") not in (None, "success")
    return result_of(call.get("id"), values[0] if len(values) == 1 else given, call.get("name"), error=failed)


GEMINI_CLI: Final = _GeminiCli()
