"""What several commands share: reading a file that is an eval set or a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trajectory.errors import ConfigurationError, EvalSetError
from trajectory.evalset import EvalSet, load_eval_set
from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread


@dataclass(frozen=True, slots=True)
class Source:
    """What a file holds.

    Attributes:
        name: The file as it was named.
        kind: Its shape or format.
        threads: Its threads.
        notes: What its reader had to say.
        eval_set: The eval set, if it is one.
    """

    name: str
    kind: str
    threads: tuple[ConversationThread, ...]
    notes: tuple[str, ...]
    eval_set: EvalSet | None = None

    def thread(self, identity: str) -> ConversationThread:
        """Find a thread.

        Raises:
            ConfigurationError: There is none of this id.
        """
        from trajectory.errors import did_you_mean

        found = next((thread for thread in self.threads if thread.id == identity), None)
        if found is None:
            hint = did_you_mean(identity, [thread.id for thread in self.threads])
            raise ConfigurationError(f"{self.name} has no thread {identity!r}{f' ({hint})' if hint else ''}")
        return found


def read_source(name: str) -> Source:
    """Read a file as an eval set, or else as a recording.

    Args:
        name: The file, or the folder of a recording.

    Returns:
        What it holds.

    Raises:
        ConfigurationError: It is neither; the message is that of the reader it was most likely meant for.
    """
    if Path(name).name.endswith(".evalset.json"):
        return _eval_set(name)
    try:
        found = load_recordings(name)
    except EvalSetError as problem:
        try:
            return _eval_set(name)
        except EvalSetError:
            raise problem from None
    if found.format == "native" and Path(name).is_file():
        return _eval_set(name)
    return Source(name, found.format, found.threads, found.notes)


def _eval_set(name: str) -> Source:
    eval_set = load_eval_set(name)
    return Source(name, eval_set.shape, eval_set.threads, eval_set.notes, eval_set)
