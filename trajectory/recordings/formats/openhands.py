"""Events of OpenHands, as its software agent SDK writes them.

Actions are calls, and those of one answer of the model share its id. The program asks the model for a summary and a level
of risk with each call; they are no arguments of the tool, which is told by the action that was made of the call.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from trajectory.conversation import NOT_RECORDED, ToolCall
from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    call_of,
    id_of,
    left_out,
    object_of,
    records_of,
    result_of,
    says,
    texts_in,
    thread_of,
)
from trajectory.recordings.usage import added_usage, read_usage
from trajectory.usage import Usage

_KIND: Final = re.compile(r"\w+(Event|Observation|Condensation|CondensationRequest)|Condensation\w*")
_ASKED_FOR: Final = ("security_risk", "summary")
_SILENT: Final = ("SystemPromptEvent", "ConversationStateUpdateEvent", "PauseEvent", "TokenEvent")
_FAILURE: Final = "the conversation ended in an error"
_FAILED: Final = {"AgentErrorEvent": "error", "UserRejectObservation": "rejection_reason"}


class _OpenHands:
    name = "openhands"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a list of such events."""
        events = records_of(document)
        return bool(events) and all(
            isinstance(event.get("kind"), str) and _KIND.fullmatch(event["kind"]) and "timestamp" in event
            for event in events
        )

    def read(self, document: Any) -> Reading:
        """Read the events as one conversation."""
        talk = _Talk()
        for event in records_of(document):
            talk.read(event)
        notes = left_out(talk.unknown.total(), f"events of other kinds: {', '.join(sorted(talk.unknown))}")
        return Reading((thread_of(talk.finish()),), (*notes, *talk.notes))


@dataclass
class _Talk:
    """The conversation, put together event by event."""

    messages: list[Any] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    calls: dict[str | None, ToolCall] = field(default_factory=dict)
    total: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    def read(self, event: dict[str, Any]) -> None:
        kind, time = event["kind"], time_of(event.get("timestamp"))
        if kind == "ActionEvent":
            self._act(event)
        elif kind == "MessageEvent":
            message = object_of(event.get("llm_message"), "a message")
            self._say({"role": message.get("role"), "content": texts_in(message.get("content"))}, time)
        elif kind == "ObservationEvent":
            seen = object_of(event.get("observation"), "an observation")
            self._say(self._result(event, texts_in(seen.get("content")), bool(seen.get("is_error"))), time)
        elif kind in _FAILED:
            self._say(self._result(event, event.get(_FAILED[kind]), True), time)  # noqa: FBT003 - likewise
        elif kind == "ConversationErrorEvent":
            self.notes.append(_FAILURE)
            self._end_answer()
            self.messages.append(failed(event.get("detail"), str(event.get("code") or _FAILURE), time))
        elif kind == "ConversationStateUpdateEvent" and event.get("key") == "stats":
            self._count(event.get("value"))
        elif kind not in _SILENT:
            self.unknown[kind] += 1

    def finish(self) -> list[Any]:
        self._end_answer()
        return self.messages

    def _say(self, message: Any, time: str | None) -> None:
        self._end_answer()
        self.messages.append(Beside(message, time))

    def _act(self, event: dict[str, Any]) -> None:
        answer = event.get("llm_response_id")
        if self.asked and (answer is None or answer != self.asked[-1].get("llm_response_id")):
            self._end_answer()
        self.asked.append(event)
        self.calls[id_of(event.get("id"))] = _call(event)

    def _end_answer(self) -> None:
        if self.asked:
            text = "".join(texts_in(event.get("thought")) for event in self.asked)
            calls = [self.calls[id_of(event.get("id"))] for event in self.asked]
            self.messages.append(Beside(says(text, calls), time_of(self.asked[-1].get("timestamp"))))
        self.asked = []

    def _result(self, event: dict[str, Any], value: Any, failed: bool) -> Any:  # noqa: FBT001 - the flag is the fact
        call = self.calls.get(id_of(event.get("action_id")))
        identity = event.get("tool_call_id") or (call.id if call else None)
        return result_of(identity, value, call.name if call else event.get("tool_name"), error=failed)

    def _count(self, stats: Any) -> None:
        """Note what was added to the running totals, which there are for each use of a model."""
        listed = stats.get("usage_to_metrics") if isinstance(stats, dict) else None
        metrics = [one for one in listed.values() if isinstance(one, dict)] if isinstance(listed, dict) else []
        parts = [read_usage(one.get("accumulated_token_usage"), one.get("accumulated_cost")) for one in metrics]
        total = Usage.total(parts) or Usage()
        if total != self.total and metrics:
            request = request_of(added_usage(self.total, total) or total, metrics[0].get("model_name"))
            self.messages.append(Beside(request=request))
        self.total = total


def _call(event: dict[str, Any]) -> ToolCall:
    asked = event.get("tool_call")
    told = asked if isinstance(asked, dict) else {}
    name = event.get("tool_name") or told.get("name")
    identity = event.get("tool_call_id") or told.get("id")
    return call_of({"name": name, "id": identity, "arguments": _arguments(told.get("arguments"), event.get("action"))})


def _arguments(given: Any, action: Any) -> Any:
    """Give what the model gave, without what it was asked for besides; where that is not there, what was made of it."""
    made = {key: value for key, value in action.items() if key != "kind"} if isinstance(action, dict) else None
    if given is None:
        return NOT_RECORDED if made is None else made
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return given
    if not isinstance(read, dict) or made is None:
        return given
    return {key: value for key, value in read.items() if key in made or key not in _ASKED_FOR}


OPENHANDS: Final = _OpenHands()
