"""The datasets of Google's agents-cli: prompts and conversations, without any expected calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.evalset.adk import text_of
from trajectory.evalset.cursor import Cursor
from trajectory.evalset.detection import lacks
from trajectory.evalset.foreign import Turn, eval_set_of, thread_of

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.evalset.document import Document
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonValue

SHAPE: Final = "agents-cli dataset"


def rule_out(value: JsonValue) -> str:
    """Say what keeps a document from being a dataset; empty when it is one."""
    return lacks(value, "eval_cases") or ("it has the key 'eval_set_id'" if "eval_set_id" in value else "")


def read_dataset(document: Document) -> EvalSet:
    """Read a dataset: each user message is a turn, none states an expectation.

    Args:
        document: A document of this shape.

    Returns:
        The eval set, named after the file.

    Raises:
        EvalSetError: The document breaks the format.
    """
    root = Cursor(document.value)
    cases = [
        (case.get("eval_case_id") or case, _case(case, n)) for n, case in enumerate(root.need("eval_cases").items(), 1)
    ]
    return eval_set_of(document, SHAPE, cases, root=root)


def _case(case: Cursor, number: int) -> ConversationThread:
    name, prompt, data = (case.get(key) for key in ("eval_case_id", "prompt", "agent_data"))
    if (prompt is None) == (data is None):
        case.wrong("either the key 'prompt' or the key 'agent_data'")
    said = [prompt] if prompt else _user_contents(data) if data else []
    turns = [Turn(id=f"turn-{index}", query=text_of(content)) for index, content in enumerate(said, 1)]
    return thread_of(name.text() if name else f"case-{number}", turns, case)


def _user_contents(data: Cursor) -> list[Cursor]:
    events = [event for turn in data.need("turns").items() if (found := turn.get("events")) for event in found.items()]
    return [
        content
        for event in events
        if (author := event.get("author")) and author.value == "user" and (content := event.get("content"))
    ]
