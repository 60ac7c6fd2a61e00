"""Results of an earlier run that a later one takes up instead of running the threads again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.errors import ConfigurationError
from trajectory.evaluations import Outcome
from trajectory.runs import JOURNAL_SUFFIX, content_hash, load_run, settings_hash

if TYPE_CHECKING:
    from pathlib import Path

    from trajectory.conversation import ConversationThread
    from trajectory.runs import ThreadEntry
    from trajectory.settings import Settings


def take_up(path: Path, agent: str) -> dict[tuple[str, str], ThreadEntry]:
    """Read the threads of an earlier run that came to a verdict.

    Args:
        path: The run file; its journal is read as well.
        agent: What threads are replayed into now.

    Returns:
        The threads, by their eval set and id.

    Raises:
        ConfigurationError: The file cannot be read, or is the run of another agent.
    """
    journal = path.with_name(path.name + JOURNAL_SUFFIX)
    kept = {}
    for run in [load_run(file) for file in (path, journal) if file.exists()]:
        if run.agent != agent:
            raise ConfigurationError(
                f"--resume: {path} holds results of {run.agent}, and this run is of {agent}: name another file"
            )
        kept.update({(entry.eval_set, entry.id): entry for entry in run.threads if entry.outcome is not Outcome.ERROR})
    return kept


def still_holds(entry: ThreadEntry, thread: ConversationThread, settings: Settings) -> bool:
    """Tell whether neither the thread nor what is in force for it changed since it came to a result."""
    runs = (settings.repetitions, settings.pass_runs or settings.repetitions)
    if (entry.repetitions, entry.pass_runs) != runs:
        return False
    return (entry.content_hash, entry.settings_hash) == (content_hash(thread), settings_hash(settings))
