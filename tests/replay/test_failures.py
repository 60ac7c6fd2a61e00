"""Why a turn has no result, in words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import trajectory
from trajectory.errors import EvaluationError
from trajectory.replay.failures import AgentFailure

if TYPE_CHECKING:
    from collections.abc import Callable


def failed(call: Callable[[], object]) -> AgentFailure:
    try:
        call()
    except BaseException as problem:  # noqa: BLE001 - whatever is raised is the subject
        return AgentFailure.of(problem)
    raise AssertionError("nothing was raised")


def deep(levels: int) -> None:
    if levels:
        deep(levels - 1)
    raise ValueError("at the bottom")


def chained() -> None:
    try:
        deep(0)
    except ValueError as problem:
        raise LookupError("on top") from problem


def silenced() -> None:
    try:
        deep(0)
    except ValueError:
        raise LookupError("on top") from None


def in_passing() -> None:
    try:
        deep(0)
    except ValueError:
        raise LookupError("on top")  # noqa: B904 - the implicit context is the subject


def several() -> None:
    raise ExceptionGroup("several", [ValueError("one"), OSError("two")])


def test_the_innermost_frames_are_shown() -> None:
    details = failed(lambda: deep(10)).details
    assert len(details) == 3
    assert all(line.startswith("at ") and " in deep: " in line for line in details)
    assert details[-1].endswith(': raise ValueError("at the bottom")')


@pytest.mark.parametrize("call", [chained, in_passing])
def test_a_cause_is_told(call: Callable[[], object]) -> None:
    failure = failed(call)
    assert failure.text == "the agent raised LookupError: on top"
    assert failure.details[-2] == "caused by ValueError: at the bottom"
    assert failure.details[-1].startswith("at ")


def test_a_cause_that_was_silenced_is_not() -> None:
    assert not any("caused by" in line for line in failed(silenced).details)


def test_a_group_names_its_members() -> None:
    assert failed(several).details[-2:] == ("one of them: ValueError: one", "one of them: OSError: two")


def test_an_error_of_this_package_speaks_for_itself() -> None:
    failure = AgentFailure.of(EvaluationError("the recording has no thread 'a'"))
    assert (failure.text, failure.details) == ("the recording has no thread 'a'", ())


@pytest.mark.parametrize(
    ("message", "text"),
    [("", "ValueError"), ("two\nlines", "ValueError: two\nlines"), ("x" * 5000, f"ValueError: {'x' * 1997}...")],
)
def test_the_message(message: str, text: str) -> None:
    assert AgentFailure.of(ValueError(message)).text == f"the agent raised {text}"


@pytest.mark.parametrize("raised", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_message_that_cannot_be_told(raised: type[BaseException]) -> None:
    class UntellableError(Exception):
        def __str__(self) -> str:
            raise raised

    text = f"the agent raised UntellableError: <its text raises {raised.__name__}>"
    assert AgentFailure.of(UntellableError()).text == text


def raised_in(filename: Path) -> AgentFailure:
    code = compile("def agent():\n    raise ValueError\nagent()", str(filename), "exec")
    return failed(lambda: exec(code, {}))  # noqa: S102 - code at a place of our choice


def test_a_folder_whose_name_begins_like_this_package_is_not_this_package() -> None:
    package = Path(trajectory.__file__).parent
    neighbour = package.with_name(package.name + "_agents") / "mine.py"
    assert any("mine.py:2 in agent" in line for line in raised_in(neighbour).details)
    assert not any("mine.py:2 in agent" in line for line in raised_in(package / "mine.py").details)


def test_a_frame_without_its_source_ends_with_the_function() -> None:
    assert raised_in(Path("/no/such/file.py")).details[-1] == "at /no/such/file.py:2 in agent"


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert failed(lambda: deep(1)).details
    finally:
        os.chdir(tmp_path)


def test_a_timeout() -> None:
    assert AgentFailure.of_timeout(0.5).text == "the agent did not answer within 0.5 s (--turn-timeout)"
