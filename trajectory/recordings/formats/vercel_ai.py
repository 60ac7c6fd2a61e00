"""Messages of the Vercel AI SDK: those of models, with hyphens, and those of user interfaces, with parts.

A message of a user interface holds a whole turn: calls with their results, and the texts of all steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.formats.building import call_of, objects_of, result_of, says, texts_in
from trajectory.recordings.formats.message_lists import Converted, MessageLists

if TYPE_CHECKING:
    from trajectory.conversation import FunctionMessage

_RESULT_KEYS: Final = ("output", "errorText", "result")
_CALL: Final = {"name": "toolName", "id": "toolCallId"}


def vercel_messages(messages: list[dict[str, Any]]) -> Converted:
    """Make messages such as the reader of chat messages understands."""
    return Converted([record for message in messages for record in _records(message)])


def _records(message: dict[str, Any]) -> list[Any]:
    parts = message.get("parts", message.get("content"))
    invoked = objects_of(message.get("toolInvocations"), "a tool invocation") if "parts" not in message else []
    if invoked:  # before there were parts: calls of all steps, beside the text that answers
        said = texts_in(parts)
        parts = [
            *({"type": "tool-invocation", **one} for one in invoked),
            *([{"type": "text", "text": said}] if said else []),
        ]
    blocks = [{"type": "text", "text": parts}] if isinstance(parts, str) else objects_of(parts, "a part of a message")
    if message.get("role") == "assistant":
        return _answer(blocks)
    results = [_result(block) for block in blocks if block.get("type") == "tool-result"]
    return results or [{"role": message.get("role"), "content": texts_in(blocks)}]


def _answer(blocks: list[dict[str, Any]]) -> list[Any]:
    """Read the parts step by step; text after the calls of a step answers what they gave back."""
    records: list[Any] = []
    texts, calls, results = "", list[Any](), list[Any]()
    for block in map(_unwrapped, blocks):
        if block.get("type") in ("text", "step-start") and calls:
            records += [says(texts, calls), *results]
            texts, calls, results = "", [], []
        texts += texts_in([block]) if block.get("type") == "text" else ""
        if _is_call(block):
            calls.append(_call(block))
        results += _results(block)
    return [*records, says(texts, calls), *results] if texts or calls or results or not records else records


def _unwrapped(block: dict[str, Any]) -> dict[str, Any]:
    """Take a part of version 4 out of its wrapping."""
    inner = block.get("toolInvocation")
    return {"type": "tool-invocation", **inner} if isinstance(inner, dict) else block


def _is_call(block: dict[str, Any]) -> bool:
    kind = str(block.get("type"))
    return kind == "dynamic-tool" or (kind.startswith("tool-") and kind != "tool-result")


def _call(block: dict[str, Any]) -> Any:
    name = block.get("toolName", str(block["type"]).removeprefix("tool-"))
    key = next((key for key in ("input", "args", "rawInput") if block.get(key) is not None), "input")
    return call_of({**block, "toolName": name}, arguments=key, **_CALL)


def _results(block: dict[str, Any]) -> list[Any]:
    return [_result(block)] if any(block.get(key) is not None for key in _RESULT_KEYS) else []


def _result(block: dict[str, Any]) -> FunctionMessage:
    found = next((block[key] for key in _RESULT_KEYS if block.get(key) is not None), None)
    value = found["value"] if isinstance(found, dict) and {"type", "value"} == found.keys() else found
    return result_of(block.get("toolCallId"), value, block.get("toolName"), error=_failed(block))


def _failed(block: dict[str, Any]) -> bool | None:
    """Tell whether a call failed: its state says it, the type of its output, or in version 4 a flag of its own."""
    output, state = block.get("output"), str(block.get("state"))
    if state.startswith("output-"):
        return state != "output-available"
    if isinstance(output, dict) and "type" in output and block.get("type") == "tool-result":
        return str(output["type"]).startswith(("error", "execution-denied"))
    return bool(block["isError"]) if "isError" in block else None


VERCEL_AI: Final = MessageLists("vercel-ai", vercel_messages)
