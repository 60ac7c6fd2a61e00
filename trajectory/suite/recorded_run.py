"""Recorded runs that stand in for an agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajectory.recordings import load_recordings
from trajectory.replay import RecordedRun
from trajectory.suite.loading import shown_path
from trajectory.suite.pairing import Key, PairBy, pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from trajectory.conversation import ConversationThread
    from trajectory.suite.loading import LoadedEvalSet


@dataclass(slots=True)
class LoadedRun:
    """Recorded runs in play.

    Attributes:
        name: What they are called in messages.
        threads: The recorded threads.
        formats: The formats that they were recorded in.
        read_notes: What the readers had to say.
        incomplete: Something is missing or could not be read.
        by: How recorded threads find their partners; ``None`` for by id, and then by query what is left.
        run: The recorded threads that have a partner, as an agent; each under the id of its partner.
        alone: The ids of those that have none.
        notes: What the readers had to say, and how partners were found.
    """

    name: str
    threads: tuple[ConversationThread, ...]
    formats: tuple[str, ...]
    read_notes: tuple[str, ...]
    incomplete: bool
    by: PairBy | None = None
    run: RecordedRun = field(init=False)
    alone: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Begin without eval sets.

        Raises:
            ConfigurationError: Two threads have one id.
        """
        RecordedRun(self.threads, name=self.name)
        self.pair(())

    def pair(self, eval_sets: Iterable[LoadedEvalSet]) -> None:
        """Find the partners of the recorded threads.

        Args:
            eval_sets: All that is known of by now.
        """
        asked = [Key.of(thread) for loaded in eval_sets for thread in loaded.eval_set.threads]
        recorded = [Key.of(thread) for thread in self.threads]
        pairing = pair(asked, recorded, self.by)
        partners = {
            place: self.threads[place].model_copy(update={"id": asked[partner].id})
            for place, partner in pairing.partners.items()
        }
        self.run = RecordedRun(partners.values(), name=self.name)
        self.alone = tuple(key.id for place, key in enumerate(recorded) if place not in partners)
        self.notes = (*self.read_notes, *pairing.notes(asked, recorded))


def load_recorded_run(paths: Sequence[Path], folder: Path, by: PairBy | None = None) -> LoadedRun:
    """Load recorded runs as one agent.

    Args:
        paths: The files.
        folder: Where the run was started.
        by: How recorded threads find their partners.

    Raises:
        ConfigurationError: One cannot be read, or two threads have one id.
    """
    parts = [load_recordings(path) for path in paths]
    return LoadedRun(
        name=f"the recording {', '.join(shown_path(path, folder) for path in paths)}",
        threads=tuple(thread for part in parts for thread in part.threads),
        formats=tuple(dict.fromkeys(part.format for part in parts)),
        read_notes=tuple(note for part in parts for note in part.notes),
        incomplete=any(part.incomplete for part in parts),
        by=by,
    )
