"""Events of the AG-UI protocol: texts and arguments in pieces, runs, and snapshots that replace what came before."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    UNKNOWN_QUERY,
    call_of,
    id_of,
    left_out,
    objects_of,
    records_of,
    result_of,
    says,
    texts_in,
    thread_of,
)
from trajectory.recordings.formats.openai_chat import chat_message
from trajectory.recordings.usage import read_usage

_EVENT: Final = re.compile(
    r"(RUN|STEP|TEXT_MESSAGE|TOOL_CALL|REASONING|THINKING|STATE|MESSAGES|ACTIVITY|SUBAGENT)_[A-Z_]+|RAW|CUSTOM"
)
_STARTS: Final = ("TEXT_MESSAGE_START", "TOOL_CALL_START")
_SAID: Final = ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")
_CALLED: Final = ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_CHUNK")
_ENDS: Final = ("RUN_FINISHED", "RUN_ERROR")
_NO_CHAT: Final = ("activity", "reasoning")


class _AgUi:
    name = "ag-ui"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a list of such events."""
        events = records_of(document)
        return bool(events) and all(_EVENT.fullmatch(str(event.get("type"))) for event in events)

    def read(self, document: Any) -> Reading:
        """Read a conversation for each thread; a run whose input was not recorded is a turn without a query."""
        threads: dict[Any, _Thread] = {}
        current = _Thread()
        has_failed = runs = False
        for event in records_of(document):
            if event["type"] == "RUN_STARTED":
                current = threads.setdefault(id_of(event.get("threadId")), _Thread())
                current.begin(event)
                runs = True
            current.read(event)
            has_failed |= event["type"] == "RUN_ERROR"
            runs &= event["type"] not in _ENDS
        found = threads or {None: current}
        nameless = left_out(sum(thread.nameless for thread in found.values()), "calls", "their beginning is not there")
        notes = (
            *(["a run ended in an error"] if has_failed else []),
            *(["a run did not end"] if runs else []),
            *nameless,
        )
        read = tuple(thread_of(thread.messages(), name) for name, thread in found.items())
        return Reading(read, notes, incomplete=runs or bool(nameless))


@dataclass
class _Thread:
    """The conversation of a thread, put together from its events."""

    done: list[Any] = field(default_factory=list)
    pieces: list[dict[str, Any]] = field(default_factory=list)
    known: dict[tuple[str, Any], dict[str, Any]] = field(default_factory=dict)
    told: dict[str | None, None] = field(default_factory=dict)
    lost: int = 0

    @property
    def nameless(self) -> int:
        """How many calls are there of which only a later part was recorded."""
        return self.lost + sum(1 for piece in self.pieces if piece.get("kind") == "call" and not piece.get("name"))

    def begin(self, event: dict[str, Any]) -> None:
        given = event.get("input")
        messages = objects_of(given.get("messages"), "a message") if isinstance(given, dict) else []
        self.known = {}
        if not messages:
            self.pieces.append({"role": "user"})
        elif (new := self._new(messages)) is None:
            self._start_over(messages)
        else:
            self.lost = self.nameless
            self._start_over(new, self.messages())

    def read(self, event: dict[str, Any]) -> None:
        kind, time = event["type"], time_of(event.get("timestamp"))
        self.pieces.append({"beside": Beside(time=time)})
        if kind == "RUN_FINISHED" and (usage := read_usage(event.get("usage"))):
            self.pieces.append({"beside": Beside(request=request_of(usage, None))})
        if kind == "MESSAGES_SNAPSHOT":
            self._start_over(objects_of(event.get("messages"), "a message"))
        elif kind == "RUN_ERROR":
            self.pieces.append({"beside": failed(event.get("message"), "the run ended in an error", time)})
        elif kind in _SAID:
            piece = self._piece(id_of(event.get("messageId")), "text", starts=kind in _STARTS)
            piece["speaker"] = event.get("role") or piece.get("speaker", "assistant")
            piece["text"] += texts_in(event.get("delta"))
            self.told[piece["id"]] = None
        elif kind in _CALLED:
            piece = self._piece(id_of(event.get("toolCallId")), "call", starts=kind in _STARTS)
            piece["name"] = event.get("toolCallName") or piece.get("name")
            piece["text"] += texts_in(event.get("delta"))
            piece["parent"] = id_of(event.get("parentMessageId")) or piece.get("parent")
        elif kind == "TOOL_CALL_RESULT":
            result = result_of(event.get("toolCallId"), event.get("content"))
            self.pieces.append({"result": Beside(result, time)})

    def messages(self) -> list[Any]:
        """Give the messages. A call that names the message it belongs to makes that message no answer."""
        parents = {piece.get("parent") for piece in self.pieces if "name" in piece} - {None}
        messages = list(self.done)
        for index, piece in enumerate(self.pieces):
            if piece.get("role") == "user":
                messages += [] if self._is_told(index) else [UNKNOWN_QUERY]
            elif "result" in piece or "beside" in piece:
                messages.append(piece.get("result", piece.get("beside")))
            elif piece["kind"] == "call" and piece.get("name"):
                messages.append(says(None, [call_of({**piece, "arguments": piece["text"]})]))
            elif piece["kind"] == "text" and piece["speaker"] != "assistant":
                messages.append({"role": piece["speaker"], "content": piece["text"]})
            elif piece["kind"] == "text" and piece["id"] not in parents:
                messages.append(says(piece["text"]))
        return messages

    def _new(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Tell which of a run's messages are new, where it is not given all; ``None`` where it is."""
        ids = _ids(messages)
        if None in ids or not self.told:
            return None
        known = [identity in self.told for identity in ids]
        if not any(known):
            return messages
        is_whole = not known[0] or ids[0] == next(iter(self.told))
        return None if is_whole else messages[len(known) - known[::-1].index(True) :]

    def _is_told(self, index: int) -> bool:
        """Tell whether the events of a run without its input begin with what the user said."""
        later = (piece for piece in self.pieces[index + 1 :] if "beside" not in piece)
        return next(later, {}).get("speaker") == "user"

    def _start_over(self, messages: list[dict[str, Any]], before: list[Any] | None = None) -> None:
        self.done, self.pieces, self.known = [*(before or ()), *_chat(messages)], [], {}
        self.told |= dict.fromkeys(_ids(messages))

    def _piece(self, identity: Any, kind: str, *, starts: bool) -> dict[str, Any]:
        """Find what a fragment belongs to; one that names nothing goes on with the latest of its kind."""
        found = None if starts else self.known.get((kind, identity))
        if found is None:
            found = {"id": identity, "kind": kind, "text": ""}
            self.pieces.append(found)
        self.known[kind, identity] = self.known[kind, None] = found
        return found


def _ids(messages: list[dict[str, Any]]) -> list[str | None]:
    return [id_of(message.get("id")) for message in messages]


def _chat(messages: list[dict[str, Any]]) -> list[Any]:
    kept = [message for message in messages if message.get("role") not in _NO_CHAT]
    return [_chat_message(message) for message in kept]


def _chat_message(message: dict[str, Any]) -> Any:
    if message.get("role") == "tool":
        content = texts_in(message.get("content"))
        return result_of(message.get("toolCallId"), content, error=message.get("error") is not None)
    return chat_message({**message, "tool_calls": message.get("toolCalls")})


AG_UI: Final = _AgUi()
