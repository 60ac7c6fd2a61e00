"""Recordings that are a folder: one message a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from trajectory.evalset.document import Document
from trajectory.evalset.files import read_document
from trajectory.recordings.containers import Content

_SESSION: Final = "session.json"
_AGENTS: Final = "agents"


def is_session_store(folder: Path) -> bool:
    """Tell whether a folder is a session as Strands Agents stores it."""
    return (folder / _SESSION).is_file() and (folder / _AGENTS).is_dir()


def read_session_store(folder: str) -> Content:
    """Read such a folder as one document: the session, and by agent its messages in order and its state.

    Args:
        folder: The folder as the user named it.

    Returns:
        What stands in it.

    Raises:
        EvalSetError: A file in it cannot be read.
    """
    root = Path(folder)
    agents = {
        agent.name.removeprefix("agent_"): [
            read_document(file).value for file in sorted((agent / "messages").glob("message_*.json"), key=_number)
        ]
        for agent in sorted((root / _AGENTS).iterdir())
        if agent.is_dir()
    }
    states = {name: _state(root / _AGENTS / f"agent_{name}" / "agent.json") for name in agents}
    value = {"session": read_document(root / _SESSION).value, "agents": agents, "states": states}
    return Content(folder, (Document(folder, "", value),))


def _state(file: Path) -> object:
    """Give the state in which an agent of the session was left."""
    value = read_document(file).value if file.is_file() else None
    return value.get("state") if isinstance(value, dict) else None


def _number(file: Path) -> int:
    """Message 10 comes after message 2."""
    found = re.search(r"\d+", file.stem)
    return int(found[0]) if found else 0
