"""Records that name the record before them: of a tree of them, the branch that the session ended on."""

from __future__ import annotations

from typing import Any


def live_branch(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out repeated records and the branches that were given up.

    Where two prompts, or two answers of the model, follow one record, the session went back there, and the last one counts.
    A result beside an answer is no other branch: results follow the part of an answer that asked for them.

    Args:
        records: The records, oldest first.

    Returns:
        Those that count, in the same order.
    """
    once = list({str(record.get("uuid") or index): record for index, record in enumerate(records)}.values())
    last = {step: _alternative(record) for record in once if (step := _step(record))}
    given_up: set[str] = set()
    live: list[dict[str, Any]] = []
    for record in once:
        step = _step(record)
        if str(record.get("parentUuid")) in given_up or (step and last[step] != _alternative(record)):
            given_up.add(str(record.get("uuid")))
        else:
            live.append(record)
    return live


def _step(record: dict[str, Any]) -> tuple[str, str] | None:
    """Tell which step a record is, by the record before it; ``None`` when others may stand beside it."""
    parent, kind = record.get("parentUuid"), _kind(record)
    return (str(parent), kind) if parent and kind else None


def _alternative(record: dict[str, Any]) -> str:
    """Tell what a record is one alternative of: a message of the model, or itself."""
    message = record.get("message")
    of_message = message.get("id") if isinstance(message, dict) else None
    return str(of_message or record.get("uuid"))


def _kind(record: dict[str, Any]) -> str:
    """Tell what kind of step a record is, of which only one can follow; empty for all others."""
    if record.get("type") == "assistant":
        return "answer"
    if record.get("type") != "user" or record.get("isMeta"):
        return ""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    has_results = any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
    return "" if has_results else "prompt"
