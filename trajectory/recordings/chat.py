"""One chat message, whatever program made it, as records of a conversation."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NoReturn

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    MalformedArguments,
    Message,
    SystemMessage,
    ToolCall,
    UserMessage,
)
from trajectory.errors import did_you_mean
from trajectory.json_values import describe, shorten
from trajectory.recordings.beside import Request, request_of
from trajectory.recordings.usage import read_usage

_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "function",
    "function": "function",
}
_CALL_KEYS: Final = ("tool_calls", "toolCalls")
_KEYS_LIKE_CALLS: Final = frozenset(
    {*_CALL_KEYS, "invalid_tool_calls", "tool_call_chunks", "tool_call_id", "toolCallId", "function_call"}
)
_COMMON_KEYS: Final = frozenset({"role", "content", "tool_calls", "refusal", "name", "id"})
_CALL_PARTS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_TEXT_PARTS: Final = ("text", "input_text", "output_text", "refusal")
_THOUGHT_PARTS: Final = ("thinking", "redacted_thinking", "reasoning")
_MEDIA_PARTS: Final = re.compile(r"(input_|output_)?(image|audio|video|document|file|media|pdf)(_[a-z]+)?")


@lru_cache(maxsize=1024)
def _meant(key: str) -> str:
    return did_you_mean(key, _CALL_KEYS)


def tool_failed(result: Mapping[str, Any]) -> bool | None:
    """Tell whether a call failed, by what stands beside its result.

    Args:
        result: A block of Anthropic, a tool message of LangChain, or one of another program.

    Returns:
        Whether it did; ``None`` for a message of a program that has no place for that.
    """
    if (given := result.get("type")) is None:
        return None
    kind, content = str(given), result.get("content")
    if kind.endswith("tool_result"):
        inner = str(content.get("type")) if isinstance(content, Mapping) else ""
        return bool(result.get("is_error")) or inner.endswith("_tool_result_error")
    return result["status"] == "error" if kind == "tool" and "status" in result else None


def _request(message: Mapping[str, Any]) -> Request | None:
    """Tell of the request that a message answers: messages of LangChain do, and responses of Anthropic."""
    if "usage" not in message and "usage_metadata" not in message:
        return None
    usage = read_usage(message.get("usage_metadata")) or read_usage(message.get("usage"))
    about = message.get("response_metadata")
    told = about if isinstance(about, Mapping) else message
    return request_of(usage, told.get("model_name") or told.get("model")) if usage else None


class MessageReader:
    """Reads messages one by one; knows where each stands, and the names of the calls so far by their ids.

    Attributes:
        place: Where the message stands, for errors.
        request: The request that the message answered that was read last, where it tells what that took.
    """

    def __init__(self, place: str, names: dict[str, str]) -> None:
        self.place = place
        self.request: Request | None = None
        self._names = names

    def read(self, given: object) -> list[Message]:
        """Read the message.

        Args:
            given: The message. One that brings results and text at once makes several records.

        Returns:
            The records, a user's text last.

        Raises:
            TypeError: It is no message; the text says where it stands and what is wrong with it.
        """
        self.request = None
        if type(given) is not dict:
            if isinstance(given, FunctionMessage):
                return [given if given.name else given.changed(name=self._names.get(given.id or "", ""))]
            if isinstance(given, SystemMessage | UserMessage | AssistantMessage):
                self._remember(getattr(given, "tool_calls", None) or ())
                return [given]
        message = self._mapping(given, "a message")
        match self._role(message):
            case "assistant":
                self.request = _request(message)
                return self._assistant(message)
            case "user":
                return self._user(message)
            case "function":
                identity = message.get("tool_call_id", message.get("toolCallId", message.get("id")))
                return [self._result(identity, message, message.get("name"))]
            case _:
                return [SystemMessage.of_sound(content=self._text(message))]

    def _mapping(self, value: object, expected: str) -> Mapping[str, Any]:
        if type(value) is dict or isinstance(value, Mapping):
            return value
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return dataclasses.asdict(value)
        dump = getattr(value, "model_dump", None)
        dumped = dump() if callable(dump) and not isinstance(value, type) else None
        if not isinstance(dumped, Mapping):
            self._refuse(expected, value)
        return dumped

    def _role(self, message: Mapping[str, Any]) -> str:
        role = message.get("role", message.get("type"))
        if not isinstance(role, str) or role not in _ROLES:
            if "role" not in message:
                self._refuse("a message with a role", message)
            hint = did_you_mean(role, _ROLES) if isinstance(role, str) else ""
            self._refuse(f"one of the roles {', '.join(_ROLES)}", role, hint)
        return _ROLES[role]

    def _user(self, message: Mapping[str, Any]) -> list[Message]:
        if isinstance(content := message.get("content"), str):
            return [UserMessage.of_sound(content=content)]
        parts = self._parts(message)
        results = [part for part in parts if part.get("type") == "tool_result"]
        records: list[Message] = [self._result(part.get("tool_use_id"), part, None) for part in results]
        if len(results) < len(parts) or not results:
            records.append(UserMessage.of_sound(content=self._text(message)))
        return records

    def _assistant(self, message: Mapping[str, Any]) -> list[Message]:
        """Read what the model said; results of tools that ran at the provider's stand in between."""
        listed = self._listed_calls(message)
        content = message.get("content")
        if content is None or isinstance(content, str):
            return [self._spoken(content or "", listed, message.get("refusal"))]
        records: list[Message] = []
        said: list[Mapping[str, Any]] = []
        for part in self._parts(message):
            if not str(part.get("type")).endswith("_tool_result"):
                said.append(part)
                continue
            records += [self._said(said)] if said else []
            records.append(self._result(part.get("tool_use_id"), part, None))
            said = []
        if said or listed or not records:
            records.append(self._said(said, listed, message.get("refusal")))
        return records

    def _said(
        self, parts: list[Mapping[str, Any]], listed: Sequence[object] = (), refusal: str | None = None
    ) -> AssistantMessage:
        text = "".join([self._text_of(part) for part in parts])
        # Some writers list the calls and leave the model's own blocks beside them.
        kinds = _CALL_PARTS[1:] if listed else _CALL_PARTS
        own = [part for part in parts if part.get("type") in kinds]
        return self._spoken(text, (*own, *listed), refusal)

    def _spoken(self, text: str, given: Sequence[object], refusal: str | None) -> AssistantMessage:
        calls = tuple([self._call(call) for call in given])
        if calls:
            self._remember(calls)
        if refusal is not None and not text:
            return AssistantMessage(content=refusal, tool_calls=calls or None)
        return AssistantMessage.of_sound(content=text or None, tool_calls=calls or None)

    def _remember(self, calls: Iterable[ToolCall]) -> None:
        for call in calls:
            if call.id is not None:
                self._names[call.id] = call.name

    def _result(self, identity: object, message: Mapping[str, Any], name: object) -> FunctionMessage:
        known = None if identity is None else str(identity)
        called = name if isinstance(name, str) else self._names.get(known or "", "")
        return FunctionMessage.of_sound(name=called, content=self._text(message), id=known, error=tool_failed(message))

    # ------------------------------------------------------------------------------------------------------- calls

    def _listed_calls(self, message: Mapping[str, Any]) -> tuple[object, ...]:
        if not message.keys() <= _COMMON_KEYS:
            self._refuse_misspelt_calls(message)
        elif not message.get(_CALL_KEYS[0]):
            return ()
        legacy = [message["function_call"]] if message.get("function_call") else []
        listed = message.get(_CALL_KEYS[0]) or message.get(_CALL_KEYS[1]) or legacy
        if not isinstance(listed, list | tuple):
            self._refuse("a list of tool calls", listed)
        return (*listed, *(message.get("invalid_tool_calls") or ()))

    def _call(self, given: object) -> ToolCall:
        is_plain = type(given) is dict and given.get("type") == "function" and "custom" not in given
        try:
            return ToolCall.read(given if is_plain else self._plain_call(given))  # type: ignore[arg-type]
        except TypeError as wrong:
            raise TypeError(f"{self.place}: {wrong}") from None

    def _plain_call(self, given: object) -> ToolCall | Mapping[str, Any]:
        if isinstance(given, ToolCall):
            return given
        call = self._mapping(given, "a tool call")
        if isinstance(call.get("custom"), Mapping):
            text = MalformedArguments(str(call["custom"].get("input")), "a custom tool takes free text")
            call = {"name": call["custom"].get("name"), "arguments": text, "id": call.get("id")}
        if call.get("type") in _CALL_PARTS:
            call = {"name": call.get("name"), "arguments": call.get("input"), "id": call.get("id")}
        return call

    def _refuse_misspelt_calls(self, message: Mapping[str, Any]) -> None:
        """A misspelt key would say "no calls", which is a verdict on the agent."""
        for key in message:
            if isinstance(key, str) and key not in _KEYS_LIKE_CALLS and (hint := _meant(key)):
                self._refuse("the keys of a message", f"the key {shorten(repr(key))}", hint)

    # -------------------------------------------------------------------------------------------------------- text

    def _text(self, message: Mapping[str, Any]) -> str:
        content = message.get("content")
        return content if isinstance(content, str) else "".join(map(self._text_of, self._parts(message)))

    def _text_of(self, part: Mapping[str, Any]) -> str:
        kind = part.get("type", "text")
        if kind in _TEXT_PARTS and isinstance(text := part.get("text", part.get(kind)), str):
            return text
        if isinstance(kind, str) and _MEDIA_PARTS.fullmatch(kind):
            return f"[{kind}]"
        if kind not in (*_CALL_PARTS, *_THOUGHT_PARTS, "tool_result"):
            self._refuse("a part of text", part)
        return ""

    def _parts(self, message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        content = message.get("content")
        if isinstance(content, str | None):
            return [] if content is None else [{"type": "text", "text": content}]
        if isinstance(content, Mapping) and str(message.get("type")).endswith("_tool_result"):
            return [{"type": "text", "text": json.dumps(content, default=str)}]
        if not isinstance(content, list | tuple):
            self._refuse("content that is a text, null or a list of parts", content)
        return [
            {"type": "text", "text": part} if isinstance(part, str) else self._mapping(part, "a part of content")
            for part in content
        ]

    def _refuse(self, expected: str, found: object, hint: str = "") -> NoReturn:
        what = found if isinstance(found, str) and found.startswith("the key ") else describe(found)
        raise TypeError(f"{self.place}: expected {expected}, found {what}{f' ({hint})' if hint else ''}")
