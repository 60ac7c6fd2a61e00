"""Sessions of Google ADK and of Vertex AI Agent Engine: their events, in either spelling of the keys.

What a tool gave back stands in an event whose content has the role ``user``, so the author tells who speaks. Every other
author than the user is one of the conversation's agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic.alias_generators import to_camel

from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    NO_QUERY,
    call_of,
    left_out,
    object_of,
    objects_of,
    records_of,
    result_of,
    says,
    text_of,
    thread_of,
)
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import FunctionMessage

_OF_A_TURN: Final = ("invocationId", "invocation_id")
_EVENTS: Final = ("events", "sessionEvents", "session_events")


class _AdkSession:
    name = "adk-session"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a session, a list of them, or the events of one, as ADK's server answers."""
        records = records_of(document)
        return bool(records) and (all(map(_is_session, records)) or all(map(_is_event, records)))

    def stands_alone(self, record: Any) -> bool:
        """Tell whether a record is a session."""
        return isinstance(record, dict) and _is_session(record)

    def read(self, document: Any) -> Reading:
        """Read each session as a conversation."""
        notes: list[str] = []
        records = records_of(document)
        is_of_events = all(map(_is_event, records))
        threads = tuple(
            thread_of(_messages(_events(record), notes), record.get("id"), record.get("state"))
            for record in ([{"events": records}] if is_of_events else records)
        )
        notes += [NO_QUERY] if is_of_events and all(record["author"] != "user" for record in records) else []
        return Reading(threads, tuple(dict.fromkeys(notes)))


def _is_event(record: dict[str, Any]) -> bool:
    return "author" in record and not record.keys().isdisjoint(_OF_A_TURN)


def _is_session(record: dict[str, Any]) -> bool:
    events: list[Any] = next((record[key] for key in _EVENTS if isinstance(record.get(key), list)), [])
    is_new = any(key in record for key in ("appName", "app_name")) and record.get("events") == []
    return is_new or (bool(events) and all(isinstance(event, dict) and "author" in event for event in events))


def _events(session: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the events that count: without fragments of streams, and without what was rewound."""
    listed = next(session[key] for key in _EVENTS if isinstance(session.get(key), list))
    events: list[dict[str, Any]] = []
    for event in objects_of(listed, "an event"):
        back_to = _get(_get(event, "actions", {}), "rewind_before_invocation_id")
        if back_to is not None:
            places = [index for index, one in enumerate(events) if _get(one, "invocation_id") == back_to]
            events = events[: places[0]] if places else events
        elif not _get(event, "partial"):
            events.append(event)
    return events


def _messages(events: list[dict[str, Any]], notes: list[str]) -> list[Any]:
    messages: list[Any] = []
    code = 0
    for event in events:
        content = _get(event, "content", {})
        parts = objects_of(object_of(content, "the content of an event").get("parts"), "a part of content")
        results = [_get(part, "function_response") for part in parts]
        time = time_of(event.get("timestamp"))
        messages += [Beside(_result(result), time) for result in results if result is not None]
        calls = [call_of(call, arguments="args") for part in parts if (call := _get(part, "function_call")) is not None]
        text = "".join(text_of(part["text"]) or "" for part in parts if _speaks(part))
        code += sum(_get(part, "executable_code") is not None for part in parts)
        if event["author"] == "user" and (text or not any(results)) and parts:
            messages.append(Beside({"role": "user", "content": text}, time))
        elif text or calls:
            messages.append(Beside(says(text, calls, event["author"]), time))
        messages += _request(event)
        if (code_of_error := _get(event, "error_code")) is not None:
            messages.append(failed(_get(event, "error_message"), str(code_of_error), time))
    notes += left_out(code, "pieces of code that the model ran itself", "they are no calls of a tool")
    return messages


def _request(event: dict[str, Any]) -> list[Beside]:
    usage, model = read_usage(_get(event, "usage_metadata")), _get(event, "model_version")
    return [Beside(request=request_of(usage, model))] if usage or model else []


def _speaks(part: dict[str, Any]) -> bool:
    return part.get("text") is not None and not part.get("thought")


def _result(response: Any) -> FunctionMessage:
    found = object_of(response, "a function response")
    return result_of(found.get("id"), found.get("response"), found.get("name"))


def _get(record: Any, key: str, otherwise: Any = None) -> Any:
    """Give the value of a key in either spelling."""
    found = object_of(record, f"an object that may have the key {key!r}")
    value = found.get(key) if found.get(key) is not None else found.get(to_camel(key))
    return otherwise if value is None else value


ADK_SESSION: Final = _AdkSession()
