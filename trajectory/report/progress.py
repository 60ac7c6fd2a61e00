"""How far a run is, while it goes on: one line that is rewritten in place on a terminal, and nothing anywhere else."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from trajectory.evaluations import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

_SECONDS_BETWEEN: Final = 0.2
_SECONDS_APART: Final = 0.05  # what writes more often than that finds the line away for a moment
_NARROWEST: Final = 20  # columns
_WORDS: Final = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.ERROR: "no verdict",
    Outcome.SKIPPED: "skipped",
}
_ERASE_BELOW: Final = "\x1b[J"  # from the cursor on, to the end of the screen
_ERASE_LINE: Final = "\x1b[K"
_UP: Final = "\x1b[A"
_TO_COLUMN: Final = "\x1b[{}G"


class Spending(Protocol):
    """What a run has taken so far, such as a `Budget` counts it."""

    @property
    def spent_tokens(self) -> int:
        """How many tokens."""

    @property
    def spent_usd(self) -> float:
        """How many US dollars."""


class Progress:
    """The line of one run. It may be told of threads from any thread of the program.

    Attributes:
        total: How many threads there are; 0 while nobody knows.
        is_shown: The stream is a terminal on which a line can be rewritten. Otherwise nothing is ever written.
    """

    def __init__(
        self,
        stream: TextIO | None,
        total: int,
        spending: Spending | None = None,
        column: Callable[[], int | None] = lambda: 0,
    ) -> None:
        """Begin. The line appears after a moment.

        Args:
            stream: Where the line goes if that is a terminal; ``None`` for nowhere.
            total: How many threads there are.
            spending: What counts what the run takes.
            column: Tells how many columns whatever else was written has taken since the last line break; ``None`` for
                "unknown, show nothing now". Where that is not 0, the line goes below.
        """
        self.total = total
        self.is_shown = stream is not None and can_rewrite(stream)
        self._stream = stream
        self._spending = spending
        self._column = column
        self._threads: dict[Hashable, Outcome | None] = {}
        self._begun = time.monotonic()
        self._lock = threading.RLock()
        self._drawn, self._drawn_at = "", self._begun
        self._closed = threading.Event()
        if self.is_shown:
            threading.Thread(target=self._keep_drawing, name="trajectory-progress", daemon=True).start()

    def begin(self, thread: Hashable) -> None:
        """Note that a thread is being run, unless it is known to have ended."""
        self._threads.setdefault(thread, None)

    def end(self, thread: Hashable, outcome: Outcome) -> None:
        """Note what a thread came to; a later word on it counts."""
        self._threads[thread] = outcome

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Let something else be written to the terminal: erase the line, and bring it back when that is done."""
        with self._lock:
            was_drawn = bool(self._drawn)
            self._erase()
            yield
            if was_drawn and time.monotonic() - self._drawn_at > _SECONDS_APART and not self._closed.is_set():
                self._draw()

    def clear(self) -> None:
        """Erase the line; it comes back after a moment."""
        with self._lock:
            self._erase()

    def close(self) -> None:
        """Erase the line for good."""
        self._closed.set()
        self.clear()

    # ------------------------------------------------------------------------------------------------------ drawing

    def line(self, columns: int) -> str:
        """Word how far the run is.

        Args:
            columns: How long the text may be. What matters less is left out first.

        Returns:
            Such as ``12/200 threads, 10 passed, 1 failed, 1 no verdict, 3 running, 1.2k tokens, 0:42``.
        """
        *parts, clock = self._parts()
        while len(parts) > 1 and len(", ".join([*parts, clock])) > columns:
            parts.pop()
        return ", ".join([*parts, clock])[:columns]

    def _parts(self) -> list[str]:
        counts = Counter(self._threads.copy().values())
        running = counts.pop(None, 0)
        of = f"/{self.total}" if self.total else ""
        parts = [f"{counts.total()}{of} threads"]
        parts += [f"{counts[outcome]} {word}" for outcome, word in _WORDS.items() if counts[outcome]]
        parts += [f"{running} running"] if running else []
        if self._spending is not None and self._spending.spent_tokens:
            parts.append(f"{_rounded(self._spending.spent_tokens)} tokens")
        if self._spending is not None and self._spending.spent_usd:
            parts.append(f"{self._spending.spent_usd:.2f} USD")
        return [*parts, _clock(time.monotonic() - self._begun)]

    def _keep_drawing(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN):
            with self._lock:
                if not self._closed.is_set():
                    self._draw()

    def _draw(self) -> None:
        taken, width = self._column(), _columns(self._stream)
        if taken is None or width < _NARROWEST:
            return
        column = taken % width
        if taken and not column:  # the cursor hangs behind the last column, where nothing brings it back to
            return
        line = self.line(width - 1)
        if line == self._drawn:
            return
        self._drawn, self._drawn_at = line, time.monotonic()
        if column == 0:
            self._write(f"\r{line}{_ERASE_LINE}\r")
        else:
            self._write(f"\r\n{line}{_ERASE_LINE}{_UP}{_TO_COLUMN.format(column + 1)}")

    def _erase(self) -> None:
        if self._drawn:
            self._drawn = ""
            self._write(_ERASE_BELOW)

    def _write(self, text: str) -> None:
        """Write; a terminal that has gone away ends the line, and nothing else."""
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._closed.set()


def can_rewrite(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal on which a line can be rewritten, and no log of a CI system."""
    capable = os.environ.get("TERM", "") not in {"", "dumb"}
    try:
        return stream.isatty() and capable and not os.environ.get("CI")
    except ValueError:  # it is closed
        return False


def _columns(stream: TextIO | None) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream is not None else 0
    except (OSError, ValueError):
        return 0


def _rounded(number: float) -> str:
    """Write a number in few characters, such as ``950``, ``1.2k``, ``34k`` and ``5.6M``."""
    for unit in ("", "k", "M"):
        if number < 1000 - 0.5 * (unit != ""):
            return f"{number:.1f}{unit}" if unit and number < 10 else f"{number:.0f}{unit}"  # noqa: PLR2004
        number /= 1000
    return f"{number:.1f}G"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
