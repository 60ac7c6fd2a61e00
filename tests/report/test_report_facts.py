"""What a run comes to, and how it is started again for what failed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.run_files import BAD, GOOD, RUNS, SET, gate, recorded, run_of
from tests.runs.made import made_thread
from trajectory.report.facts import Standing, first_divergence, rule_scores, score, standing, worst_first
from trajectory.report.in_force import recorded_in_force
from trajectory.report.rerun import rerun_command
from trajectory.runs import EvalSetEntry, RunFile

PASSED, FAILED, ERROR = made_thread("p"), made_thread("f", "f"), made_thread("e", "e")
FAILING_GATE = (gate(passed=False),)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (run_of(PASSED), Standing.PASSED),
        (run_of(PASSED, FAILED), Standing.PASSED),  # the gate tolerates it
        (run_of(PASSED, ERROR), Standing.PASSED),
        (run_of(PASSED, FAILED, gates=FAILING_GATE), Standing.FAILED),
        (run_of(FAILED, ERROR, gates=FAILING_GATE), Standing.NOT_EVALUATED),
        (run_of(FAILED, ERROR, gates=(gate(passed=False, max_errors=1),)), Standing.FAILED),
        (run_of(PASSED, complete=False), Standing.NOT_EVALUATED),
        (run_of(PASSED, halted="the run halted"), Standing.NOT_EVALUATED),
        (run_of(PASSED, gates=()), Standing.NOT_EVALUATED),
        (run_of(), Standing.NOT_EVALUATED),
        (run_of(made_thread("s", "s")), Standing.NOT_EVALUATED),
    ],
)
def test_what_a_run_comes_to(run: RunFile, expected: Standing) -> None:
    assert standing(run) is expected


def test_errors_of_another_eval_set_do_not_count_for_a_gate() -> None:
    sets = (EvalSetEntry(path="x.json"), EvalSetEntry(path="y.json"))
    own = gate(passed=False, name="tool trajectory (x.json)")
    other = gate(passed=True, name="tool trajectory (y.json)", max_errors=1)
    error = made_thread("e", "e", eval_set="y.json")
    failed = made_thread("f", "f", eval_set="x.json")
    assert standing(run_of(failed, error, eval_sets=sets, gates=(own, other))) is Standing.FAILED


def test_the_worst_thread_comes_first() -> None:
    worst, bad = recorded("worst", [], []), recorded("bad", *BAD)
    assert [entry.id for entry in worst_first(run_of(bad, recorded("good", *GOOD), worst))] == ["worst", "bad"]
    assert [float(score(entry)) for entry in (worst, bad)] == [0, 0.5]


def test_the_first_divergence_is_the_first_turn_that_failed() -> None:
    assert first_divergence(recorded("a", [], []))[0] == "turn 1 of 2 (trace turn-1)"
    assert first_divergence(recorded("a", *GOOD)) == []
    assert not any("turn 2" in line for line in first_divergence(recorded("a", [], [])))


def test_the_score_of_a_rule_is_its_lowest() -> None:
    assert rule_scores(recorded("a", *BAD)) == {"tool_trajectory": 0.0}
    assert rule_scores(recorded("a", *GOOD)) == {"tool_trajectory": 1.0}


# ------------------------------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({}, "STRICT, exact arguments, pass rate 1"),
        ({"match_mode": "SUBSET", "min_pass_rate": "0.8"}, "SUBSET, exact arguments, pass rate 0.8"),
        ({"repetitions": 3, "pass_runs": None}, "STRICT, exact arguments, 3 runs each, 3 must pass, pass rate 1"),
        ({"rules": [{"a_rule": {}}]}, "rules a rule, pass rate 1"),
        ({"a later setting": 1}, ""),
        ({"min_pass_rate": "much"}, ""),
        ({"rules": 5}, ""),
    ],
)
def test_recorded_settings(stated: dict[str, Any], said: str) -> None:
    entry = made_thread("a", settings={"rules": [{"tool_trajectory": {}}], **stated})
    assert recorded_in_force([entry, entry]) == said


def test_no_recorded_settings() -> None:
    assert recorded_in_force([made_thread("a")]) == ""
    assert recorded_in_force([]) == ""


# --------------------------------------------------------------------------------------------------------------- rerun

PYTEST = ("pytest", "--evalset", SET, "--agent", "m:a", "--case-insensitive")


@pytest.mark.parametrize(
    ("command", "number", "again"),
    [
        ((), 1, ""),
        (("trajectory", "run", SET), 2, f"trajectory run {SET} --thread f0 --thread f1"),
        (PYTEST, 1, f"pytest --agent m:a --case-insensitive {SET}::f0"),
        (PYTEST, 6, f"pytest --evalset {SET} --agent m:a --case-insensitive --lf"),
        (
            (*PYTEST, "tests/test_x.py"),
            1,
            f"pytest --evalset {SET} --agent m:a --case-insensitive tests/test_x.py --lf",
        ),
        (("pytest", "\x1b"), 1, ""),
        (("trajectory", "a b;"), 1, "trajectory 'a b;' --thread f0"),
    ],
)
def test_the_command_that_runs_what_failed(command: tuple[str, ...], number: int, again: str) -> None:
    failing = [made_thread(f"f{index}", "f", eval_set=SET) for index in range(number)]
    assert rerun_command(run_of(*failing, command=command), failing) == again


def test_nothing_is_run_again_where_nothing_failed() -> None:
    assert rerun_command(RUNS["passing"], []) == ""


def test_an_id_that_breaks_selection_is_written_as_pytest_writes_it() -> None:
    entry = made_thread("a::b[c]", "f", eval_set=SET)
    assert rerun_command(run_of(entry, command=PYTEST), [entry]).endswith(f"{SET}::a%3A%3Ab%5Bc%5D")
