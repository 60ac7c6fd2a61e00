"""Somebody else gives up on a thread, as pytest-timeout does: by an exception in the main thread."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.sets import conversation
from trajectory.evaluations import Outcome
from trajectory.running import given_up
from trajectory.settings import Settings

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")

IMPATIENT = """
import signal
import pytest

def expire(number, frame):
    pytest.fail("Timeout (>0.5s)")

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
"""
SLOW = """
import time

def agent(query):
    time.sleep(3 if query == "slow" else 0)
    return "fine"
"""


def slow_set(folder: Folder) -> None:
    folder.write("conftest.py", IMPATIENT)
    folder.write("slow_agent.py", SLOW)
    folder.eval_set({"one": [("hello", [])], "two": [("hi", []), ("slow", []), ("more", [])], "three": [("bye", [])]})


@pytest.mark.parametrize("more", [(), ("--turn-timeout", "0")])
def test_the_turn_is_an_error_and_what_was_before_is_kept(folder: Folder, more: tuple[str, ...]) -> None:
    slow_set(folder)
    result = folder.run("--evalset", "x.evalset.json", *more, agent="slow_agent:agent")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*turn 2 of 3*", "*Failed: Timeout (>0.5s)"])
    result.stdout.fnmatch_lines(["error   two *", "tool trajectory: 2/3 threads passed*"])
    result.stdout.no_fnmatch_line("*workers.py*")
    result.stdout.no_fnmatch_line("*cut short*")


def test_while_a_thread_that_was_begun_ahead_is_waited_for(folder: Folder) -> None:
    slow_set(folder)
    result = folder.run("--evalset", "x.evalset.json", "--concurrency", "2", agent="slow_agent:agent")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*Failed: Timeout (>0.5s)"])
    result.stdout.fnmatch_lines(["error   two *", "tool trajectory: 2/3 threads passed*"])
    result.stdout.no_fnmatch_line("*ahead.py*")


def test_the_way_out_of_pytest_stays_open(folder: Folder) -> None:
    slow_set(folder)
    folder.write("conftest.py", IMPATIENT.replace("pytest.fail", "pytest.exit"))
    result = folder.run("--evalset", "x.evalset.json", agent="slow_agent:agent")
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_thread_that_is_given_up_on_is_an_error_in_its_first_turn() -> None:
    runs = given_up(conversation("t", [("a", []), ("b", [])]), Settings(), ValueError("enough"))
    assert runs.outcome is Outcome.ERROR
    assert [turn.outcome for turn in runs.deciding.turns] == [Outcome.ERROR, None]
    assert runs.deciding.turns[0].reason == "given up on: ValueError: enough"
