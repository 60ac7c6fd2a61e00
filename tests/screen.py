"""What a person sees on a terminal after a program has written to it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_STEP: Final = re.compile(r"\x1b\[(?P<number>\d*)(?P<kind>[A-Za-z])|(?P<text>[^\x1b])", re.DOTALL)


class Screen:
    """The few control sequences of a terminal that this package and pytest use, on a screen that scrolls."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.columns, self.rows = columns, rows
        self._lines: list[list[str]] = [[]]
        self._row = self._column = 0

    @property
    def lines(self) -> list[str]:
        """All lines, also those that have scrolled away, without blanks at their ends."""
        lines = ["".join(line).rstrip() for line in self._lines]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def feed(self, text: str) -> None:
        """Take what a program writes."""
        for step in _STEP.finditer(text):
            if step["text"]:
                self._put(step["text"])
            else:
                self._control(step["kind"], int(step["number"] or 0))

    def _put(self, character: str) -> None:
        match character:
            case "\r":
                self._column = 0
            case "\n":
                self._row += 1
            case _:
                if self._column == self.columns:
                    self._column, self._row = 0, self._row + 1
                self._fill()
                self._lines[self._row][self._column : self._column + 1] = [character]
                self._column += 1
        self._fill()

    def _control(self, kind: str, number: int) -> None:
        match kind:
            case "K":
                del self._lines[self._row][self._column :]
            case "J":
                del self._lines[self._row][self._column :]
                del self._lines[self._row + 1 :]
            case "A":
                self._row -= number or 1
            case "G":
                self._column = (number or 1) - 1
            case "m":
                pass
            case _:
                raise NotImplementedError(kind)

    def _fill(self) -> None:
        self._lines += [[] for _ in range(self._row + 1 - len(self._lines))]
        self._lines[self._row] += " " * (self._column - len(self._lines[self._row]))


class Terminal:
    """A terminal for a program, and what was seen on its screen."""

    def __init__(self, columns: int = 80) -> None:
        self.screen = Screen(columns)
        self.seen = ""
        self._master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read_until(self, condition: Callable[[], bool], seconds: float = 10) -> None:
        """Take in what is written, until something holds."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"never seen; on the screen is\n{chr(10).join(self.screen.lines)}"
            self.read(0.05)

    def read(self, seconds: float = 0) -> None:
        """Take in what has been written."""
        while select.select([self._master], [], [], seconds)[0]:
            try:
                text = os.read(self._master, 65536).decode()
            except OSError:  # the program has gone
                return
            self.seen += text
            self.screen.feed(text)
            seconds = 0

    def close(self) -> None:
        """Hang up."""
        os.close(self._master)
        os.close(self.slave)
