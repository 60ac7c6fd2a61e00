"""The eval sets of tRPC-Agent-Go: ``evalSetId``, and ``tools`` with their results on each turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.evalset.cursor import Cursor
from trajectory.evalset.detection import lacks
from trajectory.evalset.foreign import Result, Turn, call_of, eval_set_of, thread_of

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.evalset.document import Document
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonObject, JsonValue

SHAPE: Final = "tRPC-Agent-Go eval set"


def rule_out(value: JsonValue) -> str:
    """Say what keeps a document from being an eval set of this shape; empty when it is one."""
    if reason := lacks(value, "evalSetId", "evalCases"):
        return reason
    turns = (turn for case in _objects(value["evalCases"]) for turn in _objects(case.get("conversation")))
    turn = next(turns, {})
    said = turn.get("userContent")
    if "tools" in turn or (isinstance(said, dict) and isinstance(said.get("content"), str)):
        return ""
    return "the first turn has no key 'tools'"


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def read_trpc(document: Document) -> EvalSet:
    """Read an eval set of tRPC-Agent-Go.

    Args:
        document: A document of this shape.

    Returns:
        The eval set.

    Raises:
        EvalSetError: The document breaks the format.
    """
    root = Cursor(document.value)
    root.need("eval_set_id").text()
    cases = [(case.get("eval_id") or case, _case(case)) for case in root.need("eval_cases").items()]
    return eval_set_of(document, SHAPE, cases, root=root)


def _case(case: Cursor) -> ConversationThread:
    session, conversation = case.get("session_input"), case.need("conversation")
    turns = [_turn(turn, number) for number, turn in enumerate(conversation.items() if conversation.value else [], 1)]
    return thread_of(case.need("eval_id").text(), turns, case, session.get("state") if session else None)


def _turn(turn: Cursor, number: int) -> Turn:
    name, answer, tools = turn.get("invocation_id"), turn.get("final_response"), turn.get("tools")
    said = answer.get("content") if answer else None
    calls = tools.items() if tools else []
    return Turn(
        id=name.text() if name else f"turn-{number}",
        query=turn.need("user_content").need("content").text(),
        response=said.text() if said else None,
        calls=[call_of(call, arguments="arguments") for call in calls] if tools else None,
        results=[_result(call, result) for call in calls if (result := call.get("result"))],
    )


def _result(call: Cursor, result: Cursor) -> Result:
    read = call_of(call, arguments="arguments")
    return Result(name=read.name, value=result.value, id=read.id)
