"""Results in a file, and runs that go on where an earlier one stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from trajectory.evaluations import Outcome
from trajectory.runs import load_run

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json", "--results", "run.json")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])
COUNTING = """
import pathlib
import little_agent

def agent(query):
    with open("asked.txt", "a") as stream:
        stream.write(query + "\\n")
    if query.startswith("add 2") and not pathlib.Path("healed").exists():
        raise ValueError("out of paper")
    return little_agent.agent(query)
"""


def asked(folder: Folder) -> list[str]:
    file = folder.path / "asked.txt"
    lines = sorted(file.read_text(encoding="utf-8").splitlines()) if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


@pytest.fixture
def counting(folder: Folder) -> Folder:
    folder.eval_set({"one": good(1), "two": good(2), "three": bad(3)})
    folder.write("counting.py", COUNTING)
    return folder


@XDIST
def test_a_run_is_written_whole(counting: Folder, xdist: tuple[str, ...]) -> None:
    result = counting.run(*RUN, *xdist, "--junitxml=junit.xml", agent="counting:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    run = load_run(counting.path / "run.json")
    assert [(thread.id, thread.outcome) for thread in run.threads] == [
        ("one", Outcome.PASSED),
        ("two", Outcome.ERROR),
        ("three", Outcome.FAILED),
    ]
    assert run.complete
    assert run.agent == "agent counting:agent"
    assert run.command == ("pytest", "--evalset", "x.evalset.json", "--agent", "counting:agent")
    assert (run.selected, run.gates[0].passed, run.gates[0].name) == (3, False, "tool trajectory")
    assert run.eval_sets[0].path == "x.evalset.json"
    assert "out of paper" in run.threads[1].runs[0].explanation
    assert {"trajectory", "python", "pytest"} <= set(run.made_by)
    assert not (counting.path / "run.json.partial").exists()
    assert "trajectory_entry" not in (counting.path / "junit.xml").read_text(encoding="utf-8")


@XDIST
def test_a_run_is_resumed(counting: Folder, xdist: tuple[str, ...]) -> None:
    counting.run(*RUN, *xdist, agent="counting:agent")
    assert len(asked(counting)) == 3
    counting.write("healed", "")
    result = counting.run(*RUN, *xdist, "--resume", agent="counting:agent")
    assert asked(counting) == ["add 2 1"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["turn 1 of 1 differs", "*/b  2 -> 1*", "note: kept from an earlier run"])
    result.stdout.fnmatch_lines(["tool trajectory: 2/3 threads passed*"])
    run = load_run(counting.path / "run.json")
    assert [thread.outcome for thread in run.threads] == [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED]
    assert run.complete


def test_an_interrupted_run_is_resumed(counting: Folder) -> None:
    counting.write("conftest.py", "import counting, pytest\ndef pytest_runtest_logreport(report):\n    pass\n")
    counting.write("healed", "")
    result = counting.run(*RUN, "-x", "--evalset", "y.evalset.json", agent="counting:agent")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    counting.eval_set({"zero": bad(7)}, "a.evalset.json")
    result = counting.run("--evalset", "a.evalset.json", *RUN, "-x", agent="counting:agent")
    assert not load_run(counting.path / "run.json").complete
    assert asked(counting) == ["add 7 1"]
    counting.run("--evalset", "a.evalset.json", *RUN, "--resume", agent="counting:agent")
    assert asked(counting) == ["add 1 1", "add 2 1", "add 3 1"]
    assert load_run(counting.path / "run.json").complete


def test_what_changed_is_run_again(counting: Folder) -> None:
    counting.write("healed", "")
    counting.run(*RUN, agent="counting:agent")
    asked(counting)
    counting.eval_set({"one": good(1), "two": good(2), "three": good(3)})
    counting.run(*RUN, "--resume", agent="counting:agent")
    assert asked(counting) == ["add 3 1"]
    counting.run(*RUN, "--resume", "--match-mode", "SUBSET", agent="counting:agent")
    assert len(asked(counting)) == 3


def test_the_results_of_another_agent_are_not_taken_up(counting: Folder) -> None:
    counting.run(*RUN, agent="counting:agent")
    result = counting.run(*RUN, "--resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*run.json holds results of agent counting:agent, and this run is of agent little_*"])


def test_nothing_to_resume_is_a_run_from_the_start(counting: Folder) -> None:
    counting.run(*RUN, "--resume", agent="counting:agent")
    assert len(asked(counting)) == 3


def test_resume_wants_a_file(counting: Folder) -> None:
    result = counting.run(*RUN[:2], "--resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--resume: name the results to go on with by --results FILE*"])


def test_results_that_cannot_be_written_are_no_pass(folder: Folder) -> None:
    folder.eval_set({"one": good(1)})
    folder.write(
        "removing.py",
        "import shutil, little_agent\n\ndef agent(query):\n    shutil.rmtree('out')\n    return little_agent.agent(query)\n",
    )
    (folder.path / "out").mkdir()
    result = folder.run("--evalset", "x.evalset.json", "--results", "out/run.json", agent="removing:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because the results could not be written into *out/run.json: No such file*"])


def test_a_place_that_is_none_is_refused_at_once(folder: Folder) -> None:
    folder.eval_set({"one": good(1)})
    result = folder.run("--evalset", "x.evalset.json", "--results", "nowhere/run.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*nowhere/run.json: the results cannot be written: No such file or directory*"])


def test_of_ordinary_tests_only_the_gates_are_kept_and_that_is_said(folder: Folder) -> None:
    folder.eval_set({"t": good(1)})
    folder.write("test_it.py", "def test_it(conversation_thread): pass")
    result = folder.run(*RUN, "test_it.py", agent=None)
    assert result.ret == pytest.ExitCode.OK
    words = "the results hold nothing of ordinary tests, which judge by themselves: only their gates"
    result.stdout.fnmatch_lines([f"warning: {words}"])
    run = load_run(folder.path / "run.json")
    assert (run.threads, run.complete, run.warnings) == ((), False, (words,))
    assert [gate.passed for gate in run.gates] == [True]
