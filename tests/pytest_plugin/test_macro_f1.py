"""A floor for the F1 of tool calls, beside the pass rate."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import call
from trajectory.runs import load_run

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])


def half(number: int) -> list[object]:
    """One of two calls is right."""
    return [(f"add {number} 1, add {number} 2", [call("add", a=number, b=1), call("add", a=number, b=9)])]


@pytest.fixture
def three(folder: Folder) -> Folder:
    folder.eval_set({"right": good(1), "half": half(2), "wrong": bad(3)})
    return folder


@XDIST
@pytest.mark.parametrize(("floor", "passes"), [("0.5", True), ("0.51", False), ("1", False), ("0", True)])
def test_the_mean_over_the_threads_decides(three: Folder, xdist: tuple[str, ...], floor: str, *, passes: bool) -> None:
    result = three.run(*RUN, *xdist, "--min-pass-rate", "0", "--min-macro-f1", floor)
    assert result.ret == (pytest.ExitCode.OK if passes else pytest.ExitCode.TESTS_FAILED)
    word = "PASSED" if passes else "FAILED"
    result.stdout.fnmatch_lines(
        [
            f"*, pass rate 0, macro-F1 {floor}",
            f"tool trajectory: 1/3 threads passed (33.3 %), required 0 %; macro-F1 0.5000, required {floor}: {word}",
        ]
    )
    if not passes:
        reason = f"  because the macro-F1 of the tool calls is 0.5000, {floor} is required"
        result.stdout.fnmatch_lines([reason])


def test_both_floors_must_be_reached(three: Folder) -> None:
    result = three.run(*RUN, "--min-pass-rate", "0.5", "--min-macro-f1", "0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because 1 of 3 threads passed, 2 must"])
    result.stdout.no_fnmatch_line("*because the macro-F1*")


def test_an_eval_set_that_states_it_is_gated_alone(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    folder.eval_set({"b": bad(2)}, name="y.evalset.json", evaluation={"min_macro_f1": 0.5, "min_pass_rate": 0})
    result = folder.run(*RUN, "--evalset", "y.evalset.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "tool trajectory: 1/1 threads passed*PASSED",
            "tool trajectory (y.evalset.json): 0/1 *; macro-F1 0.0000, required 0.5: FAILED",
        ]
    )


def test_a_thread_without_a_verdict_counts_as_0(folder: Folder) -> None:
    folder.eval_set({"a": good(1), "b": [("raise", [])]})
    result = folder.run(*RUN, "--min-pass-rate", "0", "--max-errors", "1", "--min-macro-f1", "0.6")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because the macro-F1 of the tool calls is 0.5000, 0.6 is required"])


def test_what_is_not_reached_never_looks_reached(folder: Folder) -> None:
    folder.eval_set({"a": good(1), "b": good(2), "c": bad(3)})
    result = folder.run(*RUN, "--min-pass-rate", "0", "--min-macro-f1", "0.66667")
    result.stdout.fnmatch_lines(["  because the macro-F1 of the tool calls is 0.6666, 0.66667 is required"])


@pytest.mark.parametrize("source", ["option", "eval set"])
def test_it_needs_the_rule_that_compares_calls(folder: Folder, source: str) -> None:
    stated = {"rules": ["length"], **({"min_macro_f1": 0.5} if source == "eval set" else {})}
    folder.eval_set({"a": good(1)}, evaluation=stated)
    result = folder.run(*RUN, *(["--min-macro-f1", "0.5"] if source == "option" else []))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    message = "ERROR: x.evalset.json: min_macro_f1 0.5 needs the rule tool_trajectory, which is not in force here"
    result.stderr.fnmatch_lines([message])


def test_nothing_compared_is_no_pass(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    folder.write("test_own.py", "def test_own(conversation_thread):\n    pass\n")
    result = folder.run(*RUN, "--min-macro-f1", "0.5", "test_own.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because no tool calls were compared, so there is no macro-F1"])


@pytest.mark.parametrize("value", ["80", "nan", "", "-0.1"])
def test_a_wrong_floor_is_a_usage_error(folder: Folder, value: str) -> None:
    folder.eval_set({"a": good(1)})
    result = folder.run(*RUN, f"--min-macro-f1={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --min-macro-f1: expected a number from 0 to 1, such as 0.9, found *"])


def test_the_run_file_keeps_what_it_is_taken_over(three: Folder) -> None:
    three.run(*RUN, "--repetitions", "2", "--results", "run.json", "--min-macro-f1", "0.5")
    run = load_run(three.path / "run.json")
    assert [thread.f1 for thread in run.threads] == [Fraction(1), Fraction(1, 2), Fraction(0)]
    assert run.threads[1].runs[0].overlap is not None
    assert run.threads[1].runs[0].overlap.model_dump() == {
        "expected": 2,
        "actual": 2,
        "expected_paired": 1,
        "actual_paired": 1,
    }
    assert run.gates[0].min_macro_f1 == "0.5"
    result = three.run(*RUN, "--repetitions", "2", "--results", "run.json", "--resume", "--min-macro-f1", "0.51")
    result.stdout.fnmatch_lines(["*macro-F1 0.5000, required 0.51: FAILED"])
