"""OpenLLMetry (Traceloop): messages spread over numbered attributes, and LangChain's callbacks in envelopes.

Its newer spans speak OpenTelemetry GenAI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import AssistantMessage
from trajectory.recordings.spans.envelopes import callback_argument, tool_answer, tool_arguments
from trajectory.recordings.spans.facts import Exchange, ToolRun, tool_schemas
from trajectory.recordings.spans.genai import GenAi
from trajectory.recordings.spans.parts import read_conversation
from trajectory.recordings.spans.span import decoded, objects, unflattened

if TYPE_CHECKING:
    from trajectory.json_values import JsonValue
    from trajectory.recordings.spans.span import Span

_GIVEN: Final = "gen_ai.prompt"
_SAID: Final = "gen_ai.completion"
_KIND: Final = "traceloop.span.kind"


class Indexed:
    """OpenLLMetry as it was before it took up the conventions."""

    name = "OpenLLMetry"

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return "llm.request.type" in span.attributes or f"{_GIVEN}.0.role" in span.attributes

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        said = read_conversation({"role": "assistant", **message} for message in _numbered(span, _SAID))
        return Exchange(
            given=read_conversation(_numbered(span, _GIVEN)),
            said=tuple(record for record in said if isinstance(record, AssistantMessage)),
            tools=tool_schemas([_schema(tool) for tool in _numbered(span, "llm.request.functions")]),
        )

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole: such spans hold no messages."""

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool: such spans are of another dialect."""


class Traceloop(GenAi):
    """OpenLLMetry's spans of workflows, agents and tools."""

    name = "OpenLLMetry (Traceloop)"

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return _KIND in span.attributes

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model: such spans are of another dialect."""

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole."""
        return Exchange() if span.attributes[_KIND] in ("agent", "workflow") else None

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool."""
        if span.attributes[_KIND] != "tool":
            return None
        name = span.text("gen_ai.tool.name", "traceloop.entity.name") or span.name.removesuffix(".tool")
        given = span.attributes.get("gen_ai.tool.call.arguments", span.attributes.get("traceloop.entity.input"))
        result = span.attributes.get("gen_ai.tool.call.result", span.attributes.get("traceloop.entity.output"))
        answer = tool_answer(callback_argument(result, "output"))
        return ToolRun(
            name=name,
            id=span.text("gen_ai.tool.call.id") or answer.id,
            arguments=tool_arguments(callback_argument(given, "input_str")),
            result=answer.text,
            failed=answer.failed,
        )


def _numbered(span: Span, prefix: str) -> list[dict[str, JsonValue]]:
    return objects(unflattened(span.attributes, prefix))


def _schema(tool: dict[str, JsonValue]) -> JsonValue:
    return {**tool, "parameters": decoded(tool.get("parameters"))}
