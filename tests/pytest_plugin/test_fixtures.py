"""Ordinary tests that ask for `conversation_thread` and `trajectory_agent`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

TEST = """
    from trajectory import MatchMode, evaluate_tool_trajectory

    def test_agent(conversation_thread, trajectory_agent):
        evaluate_tool_trajectory(trajectory_agent, conversation_thread)
"""


def test_a_test_runs_once_per_thread(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": bad(2)})
    folder.write("test_mine.py", TEST)
    result = folder.run("test_mine.py", "--evalset", "x.evalset.json", "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["test_mine.py::test_agent[[]one] PASSED*", "test_mine.py::test_agent[[]two] FAILED*"])
    result.stdout.fnmatch_lines(
        ["E *TrajectoryMismatch: turn 1 of 1 differs", "*test_agent: 1/2 threads passed*FAILED"]
    )


def test_the_eval_set_is_not_collected_beside_them(folder: Folder) -> None:
    folder.eval_set({"one": good(1)}, name="tests/x.evalset.json")
    folder.write("tests/test_mine.py", TEST)
    folder.run("tests", "--evalset", "tests/x.evalset.json").assert_outcomes(passed=1)


@pytest.mark.parametrize("xdist", [(), ("-n", "2")])
def test_they_are_gated_too(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({"one": good(1), "two": bad(2)})
    folder.write("test_mine.py", TEST)
    result = folder.run("test_mine.py", "--evalset", "x.evalset.json", "--min-pass-rate", "0.5", *xdist)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["test_mine.py::test_agent: 1/2 threads passed (50 %), required 50 %: PASSED"])


def test_options_and_the_eval_sets_settings_reach_the_function(folder: Folder) -> None:
    calls = [{"name": "add", "arguments": {"a": 1, "b": 1}}, {"name": "sub", "arguments": {"a": 2, "b": 1}}]
    swapped = [("sub 2 1, add 1 1", calls)]
    folder.write("test_mine.py", TEST)
    run = ("test_mine.py", "--evalset", "x.evalset.json")
    folder.eval_set({"a": swapped})
    folder.run(*run).assert_outcomes(failed=1)
    folder.run(*run, "--match-mode", "UNORDERED").assert_outcomes(passed=1)
    folder.eval_set({"a": swapped}, evaluation={"match_mode": "UNORDERED"})
    folder.run(*run).assert_outcomes(passed=1)
    folder.eval_set([thread("a", swapped, evaluation={"match_mode": "STRICT"})], evaluation={"match_mode": "UNORDERED"})
    folder.run(*run).assert_outcomes(failed=1)


def test_what_the_code_states_wins(folder: Folder) -> None:
    calls = [{"name": "add", "arguments": {"a": 1, "b": 1}}, {"name": "sub", "arguments": {"a": 2, "b": 1}}]
    folder.eval_set({"a": [("sub 2 1, add 1 1", calls)]})
    folder.write("test_mine.py", TEST.replace("thread)", "thread, match_mode=MatchMode.UNORDERED)"))
    folder.run("test_mine.py", "--evalset", "x.evalset.json", "--match-mode", "STRICT").assert_outcomes(passed=1)


def test_no_verdict_is_an_evaluation_error(folder: Folder) -> None:
    folder.eval_set({"dead": [("raise", [])]})
    folder.write("test_mine.py", TEST)
    result = folder.run("test_mine.py", "--evalset", "x.evalset.json")
    result.stdout.fnmatch_lines(
        ["E *EvaluationError: no verdict: turn 1 of 1: the agent raised ValueError: out of paper"]
    )
    result.stdout.fnmatch_lines(["  because 1 thread could not be evaluated, at most 0 allowed"])


def test_the_agent_fixture_can_be_overridden(folder: Folder) -> None:
    folder.eval_set({"one": good(1)})
    folder.write(
        "test_mine.py",
        "import pytest, little_agent\n@pytest.fixture\ndef trajectory_agent(): return little_agent.agent\n"
        "from trajectory import evaluate_tool_trajectory\n"
        "def test_agent(conversation_thread, trajectory_agent):\n"
        "    evaluate_tool_trajectory(trajectory_agent, conversation_thread)\n",
    )
    folder.run("test_mine.py", "--evalset", "x.evalset.json", agent=None).assert_outcomes(passed=1)


@pytest.mark.parametrize("place", ["tests", "sets"])
def test_the_agent_fixture_asks_the_hooks(folder: Folder, place: str) -> None:
    folder.eval_set({"one": good(1)}, name="sets/x.evalset.json")
    folder.write("tests/test_mine.py", TEST)
    folder.write(
        f"{place}/conftest.py", "import little_agent\ndef pytest_trajectory_agent(): return little_agent.agent"
    )
    folder.run("tests", "--evalset", "sets/x.evalset.json", agent=None).assert_outcomes(passed=1)


def test_a_recorded_run_serves_as_the_agent(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(2)})
    folder.eval_set({"one": good(1), "two": bad(2)}, name="run.json")
    folder.write("test_mine.py", TEST)
    run = ("test_mine.py", "--evalset", "x.evalset.json", "--recorded", "run.json")
    folder.run(*run, agent=None).assert_outcomes(passed=1, failed=1)


def test_without_an_eval_set_the_fixture_says_what_it_needs(folder: Folder) -> None:
    folder.write("test_mine.py", TEST)
    result = folder.run("test_mine.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["the fixture conversation_thread is fed by an eval set: run with --evalset FILE*"])


def test_without_an_agent_the_fixture_shows_the_ways(folder: Folder) -> None:
    folder.eval_set({"one": good(1)})
    folder.write("test_mine.py", TEST)
    result = folder.run("test_mine.py", "--evalset", "x.evalset.json", agent=None)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["no agent to replay the eval set into. Give one in any of these ways:"])


def test_a_test_may_parametrize_on_its_own(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(2)})
    folder.write(
        "test_mine.py",
        """
        import pytest, little_agent
        from trajectory import evaluate_tool_trajectory, load_conversation_threads

        @pytest.mark.parametrize("conversation_thread", load_conversation_threads("x.evalset.json").values())
        def test_agent(conversation_thread):
            evaluate_tool_trajectory(little_agent.agent, conversation_thread)
        """,
    )
    folder.run("test_mine.py", agent=None).assert_outcomes(passed=2)
