"""What a format of recordings is: a name, a way to recognise it by content, and a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a document.

    Attributes:
        threads: The conversations, in the order of the document. One for which no id was recorded has an empty id; it is
            named after its file when it is loaded.
        notes: What was left out, and what else a user should know about the document.
        incomplete: Whether something that belongs to the conversations is missing or could not be read.
    """

    threads: tuple[ConversationThread, ...]
    notes: tuple[str, ...] = ()
    incomplete: bool = False


class Format(Protocol):
    """A format of recordings."""

    @property
    def name(self) -> str:
        """What the format is called in messages."""

    def matches(self, document: Any) -> bool:
        """Tell by its content whether a document has this format.

        Args:
            document: Plain JSON: the value of a file with one document, or the list of the records of a file with many.

        Returns:
            Whether it has. Exactly one format may say so.
        """

    def read(self, document: Any) -> Reading:
        """Read a document that has this format.

        Args:
            document: The document, as for `matches`.

        Returns:
            The conversations in it.

        Raises:
            TypeError: Something in it is not what the format says; the text names its place and what stands there.
            ValueError: Likewise.
        """


@runtime_checkable
class FormatOfLines(Format, Protocol):
    """A format whose files may hold a conversation a line, each readable without the others."""

    def stands_alone(self, record: Any) -> bool:
        """Tell whether a record is such a conversation of this format: what is read of it depends on no other record."""
