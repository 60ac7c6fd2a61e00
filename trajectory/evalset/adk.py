"""The eval sets of Google ADK as its tools write them today: ``eval_set_id`` and ``eval_cases``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.evalset.cursor import Cursor
from trajectory.evalset.detection import lacks
from trajectory.evalset.foreign import UNKNOWN_TIME, Result, Turn, call_of, eval_set_of, thread_of

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread, Time, ToolCall
    from trajectory.evalset.document import Document
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonValue

SHAPE: Final = "Google ADK eval set"

_TURN_KEYS: Final = (
    "invocation_id",
    "user_content",
    "final_response",
    "intermediate_data",
    "creation_timestamp",
    "rubrics",
    "app_details",
    "duration",
    "model_duration",
    "tool_duration",
)
_DATA_KEYS: Final = ("tool_uses", "tool_responses", "intermediate_responses", "invocation_events")
_CALL_KEYS: Final = ("id", "name", "args", "partial_args", "will_continue")
_LATEST_SECONDS: Final = 10**11
"""Timestamps beyond this (the year 5138) are in a smaller unit than seconds."""


def rule_out(value: JsonValue) -> str:
    """Say what keeps a document from being an eval set of this shape; empty when it is one."""
    reason = lacks(value, "eval_set_id", "eval_cases")
    return reason and lacks(value, "evalSetId", "evalCases") and reason


def read_adk(document: Document) -> EvalSet:
    """Read an eval set of Google ADK.

    A turn whose ``intermediate_data`` is not there, or lists neither calls nor events, states no expectation. A case
    with a ``conversation_scenario`` has no turns to replay.

    Args:
        document: A document of this shape.

    Returns:
        The eval set.

    Raises:
        EvalSetError: The document breaks the format.
    """
    root, notes = Cursor(document.value), list[str]()
    root.need("eval_set_id").text()
    cases = [(case.get("eval_id") or case, _case(case, notes)) for case in root.need("eval_cases").items()]
    return eval_set_of(document, SHAPE, cases, root=root, notes=notes)


def _case(case: Cursor, notes: list[str]) -> ConversationThread:
    name = case.need("eval_id").text()
    conversation, scenario, session = (
        case.get(key) for key in ("conversation", "conversation_scenario", "session_input")
    )
    if (conversation is None) == (scenario is None) and isinstance(case.value, dict):
        case.wrong("either the key 'conversation' or the key 'conversation_scenario'")
    if scenario:
        notes.append(f"{case.pointer}: a conversation scenario has no recorded turns, so nothing is replayed")
    turns = [_turn(turn, number, notes) for number, turn in enumerate(conversation.items() if conversation else [], 1)]
    final = case.get("final_session_state")
    return thread_of(
        name, turns, case, session.get("state") if session else None, final if final and final.value else None
    )


def _turn(turn: Cursor, number: int, notes: list[str]) -> Turn:
    turn.allow(_TURN_KEYS, "an invocation")
    name, user, answer = turn.get("invocation_id"), turn.need("user_content"), turn.get("final_response")
    kinds = sorted({kind for part in _parts(user) if (kind := _other_kind(part))})
    if kinds:
        notes.append(f"{user.pointer}: only the text is replayed, not {', '.join(kinds)}")
    calls, results = _expectation(turn.get("intermediate_data"))
    return Turn(
        id=name.text() if name else f"turn-{number}",
        query=text_of(user),
        response=text_of(answer) or None if answer else None,
        calls=calls,
        results=results,
        time=_time(turn.get("creation_timestamp")),
    )


def _expectation(data: Cursor | None) -> tuple[list[ToolCall] | None, list[Result]]:
    """Read the calls that are stated, and the results that were recorded with them."""
    if data is None:
        return None, []
    data.allow(_DATA_KEYS, "intermediate data")
    uses, responses, events = (data.get(key) for key in ("tool_uses", "tool_responses", "invocation_events"))
    if events is not None:
        if uses is not None:
            data.wrong("either the key 'tool_uses' or the key 'invocation_events'")
        parts = [part for event in events.items() for part in _parts(event.get("content"))]
        found = [part.get("function_call") for part in parts], [part.get("function_response") for part in parts]
        return [_call(call) for call in found[0] if call], [_result(result) for result in found[1] if result]
    calls = [_call(call) for call in uses.items()] if uses else None
    return calls, [_result(result) for result in responses.items()] if responses else []


def _call(call: Cursor) -> ToolCall:
    call.allow(_CALL_KEYS, "a function call")
    return call_of(call)


def _result(result: Cursor) -> Result:
    name, identity, response = result.get("name"), result.get("id"), result.get("response")
    return Result(
        name=name.text() if name else "",
        value=response.value if response else None,
        id=identity.text() if identity else None,
    )


def _parts(content: Cursor | None) -> list[Cursor]:
    parts = content.get("parts") if content else None
    return parts.items() if parts else []


def text_of(content: Cursor) -> str:
    """Join the texts of a content as they stand; thoughts are no answer."""
    content.object()
    texts = [(part.get("text"), part.get("thought")) for part in _parts(content)]
    return "".join(text.text() for text, thought in texts if text and not (thought and thought.value is True))


def _other_kind(part: Cursor) -> str:
    """Tell what a part holds instead of text."""
    stated = part.value.items() if isinstance(part.value, dict) else ()
    return (
        next((kind for kind, value in stated if value is not None and kind != "text"), "")
        if not part.get("text")
        else ""
    )


def _time(stamp: Cursor | None) -> Time:
    """Read a timestamp: seconds as the format has them, or the milli- and microseconds that some writers give."""
    if stamp is None:
        return UNKNOWN_TIME
    is_number = isinstance(stamp.value, int | float) and not isinstance(stamp.value, bool)
    if not (is_number and 0 <= stamp.value < _LATEST_SECONDS * 10**9):
        stamp.wrong("seconds since 1970")
        return UNKNOWN_TIME
    seconds = float(stamp.value)
    while seconds >= _LATEST_SECONDS:
        seconds /= 1000
    return int(seconds), seconds % 1
