"""The gate as a user of pytest meets it: exit code, summary, JUnit XML, with and without xdist."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])


def seven_of_ten(folder: Folder) -> None:
    folder.eval_set({f"t{number}": good(number) if number < 7 else bad(number) for number in range(10)})


@XDIST
def test_a_gate_that_fails(folder: Folder, xdist: tuple[str, ...]) -> None:
    seven_of_ten(folder)
    result = folder.run(*RUN, *xdist, "--min-pass-rate", "0.8", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=7, failed=3)
    result.stdout.fnmatch_lines(
        [
            "tool trajectory: 7/10 threads passed (70 %), required 80 %: FAILED",
            "  because 7 of 10 threads passed, 8 must",
            "  not passed, worst first: t7, t8, t9",
            "rerun: pytest --agent little_agent:agent --min-pass-rate 0.8 x.evalset.json::t7 x.evalset.json::t8 *::t9",
        ]
    )
    suite = ET.parse(folder.path / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("10", "3", "0")
    properties = {(one.get("name"), one.get("value")) for one in suite.iter("property")}
    assert ("thread_id", "t9") in properties
    assert {name for name, _ in properties} == {"thread_id", "outcome"}


@XDIST
def test_a_gate_that_tolerates(folder: Folder, xdist: tuple[str, ...]) -> None:
    seven_of_ten(folder)
    result = folder.run(*RUN, *xdist, "--min-pass-rate", "0.7", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "*= tolerated failures =*",
            "x.evalset.json::t7",
            "turn 1 of 1 differs",
            "tolerated t7 * 1 turn not passed",
            "tool trajectory: 7/10 threads passed (70 %), required 70 %: PASSED",
            "*7 passed, 3 tolerated*",
        ]
    )
    suite = ET.parse(folder.path / "junit.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("3", "0")


def test_the_rerun_command_reruns_just_those(folder: Folder) -> None:
    seven_of_ten(folder)
    lines = folder.run(*RUN).outlines
    command = next(line for line in lines if line.startswith("rerun: ")).removeprefix("rerun: pytest ")
    folder.run(*command.split(), agent=None).assert_outcomes(failed=3)


def test_the_rate_is_exact(folder: Folder) -> None:
    seven_of_ten(folder)
    for rate, code in (
        ("0.7", 0),
        ("0.70", 0),
        ("7e-1", 0),
        ("0.7000000000000000001", 1),
        ("0.69999999999999999999", 0),
    ):
        assert folder.run(*RUN, "--min-pass-rate", rate).ret == code, rate


@XDIST
def test_other_failures_are_never_masked(folder: Folder, xdist: tuple[str, ...]) -> None:
    seven_of_ten(folder)
    folder.write("test_suite.py", "def test_of_the_suite(): assert False")
    result = folder.run("x.evalset.json", "test_suite.py", *xdist, "--min-pass-rate", "0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=7, failed=1)


@XDIST
def test_errors_are_not_failures(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({"good": good(1), "dead": [("raise", [])]})
    result = folder.run(*RUN, *xdist, "--min-pass-rate", "0.5", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["  because 1 thread could not be evaluated, at most 0 allowed"])
    suite = ET.parse(folder.path / "junit.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


def test_errors_within_max_errors_are_tolerated(folder: Folder) -> None:
    folder.eval_set({"good": good(1), "dead": [("raise", [])]})
    assert folder.run(*RUN, "--min-pass-rate", "0.5", "--max-errors", "1").ret == pytest.ExitCode.OK
    assert folder.run(*RUN, "--min-pass-rate", "0.6", "--max-errors", "1").ret == pytest.ExitCode.TESTS_FAILED


def test_must_pass_whatever_the_rate(folder: Folder) -> None:
    folder.eval_set([thread("vital", bad(1), evaluation={"must_pass": True}), thread("other", good(2))])
    result = folder.run(*RUN, "--min-pass-rate", "0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because thread 'vital' must pass, and its outcome is failed"])


def test_the_gate_may_be_off_and_says_so(folder: Folder) -> None:
    folder.eval_set({"a": bad(1)})
    result = folder.run(*RUN, "--min-pass-rate", "0")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["  warning: the gate is off*"])


def test_a_rate_that_cannot_mean_what_it_says(folder: Folder) -> None:
    folder.eval_set({f"t{number}": good(number) for number in range(5)})
    result = folder.run(*RUN, "--min-pass-rate", "0.9")
    result.stdout.fnmatch_lines(["  warning: a pass rate of 0.9 over 5 threads means all of them"])


@pytest.mark.parametrize("rate", ["1.2", "80", "abc", "nan", "-0.1", "inf", "", "1/2"])
@pytest.mark.parametrize("source", ["option", "ini"])
def test_a_wrong_rate_is_a_usage_error(folder: Folder, rate: str, source: str) -> None:
    folder.eval_set({"a": good(1)})
    words = [f"--min-pass-rate={rate}"] if source == "option" else []
    if source == "ini":
        folder.pytester.makeini(f"[pytest]\ntrajectory_min_pass_rate = {rate}")
    result = folder.run(*RUN, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = "--min-pass-rate" if source == "option" else "trajectory_min_pass_rate"
    result.stderr.fnmatch_lines([f"ERROR: {name}: expected a number from 0 to 1, such as 0.9, found *"])


def test_the_ini_twins_and_their_precedence(folder: Folder) -> None:
    seven_of_ten(folder)
    folder.pytester.makeini("[pytest]\ntrajectory_min_pass_rate = 0.7")
    assert folder.run(*RUN).ret == pytest.ExitCode.OK
    assert folder.run(*RUN, "--min-pass-rate", "0.8").ret == pytest.ExitCode.TESTS_FAILED


def test_an_eval_set_states_its_own_rate_and_is_gated_alone(folder: Folder) -> None:
    folder.eval_set({"a": good(1), "b": bad(2)}, evaluation={"min_pass_rate": 0.5})
    folder.eval_set({"c": good(1), "d": good(2)}, name="y.evalset.json")
    result = folder.run(*RUN, "--evalset", "y.evalset.json")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "tool trajectory (x.evalset.json): 1/2 threads passed (50 %), required 50 %: PASSED",
            "tool trajectory: 2/2 threads passed (100 %), required 100 %: PASSED",
        ]
    )
    overridden = folder.run(*RUN, "--evalset", "y.evalset.json", "--min-pass-rate", "0.8")
    assert overridden.ret == pytest.ExitCode.TESTS_FAILED
    overridden.stdout.fnmatch_lines(
        ["    STRICT, *--min-pass-rate overrides the eval set*", "tool trajectory: 3/4 threads passed (75 %)*"]
    )


@pytest.mark.parametrize(
    ("mode", "code"),
    [("STRICT", 1), ("in-order", 1), ("unordered", 0), ("SUBSET", 0), ("superset", 0)],
)
def test_match_mode(folder: Folder, mode: str, code: int) -> None:
    calls = [{"name": "add", "arguments": {"a": 1, "b": 1}}, {"name": "sub", "arguments": {"a": 2, "b": 1}}]
    folder.eval_set({"swapped": [("sub 2 1, add 1 1", calls)]})
    assert folder.run(*RUN, "--match-mode", mode).ret == code


def test_precedence_of_the_match_mode(folder: Folder) -> None:
    calls = [{"name": "add", "arguments": {"a": 1, "b": 1}}, {"name": "sub", "arguments": {"a": 2, "b": 1}}]
    swapped = [("sub 2 1, add 1 1", calls)]
    unordered = {"match_mode": "UNORDERED"}
    folder.pytester.makeini("[pytest]\ntrajectory_match_mode = UNORDERED")
    folder.eval_set({"a": swapped})
    assert folder.run(*RUN).ret == 0
    folder.eval_set({"a": swapped}, evaluation={"match_mode": "STRICT"})
    assert folder.run(*RUN).ret == 1
    folder.eval_set([thread("a", swapped, evaluation=unordered)], evaluation={"match_mode": "STRICT"})
    assert folder.run(*RUN).ret == 0
    assert folder.run(*RUN, "--match-mode", "STRICT").ret == 1


def test_case_insensitive_and_its_ini_twin(folder: Folder) -> None:
    folder.eval_set({"a": [("add 1 1", [{"name": "ADD", "arguments": {"a": 1, "b": 1}}])]})
    assert folder.run(*RUN).ret == 1
    assert folder.run(*RUN, "--case-insensitive").ret == 0
    folder.pytester.makeini("[pytest]\ntrajectory_case_sensitive = false")
    assert folder.run(*RUN).ret == 0


def test_a_misspelt_mode_is_a_usage_error(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    result = folder.run(*RUN, "--match-mode", "STRIKT")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --match-mode: expected one of STRICT, *found the string \"STRIKT\" (did you mean 'STRICT'[?])"]
    )
