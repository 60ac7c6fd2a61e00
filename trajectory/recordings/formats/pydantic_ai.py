"""Message histories of Pydantic AI: requests and responses, each a list of parts.

A user's prompt and what tools gave back are parts of requests. A retry without a tool's name asks for another answer; it
is no result.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.beside import Beside, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    call_of,
    left_out,
    object_of,
    objects_of,
    result_of,
    says,
    text_of,
    texts_in,
    thread_of,
)
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import FunctionMessage

_SILENT: Final = ("system-prompt", "thinking", "text")
_WRAPPED: Final = ("args_dict", "args_json")
_CALLS: Final = ("tool-call", "builtin-tool-call")
_RETURNS: Final = ("tool-return", "builtin-tool-return")


class _PydanticAI:
    name = "pydantic-ai"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a history, or a list of histories."""
        histories = _histories(document)
        return bool(histories) and all(all(_is_message(message) for message in history) for history in histories)

    def read(self, document: Any) -> Reading:
        """Read each history as a conversation."""
        unknown: Counter[str] = Counter()
        threads = []
        for history in _histories(document):
            messages = [record for message in history for record in _records(message, unknown)]
            name = next((one["conversation_id"] for one in history if one.get("conversation_id")), None)
            threads.append(thread_of(messages, name))
        return Reading(tuple(threads), left_out(unknown.total(), f"parts of other kinds: {', '.join(sorted(unknown))}"))


def _histories(document: Any) -> list[list[Any]]:
    """Give the histories of a document: it is one, or has one in each record."""
    listed = document if isinstance(document, list) else [document]
    if listed and all(_is_message(item) for item in listed):
        return [listed]
    found = [item.get("messages") if isinstance(item, dict) else item for item in listed]
    return [item for item in found if isinstance(item, list) and item] if all(found) else []


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("kind") in ("request", "response")
        and isinstance(value.get("parts"), list)
    )


def _records(message: dict[str, Any], unknown: Counter[str]) -> list[Any]:
    parts = objects_of(message["parts"], "a part of a message")
    time = time_of(message.get("timestamp"))
    if message["kind"] == "request":
        return [Beside(record, time) for record in _request(parts, unknown)]
    took = request_of(read_usage(message.get("usage")), message.get("model_name"))
    return [*(Beside(record, time) for record in _answer(parts, unknown)), Beside(request=took)]


def _request(parts: list[dict[str, Any]], unknown: Counter[str]) -> list[Any]:
    records: list[Any] = []
    prompts = [_prompt(part.get("content")) for part in parts if part.get("part_kind") == "user-prompt"]
    for part in parts:
        kind = str(part.get("part_kind"))
        if kind in _RETURNS or (kind == "retry-prompt" and part.get("tool_name")):
            records.append(_result(part))
        elif kind not in (*_SILENT, "user-prompt", "retry-prompt"):
            unknown[kind] += 1
    return [*records, *([{"role": "user", "content": "".join(prompts)}] if prompts else [])]


def _prompt(content: Any) -> str:
    """Give what the user said; what is no text, such as a picture, is named."""
    if not isinstance(content, list):
        return texts_in(content)
    return "".join(part if isinstance(part, str) else _piece(part) for part in content)


def _piece(part: Any) -> str:
    found = object_of(part, "a part of a prompt")
    if found.get("kind") == "text-content":
        return texts_in(found.get("content"))
    return "" if found.get("kind") == "cache-point" else texts_in([{"type": found.get("kind"), **found}])


def _answer(parts: list[dict[str, Any]], unknown: Counter[str]) -> list[Any]:
    """Read an answer; what a tool of the provider gave back ends a part of it."""
    records: list[Any] = []
    texts, calls = "", []
    for part in parts:
        kind = str(part.get("part_kind"))
        if kind == "text":
            texts += text_of(part.get("content")) or ""
        elif kind in _CALLS:
            calls.append(call_of(_unwrapped(part), name="tool_name", arguments="args", id="tool_call_id"))
        elif kind in _RETURNS:
            records += [says(texts, calls), _result(part)]
            texts, calls = "", []
        elif kind not in _SILENT:
            unknown[kind] += 1
    return [*records, *([says(texts, calls)] if texts or calls or not records else [])]


def _unwrapped(part: dict[str, Any]) -> dict[str, Any]:
    """Take arguments out of the wrapping that the versions of 2024 put around them."""
    given = part.get("args")
    held = next((given[key] for key in _WRAPPED if given.keys() == {key}), given) if isinstance(given, dict) else given
    return part if held is given else {**part, "args": held}


def _result(part: dict[str, Any]) -> FunctionMessage:
    """Read what a tool gave back; older versions tell of a failure by the kind of the part."""
    failed = part["part_kind"] == "retry-prompt" or part.get("outcome") not in (None, "success")
    result = result_of(part.get("tool_call_id"), part.get("content"), part.get("tool_name"), error=failed)
    return result.model_copy(update={"end_time": time_of(part.get("timestamp"))})


PYDANTIC_AI: Final = _PydanticAI()
