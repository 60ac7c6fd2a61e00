"""Faults of agents, tools and machines: each ends in a word of its own, and what finished is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import good
from trajectory.evaluations import Outcome
from trajectory.runs import load_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json", "--turn-timeout", "3")
AGENTS = '''
import asyncio, os, signal, time

CALLS = [{"name": "add", "arguments": {"a": 1, "b": 1}}]

async def cancelled(query):
    raise asyncio.CancelledError

async def cancels_itself(query):
    asyncio.current_task().cancel()
    await asyncio.sleep(1)

def generator(query):
    yield {"output": "x"}

async def async_generator(query):
    yield {"output": "x"}

async def closes_the_loop(query):
    asyncio.get_running_loop().call_soon(asyncio.get_running_loop().stop)
    await asyncio.sleep(5)

class Leaky:
    def start_session(self):
        return self

    async def send(self, query):
        self.task = asyncio.create_task(asyncio.sleep(3600))
        return {"output": "done", "tool_calls": CALLS}

def no_json(query):
    return {"output": "x", "tool_calls": [{"name": "add", "arguments": {"a": object()}}]}

def exits(query):
    raise SystemExit(0)

class Shared:
    """Gives every thread one and the same session, which is closed after the first."""
    session = None

    def start_session(self):
        Shared.session = Shared.session or Shared()
        return Shared.session

    def send(self, query):
        if getattr(self, "closed", False):
            raise RuntimeError("the session is closed")
        return {"output": "done", "tool_calls": CALLS}

    def close(self):
        self.closed = True

def dies(query):
    if os.environ.get("PYTEST_XDIST_WORKER"):
        os.kill(os.getpid(), signal.SIGKILL)
    return {"output": "done", "tool_calls": CALLS}

async def blocked(query):
    if query.startswith("add 9"):
        time.sleep(4)
    await asyncio.sleep(0.05)
    return {"output": "done", "tool_calls": CALLS}

async def stuck(query):
    while query.startswith("add 9"):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
    return {"output": "done", "tool_calls": CALLS}

def slow(query):
    if query.startswith("add 9"):
        open("waiting", "w").close()
        time.sleep(60)
    return {"output": "done", "tool_calls": CALLS}
'''


@pytest.fixture
def faulty(folder: Folder) -> Folder:
    folder.write("faulty.py", AGENTS)
    folder.eval_set({"t": good(1), "u": good(1)})
    return folder


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("cancelled", "CancelledError"),
        ("cancels_itself", "CancelledError"),
        ("generator", "generator"),
        ("async_generator", "generator"),
        ("closes_the_loop", "loop"),
        ("exits", "SystemExit"),
    ],
)
@pytest.mark.parametrize("at_once", [(), ("--concurrency", "2")], ids=["alone", "at once"])
def test_faults_of_agents_are_errors(faulty: Folder, agent: str, words: str, at_once: tuple[str, ...]) -> None:
    result = faulty.run(*RUN, *at_once, agent=f"faulty:{agent}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=2)
    assert words in result.stdout.str()
    assert "INTERNALERROR" not in result.stdout.str()


def test_arguments_that_are_no_json_are_a_fact_about_the_agent(faulty: Folder) -> None:
    result = faulty.run(*RUN, agent="faulty:no_json")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*malformed arguments*"])


def test_a_task_that_is_left_running_does_not_keep_the_run(faulty: Folder) -> None:
    begun = time.perf_counter()
    result = faulty.run(*RUN, agent="faulty:Leaky")
    result.assert_outcomes(passed=2)
    assert time.perf_counter() - begun < 20


def test_a_session_that_belongs_to_another_thread_is_found_out(faulty: Folder) -> None:
    result = faulty.run(*RUN, agent="faulty:Shared")
    result.assert_outcomes(passed=1, errors=1)
    assert "the session is closed" in result.stdout.str()


def test_what_an_agent_does_to_its_records_afterwards_reaches_no_verdict(folder: Folder) -> None:
    folder.eval_set({"t": [*good(1), *good(1)]})
    folder.write(
        "faulty.py",
        """
        class Mutating:
            def start_session(self):
                self.given = []
                return self

            def send(self, query):
                for earlier in self.given:
                    earlier["tool_calls"][0]["arguments"]["a"] = "changed"
                    earlier["tool_calls"].append({"name": "more"})
                answer = {"output": "x", "tool_calls": [{"name": "add", "arguments": {"a": 1, "b": 1}}]}
                self.given.append(answer)
                return answer
        """,
    )
    folder.run(*RUN, agent="faulty:Mutating").assert_outcomes(passed=1)


def test_a_worker_that_is_killed_is_no_pass(faulty: Folder) -> None:
    result = faulty.run(*RUN, "-n", "2", "--max-worker-restart", "0", "--results", "run.json", agent="faulty:dies")
    assert result.ret != pytest.ExitCode.OK
    assert not load_run(faulty.path / "run.json").complete


@pytest.mark.parametrize("stuck", ["blocked", "stuck"])
def test_an_agent_that_hangs_costs_no_other_thread_its_verdict(faulty: Folder, stuck: str) -> None:
    faulty.eval_set({"nine": good(9), **{f"t{n}": good(1) for n in range(12)}})
    options = ("--evalset", "x.evalset.json", "--turn-timeout", "1", "--concurrency", "3")
    result = faulty.run(*options, agent=f"faulty:{stuck}")
    result.assert_outcomes(errors=1, passed=12)
    result.stdout.fnmatch_lines(["*did not answer within 1 s (--turn-timeout)*"])


WITH_PYTEST = ["pytest", "-p", "no:cacheprovider", "--evalset"]
WITHOUT = ["trajectory.cli", "run"]


@pytest.mark.parametrize(
    ("module", "code"), [(WITH_PYTEST, pytest.ExitCode.INTERRUPTED), (WITHOUT, 3)], ids=["pytest", "cli"]
)
@pytest.mark.parametrize("at_once", [(), ("--concurrency", "2")], ids=["alone", "at once"])
def test_ctrl_c_keeps_what_finished(faulty: Folder, module: list[str], code: int, at_once: tuple[str, ...]) -> None:
    faulty.eval_set({"one": good(1), "nine": good(9), "two": good(1)})
    words = [*module, "x.evalset.json", "--results", "run.json", *at_once, "--agent", "faulty:slow"]
    process = subprocess.Popen(
        [sys.executable, "-m", *words], cwd=faulty.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    until = time.monotonic() + 60
    partial = faulty.path / "run.json.partial"
    while not ((faulty.path / "waiting").exists() and _holds(partial, '"one"')) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == code, said
    assert "INTERNALERROR" not in said
    run = load_run(faulty.path / "run.json")
    finished = ["one", "two"] if at_once else ["one"]  # the one that is waited for does not keep others
    assert [(thread.id, thread.outcome) for thread in run.threads] == [(name, Outcome.PASSED) for name in finished]
    assert not run.complete


def _holds(path: Path, text: str) -> bool:
    return path.exists() and text in path.read_text(encoding="utf-8")
