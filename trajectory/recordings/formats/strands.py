"""Messages of Strands Agents, which are those of the Converse API of Amazon Bedrock.

What tools gave back stands in messages of the user. A session store of Strands is a folder with one message a file; it is
read as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.beside import Beside, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    call_of,
    object_of,
    objects_of,
    result_of,
    says,
    text_of,
    texts_in,
    thread_of,
)
from trajectory.recordings.formats.message_lists import Converted, MessageLists
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import FunctionMessage

_MEDIA: Final = ("image", "document", "video")


def strands_messages(messages: list[dict[str, Any]]) -> Converted:
    """Make messages such as the reader of chat messages understands."""
    return Converted([record for message in messages for record in _records(message)])


def _records(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    blocks: list[dict[str, Any]] = [{"text": content}] if isinstance(content, str) else objects_of(content, "a block")
    text, time = "".join(_text(block) for block in blocks), time_of(message.get("created_at"))
    if message.get("role") == "assistant":
        calls = [block["toolUse"] for block in blocks if "toolUse" in block]
        asked = says(text, [call_of(call, arguments="input", id="toolUseId") for call in calls])
        about = message.get("metadata")
        usage = read_usage(about.get("usage")) if isinstance(about, dict) else None
        return [Beside(asked, time, request_of(usage, None))]
    results = [_result(block["toolResult"]) for block in blocks if "toolResult" in block]
    has_more = text or not results
    said = [*results, *([{"role": message.get("role"), "content": text}] if has_more else [])]
    return [Beside(one, time) for one in said]


def _text(block: dict[str, Any]) -> str:
    """Give the text of a block; pictures and the like are named."""
    media = next((f"[{key}]" for key in _MEDIA if key in block), "")
    return texts_in([block]) or media


def _result(given: Any) -> FunctionMessage:
    result = object_of(given, "a tool result")
    parts = objects_of(result.get("content"), "a part of a tool result")
    texts = [str(part["text"]) if "text" in part else text_of(part.get("json", part)) or "" for part in parts]
    return result_of(result.get("toolUseId"), "".join(texts), error=result.get("status") == "error")


class _StrandsSession:
    name = "strands-session"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is what a session store holds."""
        return isinstance(document, dict) and "session" in document and isinstance(document.get("agents"), dict)

    def read(self, document: Any) -> Reading:
        """Read the messages of each agent of the session as a conversation; the session's id names the first."""
        session = object_of(document["session"], "the session").get("session_id")
        agents = [
            (name, f"{session}-{name}" if len(document["agents"]) > 1 else session, messages)
            for name, messages in sorted(document["agents"].items())
        ]
        states = object_of(document.get("states", {}), "the states of the agents")
        threads = tuple(
            thread_of(strands_messages(_inner(messages)).messages, name, states.get(agent))
            for agent, name, messages in agents
        )
        return Reading(threads)


def _inner(messages: Any) -> list[dict[str, Any]]:
    stored = objects_of(messages, "a stored message")
    return [
        {**object_of(one.get("redact_message") or one.get("message"), "a message"), "created_at": one.get("created_at")}
        for one in stored
    ]


STRANDS: Final = MessageLists("strands", strands_messages)
STRANDS_SESSION: Final = _StrandsSession()
