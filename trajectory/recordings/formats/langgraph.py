"""The history of a thread of LangGraph: states of one conversation, the newest of which holds all of it."""

from __future__ import annotations

from typing import Any, Final

_BESIDE: Final = frozenset({"checkpoint", "checkpoint_id", "config", "next", "created_at", "parent_config"})


def newest_states(document: Any) -> tuple[list[dict[str, Any]], int]:
    """Find the newest state of each thread in a list of states.

    Args:
        document: Plain JSON.

    Returns:
        The states, each with the id of its thread beside it, and how many older ones there are; none when the document is
        no list of states.
    """
    if not isinstance(document, list) or len(document) < 2 or not all(map(is_state, document)):  # noqa: PLR2004 - one state is a conversation like any other
        return [], 0
    threads: dict[str, list[dict[str, Any]]] = {}
    for state in document:
        threads.setdefault(repr(_thread_id(state)), []).append(state)
    newest = [max(states, key=lambda state: str(state.get("created_at") or "")) for states in threads.values()]
    return [{"thread_id": _thread_id(state), **state} for state in newest], len(document) - len(newest)


def is_state(value: Any) -> bool:
    """Tell whether a value is a state of a thread, of which there may be more."""
    return isinstance(value, dict) and isinstance(value.get("values"), dict) and bool(value.keys() & _BESIDE)


def _thread_id(state: dict[str, Any]) -> Any:
    """Give the id of the thread: the server keeps it in the checkpoint, the library in the configuration."""
    config = state.get("config")
    inner = config.get("configurable") if isinstance(config, dict) else None
    holders = (state, state.get("checkpoint"), inner, state.get("metadata"))
    found = (holder.get("thread_id") for holder in holders if isinstance(holder, dict))
    return next((identity for identity in found if identity is not None), None)
