"""Rules on what a turn or a thread takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.conversation import moment
from trajectory.errors import EvaluationError
from trajectory.evaluations.setting_types import PositiveCount, PositiveSeconds  # noqa: TC001 - pydantic reads them
from trajectory.evaluations.verdicts import Verdict
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import Trace
    from trajectory.replay import ThreadReplay


class Iterations(RuleSettings):
    """What can be set about `iterations`."""

    max: PositiveCount = 5
    """The most rounds of reasoning and acting in one turn."""


class Latency(RuleSettings):
    """What can be set about `latency`."""

    max_seconds: PositiveSeconds = 10.0
    """The most seconds that one turn may take, tools included."""


class ThreadLatency(RuleSettings):
    """What can be set about `thread_latency`."""

    max_seconds: PositiveSeconds
    """The most seconds that the turns of the thread may take together, tools included."""


@rule("iterations", Iterations)
def judge_iterations(expected: Trace, actual: Trace, settings: Iterations) -> Verdict:
    """A turn may not take more rounds of reasoning and acting than allowed."""
    del expected
    number = len(actual.iterations)
    if not number:
        raise EvaluationError("the agent's turn shows no iterations, so they cannot be counted")
    if number <= settings.max:
        return Verdict.passed()
    return Verdict.failed(f"{number} iterations, at most {settings.max} allowed")


@rule("latency", Latency)
def judge_latency(expected: Trace, actual: Trace, settings: Latency) -> Verdict:
    """A turn may not take longer than allowed, from its start to its end."""
    del expected
    return _judge_seconds(_seconds(actual), settings.max_seconds)


@rule("thread_latency", ThreadLatency, whole_thread=True)
def judge_thread_latency(replayed: ThreadReplay, settings: ThreadLatency) -> Verdict:
    """The turns of a thread may not take longer together than allowed."""
    total = sum(_seconds(turn.actual) for turn in replayed.turns if turn.actual is not None)
    return _judge_seconds(total, settings.max_seconds)


def _seconds(trace: Trace) -> float:
    seconds = (moment(trace.end_time) - moment(trace.start_time)).total_seconds()
    if seconds <= 0:
        raise EvaluationError("the turn does not end after it starts: its times were not kept")
    return seconds


def _judge_seconds(seconds: float, most: float) -> Verdict:
    if seconds <= most:
        return Verdict.passed()
    return Verdict.failed(f"took {seconds:.4g} s, at most {most:g} s allowed")
