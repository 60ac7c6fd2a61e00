"""Runs that are compared with a baseline, and held to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.pytest_plugin.folder import bad, good
from trajectory.cli import main
from trajectory.runs import load_run

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")
HELD = (*RUN, "--compare", "baseline.json", "--fail-on", "regression")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])

MOODS = """
import json, pathlib
from little_agent import agent as honest

def agent(query):
    moods = pathlib.Path("moods.json")
    for word, becomes in (json.loads(moods.read_text()) if moods.exists() else {}).items():
        if query.startswith(word):
            return honest(becomes)
    return honest(query)
"""


@pytest.fixture
def accepted(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """An eval set of which one thread of three fails, and that is accepted."""
    monkeypatch.chdir(folder.path)
    folder.write("moody.py", MOODS)
    folder.eval_set({"one": good(1), "two": good(2), "three": bad(3)})
    assert run(folder, *RUN, "--results", "run.json").ret == pytest.ExitCode.TESTS_FAILED
    assert main(["baseline", "accept", "run.json", "-o", "baseline.json"]) == 0
    return folder


def run(folder: Folder, *words: str) -> pytest.RunResult:
    return folder.run(*words, agent="moody:agent")


def moods(folder: Folder, **moods: str) -> None:
    folder.write("moods.json", json.dumps({query.replace("_", " "): becomes for query, becomes in moods.items()}))


@XDIST
def test_what_fails_as_before_is_tolerated(accepted: Folder, xdist: tuple[str, ...]) -> None:
    result = run(accepted, *HELD, *xdist)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "  compared with baseline.json, which decides: only what fails newly counts",
            "tolerated three *",
            "tool trajectory: 2/3 threads passed (66.6 %), required that none fails newly: PASSED",
            "compared with baseline.json (accepted 20*): 1 still failing, 2 still passing",
        ]
    )


@XDIST
def test_what_fails_newly_is_no_pass(accepted: Folder, xdist: tuple[str, ...]) -> None:
    moods(accepted, add_1="add 9 9", add_3="add 3 2")
    result = run(accepted, *HELD, *xdist)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "tool trajectory: 2/3 threads passed (66.6 %), required that none fails newly: FAILED",
            "  because 1 thread newly failing: one",
            "compared with baseline.json (accepted 20*): 1 newly failing, 1 newly passing, 1 still passing",
            "  newly failing  one",
            "  newly passing  three",
        ]
    )


def test_without_fail_on_the_gate_decides_as_ever(accepted: Folder) -> None:
    result = run(accepted, *RUN, "--compare", "baseline.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*, required 100 %: FAILED", "compared with baseline.json*: 1 still failing*"])
    assert run(accepted, *RUN, "--compare", "baseline.json", "--min-pass-rate", "0.6").ret == pytest.ExitCode.OK


def test_the_ini_file_states_it_too(accepted: Folder) -> None:
    accepted.pytester.makeini("[pytest]\ntrajectory_compare = baseline.json\ntrajectory_fail_on = regression")
    assert run(accepted, *RUN).ret == pytest.ExitCode.OK
    assert run(accepted, *RUN, "--fail-on", "any").ret == pytest.ExitCode.TESTS_FAILED


def test_a_run_never_changes_its_baseline(accepted: Folder) -> None:
    before = (accepted.path / "baseline.json").read_bytes()
    run(accepted, *HELD, "--results", "later.json")
    assert (accepted.path / "baseline.json").read_bytes() == before
    assert load_run(accepted.path / "later.json").accepted is None


def _other_set(folder: Folder) -> None:
    folder.eval_set({"other": good(1)})


def _changed_threads(folder: Folder) -> None:
    folder.eval_set({"one": good(4), "two": good(5), "three": bad(6)})


def _error(folder: Folder) -> None:
    moods(folder, add_2="raise")


def _must_pass(folder: Folder) -> None:
    document = json.loads((folder.path / "x.evalset.json").read_text("utf-8"))
    document["threads"][2]["evaluation"] = {"must_pass": True}
    folder.write("x.evalset.json", json.dumps(document))


def _skipped(folder: Folder) -> None:
    folder.eval_set({"one": []})


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_other_set, "no thread can be compared with the baseline: it has other threads"),
        (_changed_threads, "no thread can be compared with the baseline"),
        (_error, "1 thread could not be evaluated, at most 0 allowed"),
        (_must_pass, "thread 'three' must pass, and its outcome is failed"),
        (_skipped, "nothing was evaluated"),
    ],
)
@XDIST
def test_never_green_by_accident(accepted: Folder, spoil: Any, reason: str, xdist: tuple[str, ...]) -> None:
    spoil(accepted)
    result = run(accepted, *HELD, *xdist)
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines([f"  because {reason}"])


def test_a_run_that_is_cut_short_is_no_pass(accepted: Folder) -> None:
    moods(accepted, add_1="add 9 9")
    result = run(accepted, *HELD, "-x")
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["  because the run was cut short: 1 of 3 threads came to an end"])


def test_ordinary_tests_are_not_excused(accepted: Folder) -> None:
    accepted.write(
        "test_own.py",
        """
        from trajectory import evaluate_tool_trajectory

        def test_own(conversation_thread, trajectory_agent):
            evaluate_tool_trajectory(trajectory_agent, conversation_thread)
        """,
    )
    result = run(accepted, *HELD, "test_own.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*required 100 %: FAILED"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--compare", "none.json"), "none.json: expected a run file, found nothing of that name"),
        (("--compare", "run.json"), "run.json: expected a baseline, found a run that was not accepted (trajectory *"),
        (("--compare", "x.evalset.json"), "x.evalset.json: expected a run file, found *"),
        (("--fail-on", "regression"), "--fail-on regression: name the baseline by --compare BASELINE"),
        (
            ("--compare", "baseline.json", "--fail-on", "regresion"),
            "--fail-on: expected one of any, regression, found 'regresion' (did you mean 'regression'?)",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(accepted: Folder, words: tuple[str, ...], message: str) -> None:
    result = run(accepted, *RUN, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_a_filtered_run_is_compared_as_far_as_it_goes(accepted: Folder) -> None:
    result = run(accepted, *HELD, "-k", "one")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        ["compared with baseline.json*: 1 still passing, 2 not run", "  not run        two  was passed"]
    )


def test_repeated_runs_are_told_apart_by_the_exact_test(accepted: Folder) -> None:
    words = ("--repetitions", "5", "--pass-runs", "5")
    run(accepted, *RUN, *words, "--results", "run.json")
    assert main(["baseline", "accept", "run.json", "-o", "baseline.json"]) == 0
    moods(accepted, add_1="add 9 9")
    result = run(accepted, *HELD, *words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  newly failing  one  0 of 5 runs passed, 5 of 5 did"])
