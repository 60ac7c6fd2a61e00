"""The truth table of the matching rules, repeats, unrecorded arguments, empty sides and the cost."""

from __future__ import annotations

import time
from typing import Any

import pytest

from trajectory import NOT_RECORDED, MatchMode, ToolCall
from trajectory.matching import TrajectoryMatch, match_trajectory

STRICT, IN_ORDER, UNORDERED, SUBSET, SUPERSET = MatchMode

TRUTH_TABLE = """
    -    | -     | pass pass pass pass pass
    -    | a     | fail pass fail fail pass
    a    | -     | fail fail fail pass fail
    ab   | ab    | pass pass pass pass pass
    ab   | ba    | fail fail pass pass pass
    ab   | a     | fail fail fail pass fail
    a    | ab    | fail pass fail fail pass
    a    | aa    | fail pass fail fail pass
    aa   | a     | fail fail fail pass fail
    aab  | abb   | fail fail fail fail fail
    aab  | baa   | fail fail pass pass pass
    ab   | acb   | fail pass fail fail pass
    ab   | ac    | fail fail fail fail fail
"""

AS_SETS = """
    aa   | a     | pass pass pass pass pass
    a    | aa    | pass pass pass pass pass
    aab  | abb   | pass pass pass pass pass
    aba  | ab    | pass pass pass pass pass
    ab   | bab   | fail pass pass pass pass
    ab   | aba   | pass pass pass pass pass
    a    | ab    | fail pass fail fail pass
    ab   | aa    | fail fail fail pass fail
    ab   | bba   | fail fail pass pass pass
"""


def calls(letters: str) -> list[dict[str, Any]]:
    """Spell a trajectory: one letter is one call, ``?`` a call of ``f`` with arguments that were not recorded."""
    return [
        {"name": "f", "arguments": NOT_RECORDED if letter == "?" else {"letter": letter}}
        for letter in letters.strip(" -")
    ]


def table(text: str) -> list[Any]:
    rows = (line.split("|") for line in text.strip().splitlines())
    return [
        pytest.param(
            expected.strip(), actual.strip(), mode, verdict == "pass", id=f"{expected.strip()},{actual.strip()},{mode}"
        )
        for expected, actual, verdicts in rows
        for mode, verdict in zip(MatchMode, verdicts.split(), strict=True)
    ]


@pytest.mark.parametrize(("expected", "actual", "mode", "passed"), table(TRUTH_TABLE))
def test_truth_table(expected: str, actual: str, mode: MatchMode, passed: bool) -> None:  # noqa: FBT001 - a table
    result = match_trajectory(calls(expected), calls(actual), mode)
    assert (result.passed, bool(result), result.undecided) == (passed, passed, None)


@pytest.mark.parametrize(("expected", "actual", "mode", "passed"), table(AS_SETS))
def test_repeats_can_be_ignored(expected: str, actual: str, mode: MatchMode, passed: bool) -> None:  # noqa: FBT001
    assert match_trajectory(calls(expected), calls(actual), mode, repeats="ignore").passed is passed


@pytest.mark.parametrize(
    ("expected", "actual", "modes"),
    [
        ("-", "-", {IN_ORDER, SUBSET, SUPERSET}),
        ("-", "a", {IN_ORDER, SUPERSET}),
        ("a", "-", {SUBSET}),
        ("a", "a", set()),
    ],
)
def test_a_mode_with_nothing_to_check_says_so(expected: str, actual: str, modes: set[MatchMode]) -> None:
    vacuous = {mode for mode in MatchMode if match_trajectory(calls(expected), calls(actual), mode).vacuous}
    assert vacuous == modes


PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"


def word(result: TrajectoryMatch) -> str:
    if result.undecided:
        assert not result.passed
        return UNKNOWN
    return PASS if result.passed else FAIL


@pytest.mark.parametrize(
    ("expected", "actual", "verdicts"),
    [
        ("?", "a", (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
        ("a", "?", (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
        ("?", "?", (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
        ("a", "a?", (FAIL, PASS, FAIL, FAIL, PASS)),
        ("a?", "a", (FAIL, FAIL, FAIL, PASS, FAIL)),
        ("ab", "?", (FAIL, FAIL, FAIL, UNKNOWN, FAIL)),
        ("ab", "??", (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
        ("ab", "?c", (FAIL, FAIL, FAIL, FAIL, FAIL)),
        ("ab", "c?", (FAIL, FAIL, FAIL, FAIL, FAIL)),
        ("ab", "?a", (FAIL, FAIL, UNKNOWN, UNKNOWN, UNKNOWN)),
        ("-", "?", (FAIL, PASS, FAIL, FAIL, PASS)),
        ("?", "-", (FAIL, FAIL, FAIL, PASS, FAIL)),
    ],
)
def test_arguments_that_were_not_recorded(expected: str, actual: str, verdicts: tuple[str, ...]) -> None:
    results = [match_trajectory(calls(expected), calls(actual), mode) for mode in MatchMode]
    assert tuple(map(word, results)) == verdicts


def test_an_unrecorded_call_of_another_tool_decides() -> None:
    result = match_trajectory([{"name": "g"}], [ToolCall(name="f", arguments=NOT_RECORDED)])
    assert word(result) == FAIL


def test_an_unrecorded_call_cannot_equal_a_malformed_one() -> None:
    result = match_trajectory([ToolCall(name="f", arguments=NOT_RECORDED)], [{"name": "f", "arguments": "{"}])
    assert word(result) == FAIL


def test_the_reason_names_the_calls() -> None:
    result = match_trajectory(calls("a????"), calls("abcd?"), UNORDERED)
    assert result.undecided == (
        "arguments on which it depends were not recorded: "
        "expected call 2 (f), expected call 3 (f), expected call 4 (f) and 2 more"
    )


MANY = [ToolCall(name="search", arguments={"query": f"text {n}", "page": n}) for n in range(5_000)]


@pytest.mark.parametrize("mode", MatchMode)
def test_five_thousand_calls_in_the_worst_order(mode: MatchMode) -> None:
    expected = MANY
    start = time.process_time()
    result = match_trajectory(expected, expected[::-1], mode)
    assert time.process_time() - start < 1, "linear in the size of both: about a tenth of a second"
    assert result.passed is (mode in {UNORDERED, SUBSET, SUPERSET})
