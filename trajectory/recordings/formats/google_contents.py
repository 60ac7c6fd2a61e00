"""Contents of Google's Gemini API: messages of the roles ``user`` and ``model``, in parts, with either spelling of the keys.

Requests and responses hold them, and the checkpoints that the Gemini command line saves of a chat.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic.alias_generators import to_camel

from trajectory.recordings.formats.building import call_of, left_out, object_of, objects_of, result_of, says, text_of
from trajectory.recordings.formats.message_lists import Converted, MessageLists

_MEDIA: Final = ("inline_data", "file_data")
_CODE: Final = ("executable_code", "code_execution_result")
_INJECTED: Final = "This is the Gemini CLI."


def google_contents(messages: list[dict[str, Any]]) -> Converted:
    """Make messages such as the reader of chat messages understands."""
    given = [(message, objects_of(message.get("parts"), "a part of a message")) for message in messages]
    code = sum(_get(part, key) is not None for _, parts in given for part in parts for key in _CODE)
    kept = [(message, parts) for message, parts in given if not _text(parts).startswith(_INJECTED)]
    notes = (
        *left_out(
            code, "pieces of code that the model ran itself, or what they gave back", "they are no calls of a tool"
        ),
        *left_out(len(given) - len(kept), "user messages", "the program put them there, not the user"),
    )
    return Converted([record for message, parts in kept for record in _records(message.get("role"), parts)], notes)


def _records(role: Any, parts: list[dict[str, Any]]) -> list[Any]:
    results = [_result(found) for part in parts if (found := _get(part, "function_response")) is not None]
    text = _text(parts)
    if role == "model":
        calls = [
            call_of(found, arguments="args") for part in parts if (found := _get(part, "function_call")) is not None
        ]
        return [says(text, calls), *results]
    return [*results, *([{"role": "user" if role is None else role, "content": text}] if text or not results else [])]


def _result(given: Any) -> Any:
    found = object_of(given, "a function response")
    return result_of(found.get("id"), found.get("response"), found.get("name"))


def _text(parts: list[dict[str, Any]]) -> str:
    return "".join(_text_of(part) for part in parts if not part.get("thought"))


def _text_of(part: dict[str, Any]) -> str:
    media = next((f"[{key}]" for key in _MEDIA if _get(part, key) is not None), "")
    return text_of(part.get("text")) or media


def _get(part: dict[str, Any], key: str) -> Any:
    return part[key] if part.get(key) is not None else part.get(to_camel(key))


GOOGLE_CONTENTS: Final = MessageLists("google-contents", google_contents)
