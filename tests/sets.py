"""Small eval sets, written the way people think of them: ``{"thread": [("query", [call, ...]), ...]}``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from trajectory import ConversationThread

if TYPE_CHECKING:
    from collections.abc import Sequence

Call: TypeAlias = dict[str, Any]
Turn: TypeAlias = tuple[str, "Sequence[Call]"]

TIME = "2026-08-01T09:00:00Z"


def call(name: str, /, **arguments: Any) -> Call:
    return {"name": name, "arguments": arguments}


def trace(number: int, query: str, calls: Sequence[Call], output: Any = None) -> dict[str, Any]:
    return {
        "id": f"turn-{number}",
        "userMessage": {"role": "user", "content": query},
        "iterations": [],
        "output": output if output is not None else {"role": "assistant", "content": f"answer to {query}"},
        "tools": [],
        "toolCalls": list(calls),
        "startTime": TIME,
        "endTime": TIME,
    }


def thread(identity: str, turns: Sequence[Turn], **keys: Any) -> dict[str, Any]:
    traces = [trace(number, *turn) for number, turn in enumerate(turns, start=1)]
    return {"id": identity, "description": "", "traces": traces, **keys}


def eval_set(threads: Mapping[str, Sequence[Turn]] | Sequence[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    if isinstance(threads, Mapping):
        threads = [thread(identity, turns) for identity, turns in threads.items()]
    return {"id": "set", "name": "set", "description": "", "threads": list(threads), **keys}


def eval_set_text(threads: Mapping[str, Sequence[Turn]] | Sequence[dict[str, Any]], **keys: Any) -> str:
    return json.dumps(eval_set(threads, **keys), indent=2)


def conversation(identity: str, turns: Sequence[Turn], **keys: Any) -> ConversationThread:
    return ConversationThread.model_validate(thread(identity, turns, **keys))
