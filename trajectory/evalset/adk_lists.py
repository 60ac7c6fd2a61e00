"""The older eval sets of Google ADK: a list of turns, and a list of named cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.evalset.cursor import Cursor
from trajectory.evalset.detection import is_no_list_of
from trajectory.evalset.foreign import Turn, call_of, eval_set_of, stem, thread_of

if TYPE_CHECKING:
    from trajectory.evalset.document import Document
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonValue

TURNS: Final = "Google ADK list of turns (old)"
CASES: Final = "Google ADK list of named cases (old)"

_TURN_KEYS: Final = ("query", "expected_tool_use", "expected_intermediate_agent_responses", "reference")
_CALL_KEYS: Final = ("tool_name", "tool_input", "mock_tool_output")


def rule_out_turns(value: JsonValue) -> str:
    """Say what keeps a document from being a list of turns; empty when it is one."""
    return is_no_list_of(value, "query")


def rule_out_cases(value: JsonValue) -> str:
    """Say what keeps a document from being a list of named cases; empty when it is one."""
    return is_no_list_of(value, "name", "data")


def read_turns(document: Document) -> EvalSet:
    """Read a list of turns: they are those of one thread, which is named after the file.

    Args:
        document: A document of this shape.

    Returns:
        The eval set.

    Raises:
        EvalSetError: The document breaks the format.
    """
    root = Cursor(document.value)
    thread = thread_of(stem(document.file), _turns(root), root)
    return eval_set_of(document, TURNS, [(root, thread)], root=root)


def read_cases(document: Document) -> EvalSet:
    """Read a list of named cases: each is a thread.

    Args:
        document: A document of this shape.

    Returns:
        The eval set.

    Raises:
        EvalSetError: The document breaks the format.
    """
    root, threads, notes = Cursor(document.value), [], []
    for case in root.items():
        session = case.get("initial_session")
        state = session.get("state") if session else None
        threads.append(
            (case.get("name") or case, thread_of(case.need("name").text(), _turns(case.need("data")), case, state))
        )
        if session is None and case.get("initial_state"):
            notes.append(f"{case.pointer}: the key 'initial_state' has no effect; did you mean 'initial_session'?")
    return eval_set_of(document, CASES, threads, root=root, notes=notes)


def _turns(turns: Cursor) -> list[Turn]:
    return [_turn(turn, number) for number, turn in enumerate(turns.items() if turns.value is not None else [], 1)]


def _turn(turn: Cursor, number: int) -> Turn:
    turn.allow(_TURN_KEYS, "a turn")
    uses, reference = turn.get("expected_tool_use"), turn.get("reference")
    for use in uses.items() if uses else ():
        use.allow(_CALL_KEYS, "an expected tool use")
    return Turn(
        id=f"turn-{number}",
        query=turn.need("query").text(),
        response=reference.text() if reference else None,
        calls=[call_of(use, name="tool_name", arguments="tool_input") for use in uses.items()] if uses else None,
    )
