"""Live calls beside recorded tools: named in the report, in the file of results and in the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import good
from trajectory.cli import main
from trajectory.runs import load_run

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

LIVELY = """
import little_agent
from trajectory import recorded_tools

(add,) = recorded_tools([lambda a, b: a + b], on_miss="live")

def agent(query):
    answer = little_agent.agent(query)
    for call in answer["tool_calls"]:
        add(**call["arguments"])
    return answer
"""
NOTE = "turn 1: live calls, not answered by the recording: <lambda>"
WARNING = "warning: 2 turns called live tools where the recording had no answer: the verdicts rest on them too"


@pytest.fixture
def lively(folder: Folder) -> Folder:
    folder.write("lively.py", LIVELY)
    folder.eval_set({"t": good(1), "u": good(2)})
    return folder


@pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_passing_threads_say_so_too(lively: Folder, xdist: tuple[str, ...]) -> None:
    result = lively.run("--evalset", "x.evalset.json", "--results", "run.json", *xdist, agent="lively:agent")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([WARNING])
    run = load_run(lively.path / "run.json")
    assert [notes for thread in run.threads for notes in (thread.runs[0].notes,)] == [(NOTE,), (NOTE,)]


def test_without_pytest(lively: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    lively.pytester.syspathinsert()
    assert main(["run", "x.evalset.json", "--agent", "lively:agent"]) == 0
    assert WARNING in " ".join(capsys.readouterr().out.split())
