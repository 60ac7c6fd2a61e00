"""Judges as a user of pytest meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.judges.servers import Endpoint, completion
from tests.pytest_plugin.folder import good

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json", "--rule", "helpfulness")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "1")], ids=["alone", "xdist"])
JUDGES = """
import json

def kind(prompt):
    return json.dumps({"score": 0.9, "reasoning": "helps"})

def harsh(prompt):
    return json.dumps({"score": 0.2, "reasoning": "does not help"})

def down(prompt):
    raise ConnectionError("no route to host")

def never(prompt):
    raise AssertionError("was asked")
"""


@pytest.fixture
def judged(folder: Folder) -> Folder:
    folder.eval_set({"t": good(1)})
    folder.write("judges.py", JUDGES)
    return folder


@XDIST
@pytest.mark.parametrize(
    ("name", "code", "lines"),
    [
        ("kind", pytest.ExitCode.OK, ["helpfulness: 1/1 threads passed*"]),
        (
            "harsh",
            pytest.ExitCode.TESTS_FAILED,
            ["helpfulness: the score is 0.2, at least 0.8 required*", "*the judge: does not help"],
        ),
        (
            "down",
            pytest.ExitCode.TESTS_FAILED,
            [
                "helpfulness: no verdict: the judge cannot be reached: ConnectionError: no*",
                "error   t *",
                "*1 without a verdict*",
            ],
        ),
    ],
)
def test_a_judge_of_the_command_line(
    judged: Folder, xdist: tuple[str, ...], name: str, code: pytest.ExitCode, lines: list[str]
) -> None:
    result = judged.run(*RUN, *xdist, "--judge", f"judges:{name}")
    assert result.ret == code
    result.stdout.fnmatch_lines(lines)


def test_without_a_judge_the_agent_is_not_run(judged: Folder) -> None:
    result = judged.run(*RUN, agent="little_agent:none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*the rule helpfulness asks an LLM judge, and no judge is configured. Name one by --judge*"]
    )


def test_a_judge_is_not_asked_for_unless_a_rule_wants_one(judged: Folder) -> None:
    judged.write("conftest.py", "def pytest_trajectory_judge():\n    raise AssertionError('asked for')\n")
    assert judged.run("--evalset", "x.evalset.json", "--judge", "no_such:judge").ret == pytest.ExitCode.OK


def test_a_judge_of_the_conftest_and_a_test_of_ones_own(judged: Folder) -> None:
    judged.write("conftest.py", "import judges\n\ndef pytest_trajectory_judge():\n    return judges.kind\n")
    assert judged.run(*RUN).ret == pytest.ExitCode.OK
    judged.write(
        "test_own.py",
        """
        import judges
        from trajectory import TrajectoryMismatch, evaluate, evaluate_helpfulness
        import pytest

        def agent(query):
            return "well"

        def test_configured():
            evaluate_helpfulness(agent, "How are you?", threshold=0.9)

        def test_given():
            evaluate(agent, "How are you?", "helpfulness", judge=judges.harsh).fails()
            with pytest.raises(TrajectoryMismatch, match="the score is 0.2"):
                evaluate_helpfulness(agent, "How are you?", judge=judges.harsh)
        """,
    )
    judged.run("test_own.py", agent=None).assert_outcomes(passed=2)


def test_a_judge_behind_an_endpoint(judged: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRAJECTORY_JUDGE_MODEL", raising=False)
    with Endpoint(completion('{"score": 0.9, "reasoning": "fine"}')) as endpoint:
        judged.write("pyproject.toml", f'[tool.trajectory.judge]\nbase_url = "{endpoint.url}"\nmodel = "m"\n')
        result = judged.run(*RUN, "--judge-cache", "kept", "--rootdir", ".")
        assert result.ret == pytest.ExitCode.OK
        assert judged.run(*RUN, "--judge-cache", "kept", "--rootdir", ".").ret == pytest.ExitCode.OK
    assert len(endpoint.asked) == 1
    assert "add 1 1" in endpoint.asked[0]["messages"][0]["content"]


def test_an_endpoint_in_the_ini_file_that_cannot_be(judged: Folder) -> None:
    judged.write("pytest.ini", "[pytest]\ntrajectory_judge_base_url = nowhere\ntrajectory_judge_model = m\n")
    result = judged.run(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the judge's settings/base_url: expected an address such as https://host/v1*"])


def test_the_command_that_runs_failing_threads_again_names_the_judge(judged: Folder) -> None:
    result = judged.run(*RUN, "--judge", "judges:harsh", "--judge-cache", "kept")
    result.stdout.fnmatch_lines(
        ["rerun: pytest --agent *:agent --judge judges:harsh --judge-cache kept --rule helpfulness *"]
    )


COLLECTED = "[pytest]\ntrajectory_collect_evalsets = true\ntrajectory_rules = helpfulness\n"


@pytest.mark.parametrize("words", [(), ("sets",)], ids=["everything", "a folder"])
def test_eval_sets_that_are_found_while_collecting_are_judged(judged: Folder, words: tuple[str, ...]) -> None:
    judged.eval_set({"u": good(1)}, "sets/y.evalset.json")
    judged.write("pytest.ini", COLLECTED + "trajectory_judge = judges:harsh\n")
    result = judged.run(*words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["helpfulness: the score is 0.2, at least 0.8 required*"])


def test_eval_sets_that_are_found_while_collecting_need_a_judge(judged: Folder) -> None:
    judged.write("pytest.ini", COLLECTED)
    result = judged.run(agent="little_agent:none")
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        ["*the rule helpfulness asks an LLM judge, and no judge is configured. Name one by --judge*"]
    )
    assert "gave nothing" not in result.stdout.str()  # the agent was not asked


def test_recording_asks_no_judge(judged: Folder) -> None:
    judged.write("pytest.ini", "[pytest]\ntrajectory_rules = helpfulness\n")
    result = judged.run("--evalset", "x.evalset.json", "--record", "all", "--record-to", "new.evalset.json")
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize("words", [("--concurrency", "3"), ("--repetitions", "3")])
def test_threads_that_run_at_once_are_judged(judged: Folder, words: tuple[str, ...]) -> None:
    judged.eval_set({f"t{number}": good(number) for number in range(6)})
    result = judged.run(*RUN, *words, "--judge", "judges:kind")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["helpfulness: 6/6 threads passed*"])


def test_two_judges_of_a_conftest_do_not_share_kept_answers(judged: Folder) -> None:
    conftest = "import judges\n\ndef pytest_trajectory_judge():\n    return judges.{}\n"
    judged.write("conftest.py", conftest.format("kind"))
    assert judged.run(*RUN, "--judge-cache", "kept").ret == pytest.ExitCode.OK
    judged.write("conftest.py", conftest.format("harsh"))
    assert judged.run(*RUN, "--judge-cache", "kept").ret == pytest.ExitCode.TESTS_FAILED


@XDIST
def test_errors_of_a_judge_that_are_allowed(judged: Folder, xdist: tuple[str, ...]) -> None:
    judged.write(
        "judges.py",
        JUDGES
        + """
def sometimes(prompt):
    if "add 2 1" in prompt:
        raise ConnectionError("no route to host")
    return kind(prompt)
""",
    )
    judged.eval_set({"t1": good(1), "t2": good(2)})
    run = (*RUN, *xdist, "--judge", "judges:sometimes", "--min-pass-rate", "0.5")
    refused = judged.run(*run)
    assert refused.ret == pytest.ExitCode.TESTS_FAILED
    refused.stdout.fnmatch_lines(["*because 1 thread could not be evaluated, at most 0 allowed*"])
    assert judged.run(*run, "--max-errors", "1").ret == pytest.ExitCode.OK


def test_where_every_turn_is_skipped_nothing_passes(judged: Folder) -> None:
    result = judged.run("--evalset", "x.evalset.json", "--rule", "error_recovery", "--judge", "judges:never")
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*because nothing was evaluated*"])
