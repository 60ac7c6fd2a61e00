"""The line that tells how far a run is, as a user of pytest sees it on a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.screen import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pytest_plugin.folder import Folder

SLOW = """
import time
import little_agent

def agent(query):
    time.sleep(0.25)
    return little_agent.agent(query) | {"usage": {"prompt_tokens": 900, "completion_tokens": 100}}

def debugged(query):
    raise RuntimeError("see for yourself")
"""
PYTEST = [
    *[sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
    *[
        "-p",
        "trajectory.pytest_plugin.hooks",
        "-p",
        "xdist.plugin",
        "--evalset",
        "x.evalset.json",
        "--agent",
        "slow:agent",
    ],
]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins take a second to start
LINE = re.compile(r"\d/\d threads, [^\r\n\x1b]*\d:\d\d")


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.fixture
def slow(folder: Folder) -> Folder:
    folder.write("slow.py", SLOW)
    folder.eval_set({f"t{n}": good(n) if n != 3 else bad(n) for n in range(6)})
    return folder


def run(folder: Folder, terminal: Terminal, *arguments: str) -> int:
    """Run pytest on a terminal to its end."""
    process = subprocess.Popen(
        [*PYTEST, *arguments],
        cwd=folder.path,
        env={
            **{key: value for key, value in os.environ.items() if key != "CI"},
            "TERM": "xterm",
            **ALONE,
        },
        stdin=terminal.slave,
        stdout=terminal.slave,
        stderr=terminal.slave,
    )
    terminal.read_until(lambda: process.poll() is not None, seconds=60)
    terminal.read()
    return process.returncode


DOTS = "x.evalset.json ...F..                                                    [100%]"
LAST = "x.evalset.json::t5 PASSED                                                [100%]"


@pytest.mark.parametrize(
    ("arguments", "shown", "left"),
    [
        ((), "3/6 threads, 3 passed, 1 running, 3.0k tokens, ", DOTS),
        (("-v",), "4/6 threads, 3 passed, 1 failed, 1 running, 4.0k tokens, ", LAST),
        (("-n", "2"), " 2 running, ", " [100%]"),
        (("--concurrency", "3"), "3/6 threads, ", DOTS),
    ],
    ids=["alone", "verbose", "xdist", "concurrency"],
)
def test_a_line_that_lives_below_and_leaves_no_trace(
    slow: Folder, terminal: Terminal, arguments: tuple[str, ...], shown: str, left: str
) -> None:
    assert run(slow, terminal, *arguments) == pytest.ExitCode.TESTS_FAILED
    assert shown in terminal.seen
    assert any(line.endswith(left) for line in terminal.screen.lines)
    assert not any(LINE.search(line) for line in terminal.screen.lines)


@pytest.mark.parametrize("arguments", [("-q", "-q"), ("-s",)], ids=["very quiet", "not captured"])
def test_where_there_is_none(slow: Folder, terminal: Terminal, arguments: tuple[str, ...]) -> None:
    run(slow, terminal, *arguments)
    assert not LINE.search(terminal.seen)
    assert "t3" in terminal.seen


def test_nothing_in_a_pipe(slow: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)
    result = slow.pytester.run(*PYTEST)
    assert not LINE.search(result.stdout.str() + result.stderr.str())
    assert "\x1b" not in result.stdout.str()


def test_threads_that_feed_ordinary_tests(slow: Folder, terminal: Terminal) -> None:
    slow.write(
        "test_it.py",
        """
        import time

        def test_alone():
            time.sleep(0.3)

        def test_thread(conversation_thread):
            time.sleep(0.3)
        """,
    )
    assert run(slow, terminal, "test_it.py") == pytest.ExitCode.OK
    assert "2/6 threads, 2 passed, 1 running, " in terminal.seen
