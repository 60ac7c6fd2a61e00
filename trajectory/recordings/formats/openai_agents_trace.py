"""The trace export of the OpenAI Agents SDK: a record for each trace and each span.

A trace is a turn, its ``group_id`` the conversation. Where spans of kind ``generation`` hold what the model was given and
answered, they say which calls were made; else the spans of kind ``function`` do. They are written when they end, so their
order is that of ``started_at``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import NOT_RECORDED
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import UNKNOWN_QUERY, call_of, id_of, records_of, result_of, says, thread_of

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    return _said(answers[-1]) if answers else _made(_of_kind(spans, "function"))


def _of_kind(spans: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [span for span in spans if isinstance(span.get("span_data"), dict) and span["span_data"].get("type") == kind]


def _said(generation: dict[str, Any]) -> list[Any]:
    """Take the turn from the last answer of the model: it was given all that came before."""
    given = generation["input"] if isinstance(generation.get("input"), list) else []
    users = [
        index for index, message in enumerate(given) if isinstance(message, dict) and message.get("role") == "user"
    ]
    return [*(given[users[-1] :] if users else [UNKNOWN_QUERY, *given]), *generation["output"]]


def _made(functions: Sequence[dict[str, Any]]) -> list[Any]:
    messages: list[Any] = [UNKNOWN_QUERY]
    for span in functions:
        data, error = span["span_data"], span.get("error")
        given = data.get("input")
        call = call_of({"name": data.get("name"), "arguments": NOT_RECORDED if given is None else given})
        messages.append(says(None, [call]))
        if data.get("output") is not None or error is not None:
            value = data["output"] if data.get("output") is not None else error
            messages.append(result_of(None, value, call.name, error=error is not None))
    return messages


OPENAI_AGENTS_TRACE: Final = _OpenAIAgentsTrace()
