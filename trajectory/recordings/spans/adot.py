"""LangChain as OpenInference sees it, sent through AWS's distribution of OpenTelemetry: what went in and out is in log records.

The spans themselves say neither what kind they are nor anything else; that is told by what came out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import AssistantMessage
from trajectory.recordings.spans.envelopes import message_fields, tool_answer, tool_arguments
from trajectory.recordings.spans.facts import Exchange, ToolRun
from trajectory.recordings.spans.langsmith import chat_messages
from trajectory.recordings.spans.span import an_object, decoded, objects

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.recordings.spans.span import Span

_SCOPE: Final = "openinference.instrumentation.langchain"
_INNER: Final = "remaining_steps"


class Adot:
    """OpenInference by way of ADOT."""

    name = "OpenInference (ADOT)"

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return span.scope == _SCOPE and "openinference.span.kind" not in span.attributes

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        generations = an_object(decoded(_text(span, "output"))).get("generations")
        first = generations[0] if isinstance(generations, list) and generations else None
        if not isinstance(first, list):
            return None
        said = [_said(generation) for generation in objects(first)[:1]]
        return Exchange(chat_messages(_given(span)), _answers(said))

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole; the steps inside of it say how many are left."""
        asked, output = (an_object(decoded(_text(span, side))) for side in ("input", "output"))
        given, said = asked.get("messages"), output.get("messages")
        if _INNER in asked or not isinstance(given, list) or not isinstance(said, list):
            return None
        return Exchange(chat_messages(given), _answers(said[-1:]))

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool."""
        answer = tool_answer(_text(span, "output"))
        name = message_fields(_text(span, "output")).get("name")
        if answer.id is None or not isinstance(name, str):
            return None
        arguments = tool_arguments(_text(span, "input"))
        return ToolRun(name, answer.id, arguments, result=answer.text, failed=answer.failed)


def _listed(span: Span, side: str) -> list[JsonObject]:
    holders = (an_object(event.attributes.get(side)) for event in span.events)
    return next((found for holder in holders if (found := objects(holder.get("messages")))), [])


def _text(span: Span, side: str) -> JsonValue:
    """Give what the first message of a side holds."""
    return next((message.get("content") for message in _listed(span, side)), None)


def _given(span: Span) -> list[JsonValue]:
    wrapped = an_object(decoded(_text(span, "input"))).get("messages")
    if not isinstance(wrapped, list):
        return [*_listed(span, "input")]
    return [message for one in wrapped for message in (one if isinstance(one, list) else [one])]


def _said(generation: JsonObject) -> JsonValue:
    message = generation.get("message")
    if message_fields(message):
        return message
    calls = objects(an_object(message).get("tool_calls"))
    return {"type": "ai", "content": generation.get("text"), "tool_calls": [*calls]}


def _answers(messages: list[JsonValue]) -> tuple[AssistantMessage, ...]:
    return tuple(record for record in chat_messages(messages) if isinstance(record, AssistantMessage))
