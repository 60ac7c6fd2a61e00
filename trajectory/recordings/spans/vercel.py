"""The AI SDK of Vercel, as it was before it took up the conventions: ``ai.*`` attributes, with messages of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import AssistantMessage
from trajectory.recordings.spans.envelopes import tool_arguments
from trajectory.recordings.spans.facts import Exchange, ToolRun, tool_schemas
from trajectory.recordings.spans.parts import read_conversation
from trajectory.recordings.spans.span import an_object, as_text, decoded, objects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import Message
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.recordings.spans.span import Span

_OPERATION: Final = "ai.operationId"
_MODEL_CALLS: Final = (".doGenerate", ".doStream")
_AGENTS: Final = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")


class VercelAi:
    """The AI SDK of Vercel."""

    name = "Vercel AI SDK"

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return _OPERATION in span.attributes

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        if not str(span.attributes[_OPERATION]).endswith(_MODEL_CALLS):
            return None
        tools = span.attributes.get("ai.prompt.tools")
        listed = [decoded(tool) for tool in tools] if isinstance(tools, list) else []
        return Exchange(_messages(span.json("ai.prompt.messages")), _said(span), tool_schemas(listed))

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole: the steps that it took, each a request."""
        if span.attributes[_OPERATION] not in _AGENTS:
            return None
        asked = an_object(span.json("ai.prompt"))
        prompt = asked.get("prompt")
        given = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt or asked.get("messages")
        return Exchange(_messages(given), _said(span))

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool."""
        name = span.text("ai.toolCall.name")
        if span.attributes[_OPERATION] != "ai.toolCall" or name is None:
            return None
        result = span.attributes.get("ai.toolCall.result")
        return ToolRun(
            name=name,
            id=span.text("ai.toolCall.id"),
            arguments=tool_arguments(span.attributes.get("ai.toolCall.args")),
            result=None if result is None else as_text(result),
        )


def _said(span: Span) -> tuple[AssistantMessage, ...]:
    text = span.text("ai.response.text", "ai.response.object")
    calls = [_part({"type": "tool-call", **call}) for call in objects(span.json("ai.response.toolCalls"))]
    if text is None and not calls:
        return ()
    said = read_conversation([{"role": "assistant", "parts": [{"type": "text", "text": text or ""}, *calls]}])
    return tuple(record for record in said if isinstance(record, AssistantMessage))


def _messages(given: JsonValue) -> tuple[Message, ...]:
    return read_conversation(map(_message, given) if isinstance(given, list) else ())


def _message(message: JsonValue) -> JsonValue:
    content = an_object(message).get("content")
    return {**an_object(message), "content": _parts(content)} if isinstance(content, list) else message


def _parts(parts: Iterable[JsonValue]) -> list[JsonValue]:
    return [_part(part) if isinstance(part, dict) else part for part in parts]


def _part(part: JsonObject) -> JsonObject:
    """Write a call or a result in the words of the conventions; every other part stays what it is."""
    named = {"id": part.get("toolCallId"), "name": part.get("toolName")}
    if part.get("type") == "tool-call":
        return {**part, **named, "type": "tool_call"}
    if part.get("type") == "tool-result":
        output = part.get("output", part.get("result"))
        value = output["value"] if isinstance(output, dict) and output.keys() == {"type", "value"} else output
        return {**named, "type": "tool_call_response", "response": value}
    return part
