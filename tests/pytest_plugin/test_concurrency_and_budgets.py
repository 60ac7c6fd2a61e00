"""Threads that run at once, and runs that halt on their budget, as a user of pytest meets them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from trajectory.runs import load_run

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])
MEETING = """
import asyncio, threading
import little_agent

seen, most, lock = 0, 0, threading.Lock()

async def agent(query):
    global seen, most
    with lock:
        seen += 1
        most = max(most, seen)
    await asyncio.sleep(0.2)
    with lock:
        seen -= 1
    with open("most.txt", "w") as stream:
        stream.write(str(most))
    return little_agent.agent(query)
"""
COSTLY = """
import little_agent
from trajectory import AssistantMessage, ToolCall, Trace, Usage, UserMessage

def agent(query):
    answer = little_agent.agent(query)
    return Trace(
        id="t", user_message=UserMessage(content=query), iterations=(), tools=(), start_time=(0, 0.0), end_time=(0, 0.0),
        output=AssistantMessage(content="done"), tool_calls=tuple(ToolCall.read(call) for call in answer["tool_calls"]),
        usage=Usage(60, 40, cost_usd=0.5),
    )
"""


def test_threads_run_at_once_and_are_reported_in_order(folder: Folder) -> None:
    folder.eval_set({f"t{n}": good(n) if n != 3 else bad(n) for n in range(8)})
    folder.write("meeting.py", MEETING)
    result = folder.run(*RUN, "--concurrency", "4", "-v", "--results", "run.json", agent="meeting:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["  4 threads at once"])
    reported = re.findall(r"evalset\.json::(t\d) (?:PASSED|FAILED)", result.stdout.str())
    assert reported == [f"t{n}" for n in range(8)]
    assert [thread.id for thread in load_run(folder.path / "run.json").threads] == reported
    assert int((folder.path / "most.txt").read_text(encoding="utf-8")) == 4


def test_the_first_failure_leaves_little_begun(folder: Folder) -> None:
    folder.eval_set({f"t{n}": bad(n) for n in range(30)})
    folder.write(
        "counting.py",
        "import little_agent\n\ndef agent(query):\n    open('asked.txt', 'a').write('.')\n    return little_agent.agent(query)\n",
    )
    result = folder.run(*RUN, "--concurrency", "2", "-x", agent="counting:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert len((folder.path / "asked.txt").read_text(encoding="utf-8")) <= 4


def test_at_once_in_one_way_only(folder: Folder) -> None:
    folder.eval_set({"t": good(1)})
    result = folder.run(*RUN, "--concurrency", "2", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--concurrency and -n: give one of them*"])


@XDIST
def test_a_run_halts_on_its_budget_and_keeps_what_it_had(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({f"t{n}": good(n) for n in range(6)})
    folder.write("costly.py", COSTLY)
    tokens = "400" if xdist else "200"  # each worker has its share
    result = folder.run(*RUN, *xdist, "--budget-tokens", tokens, "--results", "run.json", agent="costly:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            f"  a budget of {tokens} tokens" if not xdist else "*",
            "tool trajectory: */* threads passed (100 %), required 100 %: FAILED",
            "  because the run was cut short: * of 6 threads came to an end",
            "  because the run halted on its budget (spent 200 of 200 tokens after 2 threads)",
        ]
    )
    run = load_run(folder.path / "run.json")
    assert run.halted == "the run halted on its budget (spent 200 of 200 tokens after 2 threads)"
    assert not run.complete
    assert 2 <= len(run.threads) <= 4
    resumed = folder.run(*RUN, "--results", "run.json", "--resume", agent="costly:agent")
    assert resumed.ret == pytest.ExitCode.OK
    assert (run := load_run(folder.path / "run.json")).complete
    assert run.spent.tokens == 600


def test_a_budget_of_money_that_is_enough(folder: Folder) -> None:
    folder.eval_set({f"t{n}": good(n) for n in range(4)})
    folder.write("costly.py", COSTLY)
    result = folder.run(*RUN, "--budget-usd", "2", agent="costly:agent")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*halted*")


def test_a_budget_that_sees_nothing_is_warned_of(folder: Folder) -> None:
    folder.eval_set({"t": good(1)})
    result = folder.run(*RUN, "--budget-usd", "2")
    result.stdout.fnmatch_lines(["warning: the budget did not see what 1 turn took: the agent reported no usage"])


@pytest.mark.parametrize("option", ["--budget-usd", "--budget-tokens", "--budget-seconds", "--concurrency"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "many"])
def test_limits_that_are_none(folder: Folder, option: str, value: str) -> None:
    folder.eval_set({"t": good(1)})
    result = folder.run(*RUN, f"{option}={value}", agent="little_agent:none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{option}: expected *"])
