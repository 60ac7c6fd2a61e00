"""A finished run in words. Nothing here knows how the run was made."""

from trajectory.report.changes import changes_headline, changes_lines
from trajectory.report.progress import Progress
from trajectory.report.text import explain_thread, headline, percent, repetitions_line, summary_line

__all__ = [
    "Progress",
    "changes_headline",
    "changes_lines",
    "explain_thread",
    "headline",
    "percent",
    "repetitions_line",
    "summary_line",
]
