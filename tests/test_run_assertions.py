"""Assertions over a finished run."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.runs.made import made_run, made_thread
from trajectory import ConfigurationError, EvaluationError, RunFile, TrajectoryMismatch, assert_passes
from trajectory.gate import Gate
from trajectory.runs import GateEntry, OverlapEntry, decide_run, save_run
from trajectory.runs.baselines import accept

if TYPE_CHECKING:
    from pathlib import Path


def with_f1(name: str, paired: int, *, runs: str = "p") -> Any:
    thread = made_thread(name, runs)
    overlap = OverlapEntry(expected=2, actual=2, expected_paired=paired, actual_paired=paired)
    made = tuple(run.model_copy(update={"overlap": overlap}) for run in thread.runs)
    return thread.model_copy(update={"runs": made})


def gated(run: RunFile, gate: Gate | None = None) -> RunFile:
    verdict = decide_run(run, gate or Gate())
    entry = GateEntry(
        name="tool trajectory",
        min_pass_rate=str(verdict.gate.min_pass_rate),
        passed=verdict.passed,
        reasons=verdict.reasons,
    )
    return run.model_copy(update={"gates": (entry,)})


RUN = gated(made_run(with_f1("a", 2), with_f1("b", 1, runs="f"), with_f1("c", 2)))
GOOD = gated(made_run(with_f1("a", 2), with_f1("b", 2), with_f1("c", 2)))
BASELINE = accept(RUN, source="run.json", moment="2026-12-01T00:00:00Z")


@pytest.mark.parametrize(
    "asked",
    [
        {"min_pass_rate": 0.6},
        {"min_pass_rate": "0.666"},
        {"min_pass_rate": Decimal("0.6"), "min_macro_f1": 0.8},
        {"min_macro_f1": "0.83"},
        {"baseline": BASELINE},
        {"min_pass_rate": 0, "must_pass": ["a", "c"]},
        {"min_pass_rate": 0, "must_pass": "a"},
    ],
)
def test_what_is_reached(asked: dict[str, Any]) -> None:
    assert_passes(RUN, **asked)
    assert_passes(RUN, **asked)  # as often as wanted


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "because 2 of 3 threads passed, 3 must"),
        ({"min_pass_rate": 0.67}, "because 2 of 3 threads passed, 3 must"),
        ({"max_errors": 1}, "because 2 of 3 threads passed, 3 must"),
        ({"min_macro_f1": 0.84}, "because the macro-F1 of the tool calls is 0.8333, 0.84 is required"),
        ({"min_pass_rate": 0, "must_pass": ["a", "b"]}, "because thread 'b' must pass, and its outcome is failed"),
        ({"baseline": accept(GOOD, source="x", moment="")}, "because 1 thread newly failing: b"),
    ],
)
def test_what_is_not_reached_names_the_reason_and_the_threads(asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(TrajectoryMismatch) as raised:
        assert_passes(RUN, **asked)
    assert reason in str(raised.value)
    assert "why b is failed" in str(raised.value)
    assert "why a is" not in str(raised.value)


def test_only_the_worst_threads_are_explained() -> None:
    run = gated(made_run(*(made_thread(f"t{number}", "f") for number in range(9))))
    with pytest.raises(TrajectoryMismatch) as raised:
        assert_passes(run)
    assert str(raised.value).count("why t") == 3
    assert str(raised.value).endswith("... and 6 more threads that did not pass")


@pytest.mark.parametrize(
    "run",
    [
        gated(made_run(made_thread("a", "e"))),
        gated(made_run(made_thread("a", "s"))),
        gated(made_run()),
        made_run(made_thread("a")),  # a journal has no gates
        gated(made_run(made_thread("a"), halted="the run halted on its budget", complete=False)),
        gated(made_run(made_thread("a"), complete=False, selected=2)),
        gated(made_run(made_thread("a"), breaches=("the recording is incomplete",))),
    ],
    ids=["error", "skipped", "empty", "journal", "halted", "cut short", "breach"],
)
@pytest.mark.parametrize("asked", [{}, {"min_pass_rate": 0}, {"min_macro_f1": 0}], ids=["own", "rate", "f1"])
def test_what_has_no_verdict_never_passes(run: RunFile, asked: dict[str, Any]) -> None:
    if not run.gates and asked:
        run = run.model_copy(update={"complete": False})
    with pytest.raises(EvaluationError):
        assert_passes(run, **asked)


def test_errors_can_be_allowed() -> None:
    run = gated(made_run(made_thread("a"), made_thread("b", "e")))
    assert_passes(run, min_pass_rate=0.5, max_errors=1)
    with pytest.raises(EvaluationError, match="1 thread could not be evaluated, at most 0 allowed"):
        assert_passes(run, min_pass_rate=0.5)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_pass_rate": 80}, "assert_passes: /min_pass_rate: expected a number from 0 to 1"),
        ({"min_pass_rate": "most"}, "assert_passes: /min_pass_rate: expected a number from 0 to 1"),
        ({"min_macro_f1": -1}, "assert_passes: /min_macro_f1: expected a number from 0 to 1"),
        ({"max_errors": -1}, "assert_passes: /max_errors: expected"),
        ({"must_pass": ["bb"]}, r"assert_passes: must_pass: the run has no thread 'bb' \(did you mean 'b'\?\)"),
        ({"baseline": "none.json"}, "none.json: expected a run file, found nothing of that name"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        assert_passes(RUN, **asked)


def test_a_saved_run_will_do(tmp_path: Path) -> None:
    save_run(GOOD, tmp_path / "run.json")
    save_run(BASELINE, tmp_path / "baseline.json")
    assert_passes(tmp_path / "run.json")
    assert_passes(str(tmp_path / "run.json"), baseline=tmp_path / "baseline.json")
    with pytest.raises(ConfigurationError, match="expected a baseline, found a run that was not accepted"):
        assert_passes(GOOD, baseline=tmp_path / "run.json")
