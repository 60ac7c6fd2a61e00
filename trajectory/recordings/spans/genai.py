"""The GenAI conventions of OpenTelemetry, all generations: messages in attributes, in events, or one event a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import AssistantMessage, MalformedArguments, ToolCall, read_arguments
from trajectory.recordings.spans.envelopes import printed_call, tool_answer, tool_arguments
from trajectory.recordings.spans.facts import Exchange, ToolRun, tool_schemas
from trajectory.recordings.spans.histories import Histories
from trajectory.recordings.spans.parts import read_conversation
from trajectory.recordings.spans.span import an_object, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import Arguments
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.recordings.spans.span import Span

_MODEL_OPERATIONS: Final = ("chat", "generate_content", "text_completion")
_AGENT_OPERATIONS: Final = ("invoke_agent", "invoke_workflow")
_OPERATION: Final = "gen_ai.operation.name"
_GIVEN: Final = "gen_ai.input.messages"
_SAID: Final = "gen_ai.output.messages"
_CHOICE: Final = "gen_ai.choice"
_GIVEN_EVENTS: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_PRINTS_AND_WRAPS: Final = ("", "opentelemetry.instrumentation.openai_agents")


class GenAi:
    """OpenTelemetry GenAI."""

    name = "OpenTelemetry GenAI"
    argument_keys: tuple[str, ...] = ("gen_ai.tool.call.arguments", "tool_arguments")
    result_keys: tuple[str, ...] = ("gen_ai.tool.call.result", "tool_response")

    def __init__(self) -> None:
        self._histories = Histories()

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return _OPERATION in span.attributes

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        return self._exchange(span) if span.attributes.get(_OPERATION) in _MODEL_OPERATIONS else None

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole."""
        return self._exchange(span) if span.attributes.get(_OPERATION) in _AGENT_OPERATIONS else None

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool."""
        name = span.text("gen_ai.tool.name")
        if span.attributes.get(_OPERATION) != "execute_tool" or name is None:
            return None
        answer = tool_answer(_recorded(span, self.result_keys, _CHOICE, "message"))
        return ToolRun(
            name=name,
            id=span.text("gen_ai.tool.call.id"),
            arguments=tool_arguments(_recorded(span, self.argument_keys, "gen_ai.tool.message", "content")),
            result=answer.text,
            failed=answer.failed,
        )

    def _exchange(self, span: Span) -> Exchange:
        odd = span.scope in _PRINTS_AND_WRAPS
        given = span.attributes.get(_GIVEN)
        history = self._histories.read(given) if isinstance(given, str) and not span.events else None
        messages = map(_unprinted, _said(span)) if odd else _said(span)
        said = [record for record in read_conversation(messages) if isinstance(record, AssistantMessage)]
        return Exchange(
            given=history or read_conversation(_given(span)),
            said=tuple(map(_unwrapped, said) if odd else said),
            tools=tool_schemas(span.json("gen_ai.tool.definitions")),
        )


def _holders(span: Span) -> Iterator[JsonObject]:
    yield span.attributes
    for event in span.events:
        yield event.attributes


def _listed(span: Span, key: str) -> Iterator[JsonValue]:
    """Give the messages under a key, of the span or of its events; never those of both."""
    for holder in _holders(span):
        messages = decoded(holder.get(key))
        if isinstance(messages, list) and messages:
            yield from messages
            return


def _given(span: Span) -> Iterator[JsonValue]:
    yield from _listed(span, _GIVEN)
    for event in span.events:
        if event.name in _GIVEN_EVENTS:
            yield {"role": _GIVEN_EVENTS[event.name], **event.attributes}


def _said(span: Span) -> Iterator[JsonValue]:
    yield from _listed(span, _SAID)
    for event in span.events:
        if event.name == _CHOICE:
            message = decoded(event.attributes.get("message"))
            said = message if isinstance(message, dict) else {"content": message}
            yield {"role": "assistant", "tool_calls": event.attributes.get("tool_calls"), **said}


def _recorded(span: Span, keys: tuple[str, ...], event: str, key: str) -> JsonValue:
    """Find a value under one of these keys, or in the event into which older writers put it."""
    for name in keys:
        if name in span.attributes:
            return span.attributes[name]
    return next((found.attributes.get(key) for found in span.events if found.name == event), None)


def _unprinted(message: JsonValue) -> JsonValue:
    """Undo what one instrumentation does to calls: it prints them into the text."""
    parts = an_object(message).get("parts")
    if not isinstance(parts, list):
        return message
    return {**message, "parts": [_part(part) for part in parts]}


def _part(part: JsonValue) -> JsonValue:
    text = an_object(part).get("content")
    fields = printed_call(text) if isinstance(text, str) else None
    return part if not fields else {**fields, "type": "tool_call", "id": fields.get("call_id")}


def _unwrapped(message: AssistantMessage) -> AssistantMessage:
    calls = tuple(call.model_copy(update={"arguments": _raw(call)}) for call in message.tool_calls or ())
    return message.model_copy(update={"tool_calls": calls or None})


def _raw(call: ToolCall) -> Arguments:
    """Undo the wrapper in which one instrumentation keeps text that is no JSON: ``{"_raw": text}``."""
    match call.arguments:
        case {"_raw": str(text)} if len(call.arguments) == 1:  # type: ignore[arg-type]
            raw = read_arguments(text)
            return raw if isinstance(raw, MalformedArguments) else call.arguments
    return call.arguments
