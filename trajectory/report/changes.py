"""What changed since a baseline, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten
from trajectory.runs.comparison import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.runs.comparison import Comparison, ThreadChange

TOLD: Final = (
    Change.NEWLY_FAILING,
    Change.NO_VERDICT,
    Change.FLAKY,
    Change.NEWLY_PASSING,
    Change.NOT_COMPARABLE,
    Change.NEW,
    Change.NOT_RUN,
    Change.REMOVED,
)
"""The changes that are named thread by thread, most important first; what is as it was is counted."""

_NAMED: Final = 20


def change_lines(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Say what changed.

    Args:
        comparison: The comparison.

    Yields:
        Lines as a label and a text behind it.
    """
    yield from (("problem: ", problem) for problem in comparison.problems)
    yield "", change_counts(comparison)
    for kind in TOLD:
        changes = comparison.of(kind)
        for one in changes[:_NAMED]:
            yield f"  {kind}: ", change_text(one)
        if len(changes) > _NAMED:
            yield f"  {kind}: ", f"... and {len(changes) - _NAMED} more"


def change_counts(comparison: Comparison) -> str:
    """Count the threads that changed in each way, such as ``1 newly failing, 12 still passing``."""
    told = comparison.counts
    return ", ".join(f"{told[kind]} {kind}" for kind in dict.fromkeys((*TOLD, *Change)) if told[kind]) or "no thread"


def change_text(change: ThreadChange) -> str:
    """Name the thread of a change, and say why it is one."""
    return shorten(printable(change.id)) + (f" ({change.reason})" if change.reason else "")
