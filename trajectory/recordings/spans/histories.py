"""Histories that grow: each request to a model repeats what the one before was given, and adds to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.recordings.spans.parts import read_conversation
from trajectory.recordings.spans.span import decoded

if TYPE_CHECKING:
    from trajectory.conversation import Message

_SPACE: Final = " \t\n\r"


class Histories:
    """Reads the messages that requests were given, each message once where a text goes on where the last one ended."""

    def __init__(self) -> None:
        self._text = "]"
        self._records: tuple[Message, ...] = ()

    def read(self, text: str) -> tuple[Message, ...] | None:
        """Read a text.

        Args:
            text: The JSON text of an array of messages.

        Returns:
            The records; ``None`` when it is no such text, or an empty one.

        Raises:
            TypeError: Something in it is no message.
        """
        before = self._text[:-1]
        goes_on = bool(self._records) and text.startswith(before) and text[len(before) :].lstrip(_SPACE)[:1] == ","
        added = decoded("[" + text[len(before) :].lstrip(_SPACE)[1:] if goes_on else text)
        if not (isinstance(added, list) and added):
            return None
        records = (*(self._records if goes_on else ()), *read_conversation(added))
        self._text, self._records = text.rstrip(_SPACE), records
        return records
