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
