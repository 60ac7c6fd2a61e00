"""Trajectories of SWE-agent. The history holds the conversation; ``trajectory`` says the same by steps."""

from __future__ import annotations

from typing import Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import left_out, objects_of, records_of, result_of, texts_in, thread_of
from trajectory.recordings.formats.openai_chat import chat_message


class _SweAgent:
    name = "swe-agent"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a trajectory."""
        return isinstance(document, dict) and _has_history(document)

    def read(self, document: Any) -> Reading:
        """Read the history as one conversation, without the demonstrations that it may begin with."""
        history = objects_of(document["history"], "a message")
        kept = [message for message in history if not message.get("is_demo")]
        notes = left_out(len(history) - len(kept), "messages", "they are a demonstration")
        return Reading((thread_of([_message(message) for message in kept]),), notes)


def _has_history(document: dict[str, Any]) -> bool:
    history = document.get("history")
    return (
        isinstance(history, list)
        and len(records_of(history)) == len(history) > 0
        and all("role" in message for message in history)
        and any("message_type" in message or "agent" in message for message in history)
    )


def _message(message: dict[str, Any]) -> Any:
    content = message.get("content")
    if message["role"] == "tool":
        ids = message.get("tool_call_ids")
        return result_of(ids[0] if isinstance(ids, list) and ids else None, texts_in(content))
    calls = message.get("tool_calls")
    return chat_message(
        {"role": message["role"], "content": texts_in(content), **({"tool_calls": calls} if calls else {})}
    )


SWE_AGENT: Final = _SweAgent()
