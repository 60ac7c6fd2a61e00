"""Logs of the Model Context Protocol: requests and responses of JSON-RPC.

Such a log shows calls and results, but nobody's words: it is one turn without a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    UNKNOWN_QUERY,
    call_of,
    id_of,
    object_of,
    records_of,
    result_of,
    says,
    text_of,
    thread_of,
)

if TYPE_CHECKING:
    from trajectory.conversation import FunctionMessage

_NO_WORDS: Final = "neither the user's nor the agent's words are in such a log"


class _McpLog:
    name = "mcp-log"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a log."""
        records = records_of(document)
        return bool(records) and all(record.get("jsonrpc") == "2.0" for record in records)

    def read(self, document: Any) -> Reading:
        """Read the calls in the order of their requests; ids of JSON-RPC join them with their results."""
        messages: list[Any] = [UNKNOWN_QUERY]
        called: dict[Any, str] = {}
        for record in records_of(document):
            identity = id_of(record.get("id"))
            if record.get("method") == "tools/call":
                call = call_of({**object_of(record.get("params"), "the parameters of a call"), "id": record.get("id")})
                called[identity] = call.name
                messages.append(says(None, [call]))
            elif "method" not in record and identity in called:
                messages.append(_result(record, called.pop(identity)))
        return Reading((thread_of(messages),), (_NO_WORDS,))


def _result(record: dict[str, Any], name: str) -> FunctionMessage:
    result = record.get("result")
    said = result if isinstance(result, dict) else {}
    content, failed = said.get("content"), bool(said.get("isError")) or "error" in record
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
    text = "".join(texts) if texts else text_of(record.get("error", result))
    return result_of(record["id"], text, name, error=failed)


MCP_LOG: Final = _McpLog()
