"""Trajectories of SWE-agent and of mini-SWE-agent.

Of SWE-agent the history holds the conversation; ``trajectory`` says the same by steps. Agents that act by commands in their
texts, not by calls of tools, are shown what came of it in the name of the user. That begins no turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import left_out, objects_of, records_of, result_of, texts_in, thread_of
from trajectory.recordings.formats.openai_chat import chat_message
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.conversation import ConversationThread

_ACTS_IN_TEXTS: Final = "the agent acted by commands in its texts, so no calls of tools are recorded"


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
        return _read(kept, lambda message: bool(message.get("action")), document.get("info"), notes)


class _MiniSweAgent:
    name = "mini-swe-agent"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is such a trajectory; older ones are lists of messages like any other."""
        kind = document.get("trajectory_format") if isinstance(document, dict) else None
        return isinstance(kind, str) and kind.startswith(self.name) and isinstance(document.get("messages"), list)

    def read(self, document: Any) -> Reading:
        """Read the messages as one conversation, without what tells how it ended and that an answer was no command."""
        messages = objects_of(document["messages"], "a message")
        kept = [message for message in messages if message.get("role") != "exit" and not _complains(message)]
        return _read(kept, lambda message: bool(_extra(message).get("actions")), document.get("info"), ())


def _read(messages: list[dict[str, Any]], acts: Callable[[Any], bool], info: Any, notes: tuple[str, ...]) -> Reading:
    said = _without_observations(messages, acts)
    thread = thread_of([_message(message) for message in said])
    acted = any(acts(message) and not message.get("tool_calls") for message in said)
    shown = left_out(len(messages) - len(said), "observations", "they answer no call")
    return Reading(
        (_with_usage(thread, info),), (*notes, *shown, *([_ACTS_IN_TEXTS] if acted else [])), incomplete=acted
    )


def _without_observations(messages: list[dict[str, Any]], acts: Callable[[Any], bool]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    acted = False
    for message in messages:
        if message.get("role") == "assistant":
            acted = acts(message) and not message.get("tool_calls")
        if not (acted and message.get("role") == "user"):
            kept.append(message)
    return kept


def _extra(message: dict[str, Any]) -> dict[str, Any]:
    extra = message.get("extra")
    return extra if isinstance(extra, dict) else {}


def _complains(message: dict[str, Any]) -> bool:
    return message.get("role") == "user" and _extra(message).get("interrupt_type") == "FormatError"


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
    if message.get("role") == "tool":
        ids = message.get("tool_call_ids")
        return result_of(ids[0] if isinstance(ids, list) and ids else message.get("tool_call_id"), texts_in(content))
    calls = message.get("tool_calls")
    return chat_message(
        {"role": message.get("role"), "content": texts_in(content), **({"tool_calls": calls} if calls else {})}
    )


SWE_AGENT: Final = _SweAgent()
MINI_SWE_AGENT: Final = _MiniSweAgent()
