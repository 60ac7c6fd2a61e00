"""The trace export of the OpenAI Agents SDK: a record for each trace and each span.

A trace is a turn, its ``group_id`` the conversation. Where spans of kind ``generation`` hold what the model was given and
answered, they say which calls were made; else the spans of kind ``function`` do. They are written when they end, so their
order is that of ``started_at``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import NOT_RECORDED
from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import UNKNOWN_QUERY, call_of, id_of, records_of, result_of, says, thread_of
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.recordings.beside import Request

_SPAN: Final = "trace.span"
_NO_MESSAGES: Final = "what the user said and what the agent answered is not in the file"


class _OpenAIAgentsTrace:
    name = "openai-agents-trace"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such an export."""
        records = records_of(document)
        return bool(records) and all(record.get("object") in ("trace", _SPAN) for record in records)

    def read(self, document: Any) -> Reading:
        """Read a conversation for each group of traces, and for each trace that has none."""
        records = records_of(document)
        groups = {
            id_of(record.get("id")): id_of(record.get("group_id")) for record in records if record["object"] == "trace"
        }
        turns: dict[str, list[dict[str, Any]]] = {}
        for record in sorted(records, key=lambda record: str(record.get("started_at") or "")):
            if record["object"] == _SPAN:
                turns.setdefault(str(record.get("trace_id")), []).append(record)
        threads: dict[str, list[Any]] = {}
        for trace, spans in turns.items():
            threads.setdefault(groups.get(trace) or trace, []).extend(_turn(spans))
        found = tuple(thread_of(messages, name) for name, messages in threads.items())
        lacks_query = any(message is UNKNOWN_QUERY for messages in threads.values() for message in messages)
        return Reading(found, (_NO_MESSAGES,) if lacks_query else ())


def _turn(spans: Sequence[dict[str, Any]]) -> list[Any]:
    said = [span["span_data"] for span in _of_kind(spans, "generation")]
    answers = [one for one in said if isinstance(one.get("output"), list)]
    messages = _said(answers[-1]) if answers else _made(_of_kind(spans, "function"), _agents(spans))
    times = [Beside(time=time_of(span.get(key))) for span in spans for key in ("started_at", "ended_at")]
    return [*messages, *times, *(Beside(request=request) for request in _requests(spans)), *_failures(spans)]


def _failures(spans: Sequence[dict[str, Any]]) -> list[Beside]:
    """Say in which error the turn ended: of the last request to a model, or of an agent that no tool called."""
    tools = {id_of(span.get("id")) for span in _of_kind(spans, "function")}
    requests = _of_kind(spans, "generation", "response")
    agents = [span for span in _of_kind(spans, "agent") if id_of(span.get("parent_id")) not in tools]
    errors = [span["error"] for span in (*requests[-1:], *agents) if span.get("error") is not None]
    return [failed(error, "the agent failed") for error in errors[:1]]


def _requests(spans: Sequence[dict[str, Any]]) -> list[Request]:
    """Give the requests to models; where their own spans do not say what they took, those of the rounds do."""
    for kind in ("generation", "response", "custom"):
        found = [span["span_data"] for span in _of_kind(spans, kind)]
        if kind == "custom":
            held = [one["data"] for one in found if isinstance(one.get("data"), dict)]
            found = [one for one in held if one.get("sdk_span_type") == "turn"]
        requests = [request_of(read_usage(one.get("usage")), one.get("model")) for one in found]
        if any(request.usage for request in requests):
            return requests
    return []


def _agents(spans: Sequence[dict[str, Any]]) -> dict[str | None, Any]:
    """Give for each span the name of the agent that it belongs to."""
    parents = {id_of(span.get("id")): id_of(span.get("parent_id")) for span in spans}
    names = {id_of(span.get("id")): span["span_data"].get("name") for span in _of_kind(spans, "agent")}
    found: dict[str | None, Any] = {}
    for name in parents:
        at, seen = name, set[str | None]()
        while at in parents and at not in names and at not in seen:
            seen.add(at)
            at = parents[at]
        found[name] = names.get(at)
    return found


def _of_kind(spans: Sequence[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [
        span for span in spans if isinstance(span.get("span_data"), dict) and span["span_data"].get("type") in kinds
    ]


def _said(generation: dict[str, Any]) -> list[Any]:
    """Take the turn from the last answer of the model: it was given all that came before."""
    given = generation["input"] if isinstance(generation.get("input"), list) else []
    users = [
        index for index, message in enumerate(given) if isinstance(message, dict) and message.get("role") == "user"
    ]
    return [*(given[users[-1] :] if users else [UNKNOWN_QUERY, *given]), *generation["output"]]


def _made(functions: Sequence[dict[str, Any]], agents: dict[str | None, Any]) -> list[Any]:
    messages: list[Any] = [UNKNOWN_QUERY]
    for span in functions:
        data, error = span["span_data"], span.get("error")
        given = data.get("input")
        call = call_of({"name": data.get("name"), "arguments": NOT_RECORDED if given is None else given})
        messages.append(says(None, [call], agents[id_of(span.get("id"))]))
        if data.get("output") is not None or error is not None:
            value = data["output"] if data.get("output") is not None else error
            result = result_of(None, value, call.name, error=error is not None)
            times = {"start_time": time_of(span.get("started_at")), "end_time": time_of(span.get("ended_at"))}
            messages.append(result.model_copy(update=times))
    return messages


OPENAI_AGENTS_TRACE: Final = _OpenAIAgentsTrace()
