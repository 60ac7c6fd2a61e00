"""OpenInference (Arize Phoenix): messages spread over numbered attributes, a kind on every span."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import NOT_RECORDED, AssistantMessage, MalformedArguments, Message, UserMessage
from trajectory.recordings.spans.envelopes import arguments_beside, tool_answer, tool_arguments
from trajectory.recordings.spans.facts import Exchange, ToolRun, tool_schemas
from trajectory.recordings.spans.parts import call_of, read_conversation, result_of
from trajectory.recordings.spans.span import an_object, as_text, decoded, objects, unflattened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import ToolCall
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.recordings.spans.span import Span

_KIND: Final = "openinference.span.kind"
_SMOLAGENTS: Final = ".smolagents"
_HEADING: Final = "New task:\n"
_HANDOFF: Final = "handoff to "


class OpenInference:
    """OpenInference."""

    name = "OpenInference"

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return _KIND in span.attributes

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        return _exchange(span) if span.attributes[_KIND] == "LLM" else None

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole."""
        return _exchange(span) if span.attributes[_KIND] == "AGENT" else None

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool; a handoff is none. Some writers name the tool by the name of the span."""
        name = span.text("tool.name") or span.name
        if span.attributes[_KIND] != "TOOL" or name.startswith(_HANDOFF) or not name:
            return None
        answer = tool_answer(span.attributes.get("output.value"))
        parameters = an_object(span.json("tool.parameters"))
        arguments = tool_arguments(span.attributes.get("input.value"), tuple(parameters))
        bare = isinstance(arguments, MalformedArguments) and not arguments.text.lstrip().startswith("{")
        return ToolRun(
            name=name,
            id=span.text("tool.id", "tool_call.id") or answer.id,
            arguments=NOT_RECORDED if bare else arguments,
            value=as_text(span.attributes["input.value"]) if bare else None,
            result=answer.text,
            failed=answer.failed,
        )


def _exchange(span: Span) -> Exchange:
    given = tuple(record for message in _messages(span, "llm.input_messages") for record in _read(message, None))
    said = (record for message in _messages(span, "llm.output_messages") for record in _read(message, span))
    if span.scope.endswith(_SMOLAGENTS):
        given = tuple(map(_without_heading, given))
    return Exchange(
        given=given or tuple(_asked(span)),
        said=tuple(record for record in said if isinstance(record, AssistantMessage)),
        tools=tool_schemas(
            [decoded(tool.get("json_schema")) for tool in _numbered(span.attributes, "llm.tools", "tool")]
        ),
    )


def _without_heading(message: Message) -> Message:
    """Give what the user said without the words that smolagents puts before it."""
    if not isinstance(message, UserMessage):
        return message
    return message.model_copy(update={"content": message.content.removeprefix(_HEADING)})


def _asked(span: Span) -> Iterator[UserMessage]:
    """Give the text that an agent was asked with, where no messages were recorded."""
    text = span.text("input.value")
    if text is not None and span.attributes.get("input.mime_type") == "text/plain":
        yield UserMessage(content=text)


def _messages(span: Span, prefix: str) -> list[JsonObject]:
    return _numbered(span.attributes, prefix, "message")


def _numbered(attributes: JsonObject, prefix: str, kind: str) -> list[JsonObject]:
    """Give the objects spread over ``prefix.N.kind.*``; some exports have them as a list of flat objects."""
    items = objects(unflattened(attributes, prefix))
    return [value for item in items if isinstance(value := unflattened(item, kind) or item.get(kind), dict)]


def _read(message: JsonObject, span: Span | None) -> list[Message]:
    text = _text(message)
    if message.get("role") == "tool" or "tool_call_id" in message:
        return [result_of(message.get("name"), text, message.get("tool_call_id"))]
    # Calls may stand among the pieces as well, to keep the order: once more, not others.
    listed = _numbered(message, "tool_calls", "tool_call") or _numbered(message, "contents", "message_content")
    calls = tuple(_call(held, span) for call in listed if "function" in (held := call.get("tool_call", call)))
    if calls or span is not None:
        return [AssistantMessage(content=text or None, tool_calls=calls or None)]
    return list(read_conversation([{"role": message.get("role"), "content": text}]))


def _text(message: JsonObject) -> str:
    """Give the text of a message: as a whole, or in numbered pieces."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    pieces = content if isinstance(content, list) else message.get("contents")
    return "".join(_piece(piece) for piece in pieces) if isinstance(pieces, list) else ""


def _piece(piece: JsonValue) -> str:
    if isinstance(piece, str):
        return piece
    content = an_object(an_object(piece).get("message_content", piece))
    kind = content.get("type", "part")
    if kind == "text":
        return str(content.get("text", ""))
    return "" if kind in ("tool_use", "reasoning", "thinking") else f"[{kind}]"


def _call(call: JsonObject, span: Span | None) -> ToolCall:
    held = an_object(call.get("function"))
    read = call_of(held.get("name"), held, call.get("id"))
    if read.arguments is NOT_RECORDED and span is not None and read.id is not None:
        return read.model_copy(update={"arguments": arguments_beside(span.attributes.get("output.value"), read.id)})
    return read
