"""LangSmith's runs as spans: they have ids, parents, times and kinds as spans do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.conversation import AssistantMessage, UserMessage
from trajectory.recordings.spans.envelopes import message_fields, tool_answer, tool_arguments
from trajectory.recordings.spans.facts import Exchange, ToolRun, tool_schemas
from trajectory.recordings.spans.parts import read_conversation
from trajectory.recordings.spans.span import Span, an_object, decoded, need, need_objects, objects
from trajectory.recordings.spans.times import nanoseconds
from trajectory.recordings.spans.usage import CACHED, COST, INPUT, MODEL, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import Message
    from trajectory.json_values import JsonObject, JsonValue

_SCOPE: Final = "langsmith"
_THREAD_KEYS: Final = ("session_id", "thread_id", "conversation_id")
"""Where a run's metadata name the conversation; a run's own ``session_id`` is the project."""


def langsmith_spans(document: JsonValue) -> list[Span]:
    """Read runs as spans.

    Args:
        document: A run, with or without ``child_runs``; an object with the lists ``post`` and ``patch``; or a list of
            these.

    Returns:
        The runs, in the order in which they began.

    Raises:
        TypeError: Something is no run; the text says where it stands and what is wrong with it.
    """
    merged: dict[str, JsonObject] = {}
    for number, run in enumerate(_runs(document if isinstance(document, list) else [document]), start=1):
        key = run["id"] if run.get("id") else need(run, "dotted_order", f"run {number}").rpartition("Z")[2]
        known = merged.setdefault(str(key), {"id": str(key)})
        known |= {name: value for name, value in run.items() if value not in (None, {}, [])}
    ordered = sorted(merged.values(), key=lambda run: str(run.get("dotted_order", "")))
    return [_span(run, f"run {number}") for number, run in enumerate(ordered, start=1)]


def _runs(records: JsonValue) -> Iterator[JsonObject]:
    for record in need_objects(records, "runs"):
        if "run_type" in record or "dotted_order" in record:
            yield record
        for key in ("post", "patch", "child_runs"):
            yield from _runs(record.get(key))


def _span(run: JsonObject, place: str) -> Span:
    metadata = an_object(an_object(run.get("extra")).get("metadata"))
    thread = next((metadata[key] for key in _THREAD_KEYS if metadata.get(key)), None)
    return Span(
        trace_id=str(run.get("trace_id") or run["id"]),
        span_id=need(run, "id", place),
        parent_id=run["parent_run_id"] if isinstance(run.get("parent_run_id"), str) else None,
        name=str(run.get("name") or ""),
        start=nanoseconds(run.get("start_time"), place) or 0,
        end=nanoseconds(run.get("end_time"), place),
        attributes={**run, **_taken(run, metadata), **({} if thread is None else {"session.id": str(thread)})},
        failed=bool(run.get("error")),
        status=str(run.get("error") or ""),
        scope=_SCOPE,
    )


def _taken(run: JsonObject, metadata: JsonObject) -> JsonObject:
    """Say in OpenTelemetry's words what a request took; LangSmith's parents sum up what is below them."""
    if run.get("run_type") != "llm":
        return {}
    outputs = an_object(run.get("outputs"))
    said = message_fields(next(_answers(outputs), None))
    counts = next((found for holder in (outputs, said) if (found := an_object(holder.get("usage_metadata")))), {})
    answered = (outputs.get("model"), an_object(said.get("response_metadata")).get("model_name"))
    return {
        INPUT: counts.get("input_tokens", run.get("prompt_tokens")),
        OUTPUT: counts.get("output_tokens", run.get("completion_tokens")),
        CACHED: an_object(counts.get("input_token_details")).get("cache_read"),
        COST: run.get("total_cost"),
        MODEL: next((name for name in (*answered, metadata.get("ls_model_name")) if name), None),
    }


class LangSmith:
    """LangSmith."""

    name = "LangSmith"

    def speaks(self, span: Span) -> bool:
        """Tell whether a span is written in this dialect."""
        return span.scope == _SCOPE

    def model_call(self, span: Span) -> Exchange | None:
        """Read one request to a model."""
        if span.attributes.get("run_type") != "llm":
            return None
        parameters = an_object(an_object(span.attributes.get("extra")).get("invocation_params"))
        return Exchange(
            given=chat_messages(_given(span)),
            said=tuple(record for record in chat_messages(_said(span)) if isinstance(record, AssistantMessage)),
            tools=tool_schemas(_inputs(span).get("tools") or parameters.get("tools")),
        )

    def agent_run(self, span: Span) -> Exchange | None:
        """Read the run of an agent as a whole: of it only what the user asked is taken."""
        if span.parent_id is not None or span.attributes.get("run_type") != "chain":
            return None
        asked = next((_inputs(span)[key] for key in ("input", "question", "query") if key in _inputs(span)), None)
        return Exchange(given=(UserMessage(content=asked),) if isinstance(asked, str) else chat_messages(_given(span)))

    def tool_run(self, span: Span) -> ToolRun | None:
        """Read the execution of a tool."""
        if span.attributes.get("run_type") != "tool":
            return None
        inputs, outputs = _inputs(span), span.attributes.get("outputs")
        answer = tool_answer(outputs.get("output", outputs) if isinstance(outputs, dict) else outputs)
        text = inputs["input"] if inputs.keys() == {"input"} else None
        bare = text if isinstance(text, str) and not text.startswith("{") else None
        return ToolRun(
            name=span.name,
            id=answer.id,
            arguments=tool_arguments(None if bare is not None else text if isinstance(text, str) else inputs),
            value=bare,
            result=answer.text,
            failed=answer.failed,
        )


def _inputs(span: Span) -> JsonObject:
    return an_object(span.attributes.get("inputs"))


def _given(span: Span) -> Iterator[JsonValue]:
    messages = _inputs(span).get("messages")
    for message in messages if isinstance(messages, list) else ():
        yield from message if isinstance(message, list) else [message]  # LangChain lists a batch of conversations


def _said(span: Span) -> Iterator[JsonValue]:
    yield from _answers(an_object(span.attributes.get("outputs")))


def _answers(outputs: JsonObject) -> Iterator[JsonValue]:
    generations = outputs.get("generations")
    for generation in objects(generations[0] if isinstance(generations, list) and generations else None)[:1]:
        yield generation.get("message", {"role": "assistant", "content": generation.get("text")})
    yield from (choice.get("message") for choice in objects(outputs.get("choices"))[:1])
    yield from objects(outputs.get("messages"))
    if outputs.get("role") == "assistant":
        yield outputs


def chat_messages(given: Iterable[JsonValue]) -> tuple[Message, ...]:
    """Read messages that may be LangChain's, in any of its dumps."""
    return read_conversation(_chat(message) for message in given)


def _chat(message: JsonValue) -> JsonValue:
    """Write one of LangChain's messages as a chat message; one that is none stays what it is."""
    fields = message_fields(decoded(message))
    if not fields:
        return message
    beside = an_object(fields.get("additional_kwargs"))  # where dumps of old versions have the calls
    listed = objects(fields.get("tool_calls")) or objects(beside.get("tool_calls"))
    single = [call for call in (beside.get("function_call"),) if call and not listed]
    calls = [*listed, *single, *objects(fields.get("invalid_tool_calls"))]
    return {**fields, "role": fields.get("role") or fields.get("type"), "tool_calls": calls}
