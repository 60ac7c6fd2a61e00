"""What a format of recordings has to offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format found in a document.

    Attributes:
        threads: The conversations, in the order of the document.
        notes: What was left out, and what else the reader had to say.
    """

    threads: tuple[ConversationThread, ...]
    notes: tuple[str, ...] = ()


class Format(Protocol):
    """A format of recordings, told by its content.

    Attributes:
        name: What it is called in messages.
    """

    name: str

    def matches(self, document: Any) -> bool:
        """Tell whether a document is of this format: a plain JSON value, or the list of the records of JSON Lines."""
        ...

    def read(self, document: Any) -> Reading:
        """Read a document that matches."""
        ...
