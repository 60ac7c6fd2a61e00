"""Messages of LangChain and LangGraph in every form in which they are dumped.

These are ``messages_to_dict`` (``data``), ``dumps`` (``lc``, ``kwargs``), ``model_dump``, and the standard blocks of
``content_blocks``. The calls are those of ``tool_calls``: blocks and ``additional_kwargs`` say the same once more.
"""

from __future__ import annotations

import re
from typing import Any, Final

from trajectory.json_values import describe
from trajectory.recordings.beside import Beside, Request, request_of
from trajectory.recordings.formats.building import call_of, left_out, objects_of, result_of, says, text_of
from trajectory.recordings.formats.message_lists import Converted, MessageLists
from trajectory.recordings.usage import read_usage

_KINDS: Final = {"Human": "user", "AI": "assistant", "Tool": "tool", "Function": "tool", "System": "system"}
_CALLS: Final = {
    "tool_calls": {"arguments": "args"},
    "tool_call": {"arguments": "args"},
    "invalid_tool_call": {"arguments": "args"},
    "tool_use": {"arguments": "input"},
}


def langchain_messages(messages: list[dict[str, Any]]) -> Converted:
    """Make messages such as the reader of chat messages understands."""
    inner = [_unwrapped(message) for message in messages]
    kept = [message for message in inner if _kind(message) != "remove"]
    return Converted([_message(message) for message in kept], left_out(len(inner) - len(kept), "messages of removal"))


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """Take a message out of what wraps it, and say its type, which ``dumps`` may leave to the class."""
    if isinstance(message.get("data"), dict):
        return {"type": message.get("type"), **message["data"]}
    if isinstance(message.get("kwargs"), dict):
        path = message.get("id")
        kind = str(path[-1]) if isinstance(path, list) and path else None
        return {"type": kind, "status": "success", **message["kwargs"]}  # what has its default value is not written
    return message


def _kind(message: dict[str, Any]) -> str:
    kind = re.sub(r"Message(Chunk)?$", "", str(message.get("type")))
    kind = {name.lower(): role for name, role in _KINDS.items()}.get(kind.lower(), kind.lower())
    return str(message.get("role")) if kind == "chat" else kind


def _message(message: dict[str, Any]) -> Any:
    kind = _kind(message)
    content = message.get("content_blocks", message.get("content"))
    if kind == "tool":
        failed = message["status"] == "error" if "status" in message else None
        return result_of(message.get("tool_call_id"), _text(content), message.get("name"), error=failed)
    if kind != "assistant":
        return {"role": kind, "content": _text(content)}
    said = says(_text(content), (*_calls(message), *_invalid_calls(message)), message.get("name"))
    return Beside(said, request=_request(message))


def _request(message: dict[str, Any]) -> Request:
    about = message.get("response_metadata")
    told = about if isinstance(about, dict) else {}
    usage = read_usage(message.get("usage_metadata")) or read_usage(told.get("token_usage") or told.get("usage"))
    return request_of(usage, told.get("model_name") or told.get("model"))


def _calls(message: dict[str, Any]) -> list[Any]:
    """Read the calls where they are listed; dumps of old versions have them only elsewhere."""
    extra = message.get("additional_kwargs")
    held = extra if isinstance(extra, dict) else {}
    single = held.get("function_call")  # never among the others, not even in dumps of today
    if message.get("tool_calls") or (message.get("tool_calls") is not None and not single):
        return [call_of(call, arguments="args") for call in objects_of(message["tool_calls"], "a tool call")]
    blocks = _blocks(message.get("content_blocks", message.get("content")))
    in_blocks = [block for block in blocks if block.get("type") in _CALLS]
    if in_blocks:
        return [call_of(block, **_CALLS[block["type"]]) for block in in_blocks]
    calls = objects_of(held.get("tool_calls") or ([single] if single else None), "a tool call")
    return [call_of({"id": call.get("id"), **_function(call)}) for call in calls]


def _function(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else call


def _invalid_calls(message: dict[str, Any]) -> list[Any]:
    invalid = objects_of(message.get("invalid_tool_calls"), "an invalid tool call")
    return [call_of({**call, "name": call.get("name") or ""}, arguments="args") for call in invalid]


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else _block_text(part) for part in content)
    if isinstance(content, str | None):
        return content or ""
    raise TypeError(f"expected the content of a message, found {describe(content)}")


def _block_text(block: Any) -> str:
    if not isinstance(block, dict):
        raise TypeError(f"expected a block of content, found {describe(block)}")
    text = block.get("text")
    if isinstance(text, str) and block.get("type", "text") == "text":
        return text
    kind = block.get("type")
    return f"[{text_of(kind)}]" if kind in ("image", "image_url", "audio", "video", "file") else ""


LANGCHAIN: Final = MessageLists("langchain", langchain_messages)
