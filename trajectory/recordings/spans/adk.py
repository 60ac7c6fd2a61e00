"""Google ADK's own attributes, ``gcp.vertex.agent.*``: whole requests and responses as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trajectory.conversation import AssistantMessage, UserMessage
from trajectory.recordings.spans.facts import Exchange, ToolRun, tool_schemas
from trajectory.recordings.spans.genai import GenAi
from trajectory.recordings.spans.parts import read_conversation
from trajectory.recordings.spans.span import an_object, decoded, objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import Message
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.recordings.spans.span import Span

_OWN: Final = "gcp.vertex.agent."
_REQUEST: Final = _OWN + "llm_request"
_RESPONSE: Final = _OWN + "llm_response"
_MERGED: Final = "(merged tools)"
_FOREIGN: Final = "For context:"


class Adk(GenAi):
    """Google ADK; its newer spans speak OpenTelemetry GenAI."""

    name = "Google ADK"
    argument_keys = (_OWN + "tool_call_args", *GenAi.argument_keys)
    result_keys = (_OWN + "tool_response", *GenAi.result_keys)

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return span.scope == "gcp.vertex.agent" or any(key.startswith(_OWN) for key in span.attributes)

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        if "gen_ai.tool.name" in span.attributes:
            return None
        exchange = _own(span) if _REQUEST in span.attributes else super().model_call(span)
        return exchange and Exchange(tuple(_without_foreign(exchange.given)), exchange.said, exchange.tools)

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool; the one that stands for several at once is none."""
        run = super().tool_run(span)
        if run is None or run.name == _MERGED:
            return None
        return replace(run, failed=None) if _tells_of_failure(decoded(run.result)) else run


def _tells_of_failure(result: JsonValue) -> bool:
    """Tell whether a tool returned a failure in the way of ADK's tools, which its spans never flag."""
    return isinstance(result, dict) and (result.get("status") == "error" or bool(result.get("error")))


def _own(span: Span) -> Exchange:
    request, response = an_object(span.json(_REQUEST)), an_object(span.json(_RESPONSE))
    content = response.get("content")
    said = read_conversation([{**content, "role": "model"}] if isinstance(content, dict) else [])
    return Exchange(
        given=read_conversation(objects(request.get("contents"))),
        said=tuple(record for record in said if isinstance(record, AssistantMessage)),
        tools=tool_schemas(list(_declared(request))),
    )


def _declared(request: JsonObject) -> Iterator[JsonValue]:
    for tool in objects(an_object(request.get("config")).get("tools")):
        for function in objects(tool.get("function_declarations")):
            yield {**function, "parameters": function.get("parameters_json_schema") or function.get("parameters")}


def _without_foreign(messages: Iterable[Message]) -> Iterator[Message]:
    """Leave out what other agents did, which ADK tells the model in the name of the user."""
    for message in messages:
        if not (isinstance(message, UserMessage) and message.content.startswith(_FOREIGN)):
            yield message
