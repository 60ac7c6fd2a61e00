"""The line that tells how far a run is, beside pytest's own dots.

It stands below whatever pytest has written so far, and is erased before pytest writes anything more. Where others may
write to the terminal too (``-s``, a debugger, a plugin with a terminal reporter of its own), there is none.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from trajectory.report import Progress
from trajectory.report.progress import can_rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.evaluations import Outcome
    from trajectory.pytest_plugin.records import ThreadRecord
    from trajectory.pytest_plugin.run import Run

_VERY_QUIET: Final = -2


class LiveLine:
    """The pytest plugin object that shows the progress of a run, in the one process that reports."""

    def __init__(self, run: Run, find: Callable[[str], tuple[ThreadRecord, Outcome] | None]) -> None:
        """Prepare.

        Args:
            run: The run.
            find: Finds what was reported of an item, if it replays a thread.
        """
        self._run = run
        self._find = find
        self._in_workers: set[str] = set()
        self._reported: dict[str, ThreadRecord] = {}
        self._undo: list[Callable[[], None]] = []
        self._has_begun = False

    @property
    def spent_tokens(self) -> int:
        """How many tokens the run has taken: xdist's workers tell it thread by thread."""
        return self._run.scheduler.budget.spent_tokens + sum(r.tokens for r in self._reported.copy().values())

    @property
    def spent_usd(self) -> float:
        """How many US dollars the run has cost, likewise."""
        return self._run.scheduler.budget.spent_usd + sum(r.usd for r in self._reported.copy().values())

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Learn what there is to do; xdist's controller collects nothing itself."""
        if not self._run.feeds_tests:  # otherwise they are not all of them threads
            self._in_workers.update(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that an item begins; the first one makes the line appear."""
        if not self._has_begun:
            self._begin()
        if nodeid in self._in_workers or nodeid in self._run.thread_items:
            self._run.progress.begin(nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what an item came to."""
        found = self._find(report.nodeid) if report.when == "teardown" else None
        if found is None:
            return
        record, outcome = found
        self._run.progress.end(report.nodeid, outcome)
        if self._in_workers:
            self._reported[report.nodeid] = record

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End the line before anybody sums up."""
        self._end()

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger, for good."""
        self._end()

    # ------------------------------------------------------------------------------------------------ the terminal

    def _begin(self) -> None:
        self._has_begun = True
        if not self._has_the_terminal():
            return
        # While a test runs, pytest has its output go elsewhere: this is the way to the terminal.
        stream = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")
        total = len(self._in_workers or self._run.thread_items)
        writer = _Watched(self._run.config.get_terminal_writer())
        progress = Progress(stream, total, spending=self, column=writer.column)
        writer.watch(progress)
        self._run.progress = progress
        self._undo = [writer.release, progress.close, stream.close]

    def _has_the_terminal(self) -> bool:
        config = self._run.config
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        alone = type(reporter) is pytest.TerminalReporter and config.option.capture in {"fd", "sys"}
        return alone and config.get_verbosity() > _VERY_QUIET and can_rewrite(sys.stdout)

    def _end(self) -> None:
        for undo in self._undo:
            undo()
        self._undo.clear()


class _Watched:
    """pytest's writer, which hides the line while it writes."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._write = writer.write
        self._overwrites = False

    def column(self) -> int | None:
        """Tell how long the current line is; where a part of it was written over, nobody knows."""
        return None if self._overwrites else self._writer.width_of_current_line

    def watch(self, progress: Progress) -> None:
        """Hide the line of a run from now on."""

        def write(text: str, *, flush: bool = False, **markup: bool) -> None:
            with progress.hidden():
                self._overwrites = "\r" in text.rpartition("\n")[2] or (self._overwrites and "\n" not in text)
                self._write(text, flush=flush, **markup)
                self._writer.flush()

        self._writer.write = write

    def release(self) -> None:
        """Let pytest write as before."""
        self._writer.write = self._write
