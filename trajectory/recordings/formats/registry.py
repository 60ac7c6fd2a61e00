"""The formats of this package. A further one is a module and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.recordings.formats.openai_chat import OPENAI_CHAT

if TYPE_CHECKING:
    from trajectory.recordings.formats.base import Format

FORMATS: Final[tuple[Format, ...]] = (OPENAI_CHAT,)
