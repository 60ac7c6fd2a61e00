"""What changed since a baseline, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten
from trajectory.runs.comparison import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.runs import RunFile
    from trajectory.runs.comparison import Comparison, ThreadChange

_LISTED: Final = 10
_QUIET: Final = frozenset({Change.STILL_PASSING, Change.STILL_FAILING})


def changes_headline(comparison: Comparison, name: str, baseline: RunFile) -> str:
    """Say in one line how a run stands to its baseline.

    Args:
        comparison: The comparison.
        name: The file of the baseline.
        baseline: What was accepted.

    Returns:
        Such as ``compared with b.json (accepted 2026-12-01): 1 newly failing, 4 still passing``.
    """
    when = f" (accepted {baseline.accepted.at[:10]})" if baseline.accepted else ""
    return f"compared with {printable(name)}{when}: {changes_counted(comparison)}"


def changes_counted(comparison: Comparison) -> str:
    """Count the threads that changed in each way, such as ``1 newly failing, 4 still passing``."""
    counts = comparison.counts
    return ", ".join(f"{counts[change]} {change}" for change in Change if counts[change]) or "no threads"


def changes_lines(comparison: Comparison, *, most: int = _LISTED) -> Iterator[str]:
    """List what changed: a line for each thread that does not simply go on as before.

    Args:
        comparison: The comparison.
        most: How many threads of each kind are listed.

    Yields:
        Lines such as ``newly failing  order-two  1 of 5 runs passed, 5 of 5 did``, and the problems of the comparison.
    """
    for change in Change:
        found = () if change in _QUIET else comparison.of(change)
        yield from (_line(one) for one in found[:most])
        if len(found) > most:
            yield f"{change:14} ... and {len(found) - most} more"
    yield from (f"problem: {problem}" for problem in comparison.problems)


def _line(one: ThreadChange) -> str:
    return f"{one.change:14} {shorten(printable(one.id))}  {printable(one.reason)}".rstrip()
