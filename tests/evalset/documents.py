"""Small documents in the native shape."""

from __future__ import annotations

from typing import Any

TIME = "2026-08-01T09:00:00Z"


def trace_document(**changes: Any) -> dict[str, Any]:
    return {
        "id": "turn",
        "userMessage": {"role": "user", "content": "hi"},
        "iterations": [],
        "output": {"role": "assistant", "content": "hello"},
        "tools": [],
        "startTime": TIME,
        "endTime": TIME,
    } | changes


def thread_document(identity: str = "a", /, *traces: Any, **changes: Any) -> dict[str, Any]:
    return {"id": identity, "description": "", "traces": list(traces)} | changes


def eval_set_document(*threads: Any, **changes: Any) -> dict[str, Any]:
    return {"id": "set", "name": "n", "description": "d", "threads": list(threads)} | changes
