"""Anthropic Messages: requests with their history, and responses.

Tools that run at the provider stand with their results inside one assistant message; new kinds of them come often, so a
kind is read by the end of its name (``..._tool_use``, ``..._tool_result``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import NOT_RECORDED
from trajectory.recordings.beside import Beside, Request, request_of, time_of
from trajectory.recordings.chat import tool_failed
from trajectory.recordings.formats.building import left_out, text_of
from trajectory.recordings.formats.message_lists import Converted, MessageLists
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Iterable

_TEXTS: Final = ("text", "image", "document")
_SILENT: Final = ("thinking", "redacted_thinking")
_BESIDE_BLOCKS: Final = ("tool_calls", "function_call", "tool_call_id", "name")
"""Where other providers, whose answers think in the same blocks, keep their calls."""


def anthropic_messages(messages: Iterable[dict[str, Any] | Beside]) -> Converted:
    """Make blocks such as the reader of chat messages understands; what is neither text nor tool is left out."""
    unknown: list[str] = []
    converted = [message if isinstance(message, Beside) else _message(message, unknown) for message in messages]
    return Converted(converted, left_out(len(unknown), f"blocks of other kinds: {', '.join(sorted(set(unknown)))}"))


def _message(message: dict[str, Any], unknown: list[str]) -> Beside:
    content = message.get("content")
    if isinstance(content, list):
        blocks = [block if isinstance(block, str) else _block(block, unknown) for block in content]
        content = [block for block in blocks if block is not None]
    beside = {key: message[key] for key in _BESIDE_BLOCKS if message.get(key)}
    said = {**beside, "role": message.get("role"), "content": content}
    return Beside(said, time_of(message.get("timestamp")), _request(message))


def _request(message: dict[str, Any]) -> Request | None:
    """Tell of the request that a message answers; messages of requests do not say it, responses and transcripts do."""
    if message.get("role") != "assistant" or not ("usage" in message or "model" in message):
        return None
    return request_of(read_usage(message.get("usage"), message.get("costUSD")), message.get("model"))


def _block(block: Any, unknown: list[str]) -> Any:
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    if kind.endswith("tool_use"):
        arguments = block.get("input", NOT_RECORDED)
        return {"type": "tool_use", "id": block.get("id"), "name": block.get("name"), "input": arguments}
    if kind.endswith("tool_result"):
        return {**block, "content": _result(block.get("content")), "is_error": tool_failed(block)}
    if kind in _TEXTS or not kind:
        return block
    if kind not in _SILENT:
        unknown.append(kind)
    return None


def _result(content: Any) -> Any:
    """Keep a result of plain text as it is; any other becomes its JSON text."""
    is_plain = not isinstance(content, list | dict) or (
        isinstance(content, list)
        and all(isinstance(part, str) or (isinstance(part, dict) and part.get("type") in _TEXTS) for part in content)
    )
    return content if is_plain else text_of(content)


ANTHROPIC: Final = MessageLists("anthropic", anthropic_messages)
