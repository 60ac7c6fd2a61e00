"""The line that tells how far a run is."""

from __future__ import annotations

import io
import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import pytest

from tests.screen import Terminal
from trajectory.evaluations import Outcome
from trajectory.report import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Spent:
    spent_tokens: int = 0
    spent_usd: float = 0.0


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.fixture
def stream(terminal: Terminal) -> Iterator[TextIO]:
    with os.fdopen(os.dup(terminal.slave), "w") as stream:
        yield stream


def standing(progress: Progress, **counts: int) -> Progress:
    for outcome in Outcome:
        for number in range(counts.get(str(outcome.value), 0)):
            progress.end((outcome, number), outcome)
    for number in range(counts.get("running", 0)):
        progress.begin(number)
    return progress


# ------------------------------------------------------------------------------------------------------- what it says


@pytest.mark.parametrize(
    ("counts", "spent", "line"),
    [
        ({}, Spent(), "0/200 threads, 0:00"),
        ({"passed": 10, "failed": 1, "error": 1, "running": 3}, Spent(1234),
         "12/200 threads, 10 passed, 1 failed, 1 no verdict, 3 running, 1.2k tokens, 0:00"),
        ({"skipped": 2}, Spent(0, 0.1234), "2/200 threads, 2 skipped, 0.12 USD, 0:00"),
    ],
)  # fmt: skip
def test_what_the_line_says(counts: dict[str, int], spent: Spent, line: str) -> None:
    assert standing(Progress(None, 200, spent), **counts).line(80) == line


@pytest.mark.parametrize(
    ("tokens", "words"),
    [(1, "1"), (999, "999"), (1000, "1.0k"), (9949, "9.9k"), (34_499, "34k"), (999_499, "999k"), (999_500, "1.0M"),
     (5_600_000, "5.6M"), (7_000_000_000, "7.0G")],
)  # fmt: skip
def test_tokens_in_few_characters(tokens: int, words: str) -> None:
    assert f", {words} tokens, " in Progress(None, 1, Spent(tokens)).line(80)


def test_a_total_that_nobody_knows() -> None:
    assert Progress(None, 0).line(80) == "0 threads, 0:00"


@pytest.mark.parametrize("columns", range(5, 80, 5))
def test_what_matters_less_is_left_out_first(columns: int) -> None:
    progress = standing(Progress(None, 200, Spent(1234)), passed=10, failed=1, running=3)
    line = progress.line(columns)
    assert len(line) <= columns
    if columns >= 20:
        assert line.startswith("11/200 threads")
        assert line.endswith("0:00")


def test_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    progress = Progress(None, 1)
    for seconds, words in ((42, "0:42"), (61, "1:01"), (3600 + 62, "1:01:02")):
        monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: now + seconds + 0.5)
        assert progress.line(80).endswith(f", {words}")


def test_a_thread_is_counted_once_by_the_last_word_on_it() -> None:
    progress = Progress(None, 2)
    progress.begin("a")
    progress.end("a", Outcome.FAILED)
    progress.begin("a")
    assert progress.line(80) == "1/2 threads, 1 failed, 0:00"
    progress.end("a", Outcome.PASSED)
    assert progress.line(80) == "1/2 threads, 1 passed, 0:00"


# ------------------------------------------------------------------------------------------------------ where it stands


def test_the_line_lives_on_a_terminal_and_leaves_no_trace(terminal: Terminal, stream: TextIO) -> None:
    progress = Progress(stream, 2)
    terminal.read_until(lambda: terminal.screen.lines == ["0/2 threads, 0:00"])
    progress.end("a", Outcome.PASSED)
    terminal.read_until(lambda: terminal.screen.lines == ["1/2 threads, 1 passed, 0:00"])
    with progress.hidden():
        stream.write("a line of its own\n")
        stream.flush()
    terminal.read_until(lambda: terminal.screen.lines == ["a line of its own", "1/2 threads, 1 passed, 0:00"])
    progress.close()
    terminal.read()
    assert terminal.screen.lines == ["a line of its own"]


def test_the_line_goes_below_what_stands_in_the_current_line(terminal: Terminal, stream: TextIO) -> None:
    written = "file.py ..F"
    stream.write(written)
    stream.flush()
    progress = Progress(stream, 2, column=lambda: len(written))
    terminal.read_until(lambda: terminal.screen.lines == [written, "0/2 threads, 0:00"])
    with progress.hidden():
        stream.write(".")
        stream.flush()
    progress.close()
    terminal.read()
    assert terminal.screen.lines == ["file.py ..F."]


@pytest.mark.parametrize("taken", [None, 80, 160])
def test_where_there_is_no_way_back_nothing_is_shown(terminal: Terminal, stream: TextIO, taken: int | None) -> None:
    progress = Progress(stream, 2, column=lambda: taken)
    terminal.read(0.5)
    progress.close()
    assert terminal.seen == ""


def test_a_line_that_wraps_counts_from_its_last_row(terminal: Terminal, stream: TextIO) -> None:
    stream.write("x" * 90)
    stream.flush()
    progress = Progress(stream, 2, column=lambda: 90)
    terminal.read_until(lambda: terminal.screen.lines[2:] == ["0/2 threads, 0:00"])
    with progress.hidden():
        stream.write("y")
        stream.flush()
    progress.close()
    terminal.read()
    assert terminal.screen.lines == ["x" * 80, "x" * 10 + "y"]


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("TERM", ""), ("CI", "true")])
def test_terminals_on_which_no_line_can_live(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, stream: TextIO, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    progress = Progress(stream, 2)
    assert not progress.is_shown
    terminal.read(0.5)
    progress.close()
    assert terminal.seen == ""


def test_colour_is_another_matter(monkeypatch: pytest.MonkeyPatch, terminal: Terminal, stream: TextIO) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    progress = Progress(stream, 2)
    terminal.read_until(lambda: terminal.screen.lines == ["0/2 threads, 0:00"])
    progress.close()


def test_nothing_in_a_pipe() -> None:
    stream = io.StringIO()
    before = set(threading.enumerate())
    progress = Progress(stream, 2)
    progress.end("a", Outcome.PASSED)
    progress.clear()
    progress.close()
    assert stream.getvalue() == ""
    assert set(threading.enumerate()) <= before


def test_a_terminal_that_goes_away_ends_the_line_alone(terminal: Terminal) -> None:
    stream = os.fdopen(os.dup(terminal.slave), "w")
    progress = Progress(stream, 2)
    stream.close()
    time.sleep(0.3)
    progress.end("a", Outcome.PASSED)
    progress.close()
    assert not Progress(stream, 2).is_shown
