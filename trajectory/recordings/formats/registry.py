"""The formats of this package. A further one is a module and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.recordings.formats.anthropic import ANTHROPIC
from trajectory.recordings.formats.langchain import LANGCHAIN
from trajectory.recordings.formats.openai_agents_trace import OPENAI_AGENTS_TRACE
from trajectory.recordings.formats.openai_chat import OPENAI_CHAT
from trajectory.recordings.formats.openai_responses import OPENAI_RESPONSES

if TYPE_CHECKING:
    from trajectory.recordings.formats.base import Format

FORMATS: Final[tuple[Format, ...]] = (
    OPENAI_CHAT,
    ANTHROPIC,
    LANGCHAIN,
    OPENAI_RESPONSES,
    OPENAI_AGENTS_TRACE,
)
