"""The exceptions: what they say, what they are, and that they travel between processes."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from trajectory import errors
from trajectory.errors import (
    PROBLEMS_SHOWN,
    AgentError,
    ConfigurationError,
    EvalSetError,
    EvaluationError,
    Problem,
    TrajectoryError,
    TrajectoryMismatch,
    did_you_mean,
    nearest,
)
from trajectory.json_values import NotJson
from trajectory.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence


def problems(number: int) -> list[Problem]:
    return [Problem("a.json", line, 1, "/a", "a string", "5") for line in range(1, number + 1)]


def test_the_tree() -> None:
    assert issubclass(AgentError, ConfigurationError)
    assert issubclass(EvalSetError, ConfigurationError)
    assert issubclass(TrajectoryMismatch, AssertionError)
    assert not issubclass(EvaluationError, ConfigurationError | AssertionError)
    raised = [it for it in vars(errors).values() if isinstance(it, type) and issubclass(it, Exception)]
    assert all(issubclass(it, TrajectoryError) for it in raised)
    assert {it.__name__ for it in raised} <= set((errors.__doc__ or "").split())


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("a.json", 3, 5, "/a/0", "a string", "5"), "a.json:3:5: /a/0 expected a string, found 5"),
        (Problem("a.json", 3, 5, "", "an object", "null"), "a.json:3:5: expected an object, found null"),
        (Problem("a.json", None, None, "", "a file", "nothing"), "a.json: expected a file, found nothing"),
        (Problem("a", 1, 1, "/a", "b", "c", "did you mean d?"), "a:1:1: /a expected b, found c (did you mean d?)"),
        (Problem("a", 1, 1, "/\x1b\n\ud800", "b", "c"), r"a:1:1: /\x1b\n\ud800 expected b, found c"),
    ],
)
def test_a_problem_in_words(problem: Problem, text: str) -> None:
    assert str(problem) == text


@pytest.mark.parametrize(
    ("number", "last"),
    [
        (1, "a.json:1:1: /a expected a string, found 5"),
        (PROBLEMS_SHOWN, f"a.json:{PROBLEMS_SHOWN}:1: /a expected a string, found 5"),
        (PROBLEMS_SHOWN + 1, "... and 1 more problem"),
        (PROBLEMS_SHOWN + 5, "... and 5 more problems"),
    ],
)
def test_the_first_problems_are_put_into_words_and_all_are_kept(number: int, last: str) -> None:
    error = EvalSetError(problems(number))
    lines = str(error).splitlines()
    assert len(lines) == min(number, PROBLEMS_SHOWN + 1)
    assert lines[-1] == last
    assert error.problems == tuple(problems(number))


@pytest.mark.parametrize(
    "error",
    [
        EvalSetError(problems(30)),
        SettingsError("x", [("/a", "b", "c", "d")]),
        NotJson("/a", "no"),
        TrajectoryMismatch("differs"),
        AgentError("none"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_they_travel_between_processes(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("word", "candidates", "found"),
    [
        ("match_mod", ["match_mode", "repeats"], "match_mode"),
        ("STRCIT", ["STRICT"], "STRICT"),
        ("strict", ["STRICT"], "STRICT"),
        ("zzz", ["match_mode"], None),
        ("", ["match_mode"], None),
        ("a", [], None),
    ],
)
def test_the_nearest_right_spelling(word: str, candidates: Sequence[str], found: str | None) -> None:
    assert nearest(word, candidates) == found
    assert did_you_mean(word, candidates) == (f"did you mean {found!r}?" if found else "")
