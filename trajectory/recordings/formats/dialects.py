"""Whose messages a list holds, told by what any of them shows; the order decides where one could be taken for another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_CHUNKS: Final = tuple(f"{kind}MessageChunk" for kind in ("Human", "AI", "Tool", "System", "Function", "Chat"))
_LANGCHAIN_TYPES: Final = ("human", "ai", "tool", "system", "function", "chat", "remove", *_CHUNKS)
_RESPONSES_ITEM: Final = re.compile(r"\w+_call(_output)?|reasoning|mcp_list_tools|mcp_approval_re\w+|item_reference")
_ANTHROPIC_BLOCK: Final = re.compile(r"(\w+_)?tool_(use|result)|thinking|redacted_thinking")
NO_DIALECT: Final = "openai-chat"
"""The name for messages in which nothing but roles is to be seen."""
_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")


def _is_langchain(message: Mapping[str, Any]) -> bool:
    constructed = message.get("lc") == 1 and isinstance(message.get("kwargs"), dict)
    return constructed or (message.get("type") in _LANGCHAIN_TYPES and "role" not in message)


def _is_responses_item(message: Mapping[str, Any]) -> bool:
    kind = message.get("type")
    return "role" not in message and isinstance(kind, str) and _RESPONSES_ITEM.fullmatch(kind) is not None


def _has_output_text(message: Mapping[str, Any]) -> bool:
    return message.get("type") == "message" and any(
        block.get("type") in ("input_text", "output_text") for block in _blocks(message, "content")
    )


def _is_google(message: Mapping[str, Any]) -> bool:
    return "role" in message and any("type" not in part and part.keys() & _PARTS for part in _blocks(message, "parts"))


def _is_vercel(message: Mapping[str, Any]) -> bool:
    if "role" not in message:
        return False
    kinds = [block.get("type") for key in ("content", "parts") for block in _blocks(message, key)]
    is_of_interface = any(isinstance(message.get(key), list) for key in ("parts", "toolInvocations"))
    return is_of_interface or any(isinstance(kind, str) and re.fullmatch(r"tool-(call|result)", kind) for kind in kinds)


def _is_strands(message: Mapping[str, Any]) -> bool:
    keys = ("toolUse", "toolResult", "text", "reasoningContent", "cachePoint")
    return "role" in message and any(
        "type" not in block and any(key in block for key in keys) for block in _blocks(message, "content")
    )


def _is_anthropic(message: Mapping[str, Any]) -> bool:
    if message.get("type") == "message" and "stop_reason" in message:
        return True
    kinds = [block.get("type") for block in _blocks(message, "content")]
    return "role" in message and any(isinstance(kind, str) and _ANTHROPIC_BLOCK.fullmatch(kind) for kind in kinds)


def _is_tau2(message: Mapping[str, Any]) -> bool:
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, list) else []
    return "role" in message and ("turn_idx" in message or any("requestor" in call for call in _objects(listed)))


_SHOWS: Final = frozenset({"type", "parts", "turn_idx", "toolInvocations"})
_PARTS: Final = frozenset(
    {"text", "functionCall", "function_call", "functionResponse", "function_response", "inlineData", "inline_data"}
    | {"fileData", "file_data", "executableCode", "executable_code", "codeExecutionResult", "code_execution_result"}
)
_DIALECTS: Final[tuple[tuple[str, Callable[[Mapping[str, Any]], bool]], ...]] = (
    ("openai-responses", _is_responses_item),
    ("openai-responses", _has_output_text),
    ("google-contents", _is_google),
    ("vercel-ai", _is_vercel),
    ("tau2", _is_tau2),
    ("strands", _is_strands),
    ("anthropic", _is_anthropic),
)


def dialect_of(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Tell whose messages these are.

    Args:
        messages: All messages of a file.

    Returns:
        The name of the dialect; that of OpenAI Chat when nothing but roles is to be seen; ``None`` when they are nobody's.
    """
    if messages and all(_is_langchain(message) for message in messages):
        return "langchain"
    first = len(_DIALECTS)
    for message in [message for message in messages if not _is_plain(message)]:
        first = next((rank for rank in range(first) if _DIALECTS[rank][1](message)), first)
    if first < len(_DIALECTS):
        return _DIALECTS[first][0]
    return NO_DIALECT if messages and all(message.get("role") in _ROLES for message in messages) else None


def _is_plain(message: Mapping[str, Any]) -> bool:
    """Tell in a short time of most messages that they show no dialect: nothing but a role, a text and calls."""
    if not message.keys().isdisjoint(_SHOWS) or "role" not in message:
        return False
    content, calls = message.get("content"), message.get("tool_calls")
    if not (content is None or isinstance(content, str)):
        return False
    return not (calls and isinstance(calls, list) and any("requestor" in call for call in _objects(calls)))


def _blocks(message: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    content = message.get(key)
    return _objects(content) if isinstance(content, list) else iter(())


def _objects(values: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    return (value for value in values if isinstance(value, dict))
