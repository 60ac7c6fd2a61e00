"""Trajectories of SWE-agent. The history holds the conversation; ``trajectory`` says the same by steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import left_out, objects_of, records_of, result_of, texts_in, thread_of
from trajectory.recordings.formats.openai_chat import chat_message
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread


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
        thread = thread_of([_message(message) for message in kept])
        return Reading((_with_usage(thread, document.get("info")),), notes)


def _with_usage(thread: ConversationThread, info: Any) -> ConversationThread:
    """Tell what the run took, which is recorded for the whole of it: of a turn when there is one only."""
    stats = info.get("model_stats") if isinstance(info, dict) else None
    if len(thread.traces) != 1 or not isinstance(stats, dict):
        return thread
    named = {"input_tokens": stats.get("tokens_sent"), "output_tokens": stats.get("tokens_received")}
    usage = read_usage(named, stats.get("instance_cost"))
    return thread.model_copy(update={"traces": (thread.traces[0].model_copy(update={"usage": usage}),)})


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
