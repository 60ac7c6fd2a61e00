"""The options and their ini twins, one test for each that can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from trajectory.setting_options import SETTING_OPTIONS
from trajectory.settings import Settings

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")


def test_every_option_is_a_view_of_a_setting() -> None:
    stated = {option.key.split(".")[0] for option in SETTING_OPTIONS}
    assert stated <= set(Settings.model_fields)
    assert stated == set(Settings.model_fields) - {"must_pass"}
    for option in SETTING_OPTIONS:
        name = option.key.removesuffix(".policy").replace(".", "_").removeprefix("arguments_")
        assert option.ini == f"trajectory_{name}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--match-mode", "STRCT"), "--match-mode: expected one of STRICT*did you mean 'STRICT'*"),
        (("--repeats", "cout"), "--repeats: expected one of count, ignore, found *did you mean 'count'*"),
        (("--min-pass-rate", "80"), "--min-pass-rate: expected a number from 0 to 1, such as 0.9, found the number 80"),
        (("--min-pass-rate", "nan"), "--min-pass-rate: expected a number from 0 to 1*"),
        (("--min-pass-rate="), "--min-pass-rate: expected a number from 0 to 1*"),
        (("--max-errors", "some"), "--max-errors: expected a whole number, found the string *"),
        (("--max-errors=-1"), "--max-errors: expected *, found *-1*"),
        (("--turn-timeout", "soon"), "--turn-timeout: expected a number, found *"),
        (("--turn-timeout=-1"), "--turn-timeout: expected a number greater than or equal to 0, found *"),
        (("--turn-timeout", "inf"), "--turn-timeout: expected a finite number, found *"),
    ],
)
def test_a_wrong_option_is_a_usage_error(folder: Folder, words: tuple[str, ...] | str, message: str) -> None:
    folder.eval_set({"one": good(1)})
    result = folder.run(*RUN, *([words] if isinstance(words, str) else words))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_all_wrong_options_are_told_together(folder: Folder) -> None:
    folder.eval_set({"one": good(1)})
    result = folder.run(*RUN, "--min-pass-rate", "80", "--max-errors", "some")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--min-pass-rate: *", "*--max-errors: *"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("trajectory_match_mode = STRCT", "trajectory_match_mode: expected one of STRICT*did you mean 'STRICT'*"),
        ("trajectory_min_pass_rate = 80", "trajectory_min_pass_rate: expected a number from 0 to 1*"),
        ("trajectory_turn_timeout = soon", "trajectory_turn_timeout: expected a number*"),
        ("trajectory_case_sensitive = maybe", "trajectory_case_sensitive: expected *found *maybe*"),
    ],
)
def test_a_wrong_ini_option_is_a_usage_error(folder: Folder, line: str, message: str) -> None:
    folder.eval_set({"one": good(1)})
    folder.pytester.makeini(f"[pytest]\n{line}")
    result = folder.run(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


@pytest.mark.parametrize(
    ("value", "words", "passed"), [("false", (), 1), ("true", (), 0), ("true", ("--case-insensitive",), 1)]
)
def test_case(folder: Folder, value: str, words: tuple[str, ...], passed: int) -> None:
    folder.eval_set({"one": [("add 1 1", [{"name": "ADD", "arguments": {"a": 1, "b": 1}}])]})
    folder.pytester.makeini(f"[pytest]\ntrajectory_case_sensitive = {value}")
    folder.run(*RUN, *words).assert_outcomes(passed=passed, failed=1 - passed)


def test_the_command_to_rerun_repeats_what_decides(folder: Folder) -> None:
    folder.eval_set({"one": bad(1)})
    folder.eval_set({"one": bad(2), "stray": good(1)}, name="run.json")
    words = ("--recorded", "run.json", "--allow-unmatched", "--match-mode", "SUBSET", "--case-insensitive")
    result = folder.run(*RUN, *words, agent=None)
    result.stdout.fnmatch_lines([f"rerun: pytest {' '.join(words)} x.evalset.json::one"])
