"""Rules on what a turn or a thread takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from trajectory.conversation import Usage, moment
from trajectory.errors import EvaluationError
from trajectory.evaluations.setting_types import (  # noqa: TC001 - pydantic reads them
    PositiveAmount,
    PositiveCount,
    PositiveSeconds,
)
from trajectory.evaluations.verdicts import Verdict
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import Trace
    from trajectory.replay import ThreadReplay

_ROUNDING: Final = 1e-12
"""How far a sum of costs may lie beside the sum that people would write: three times 0.1 is no more than 0.3."""


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


class Tokens(RuleSettings):
    """What can be set about `tokens`."""

    max: PositiveCount | None = None
    """The most tokens of a turn, given to the models and made by them."""
    max_input: PositiveCount | None = None
    """The most tokens of a turn that are given to the models, cached ones included."""
    max_output: PositiveCount | None = None
    """The most tokens of a turn that the models make."""
    max_thread: PositiveCount | None = None
    """The most tokens of all turns of the thread."""

    @model_validator(mode="after")
    def _states_something(self) -> Tokens:
        return _refuse_no_limit(self)


class Money(RuleSettings):
    """What can be set about `money`."""

    max_usd: PositiveAmount | None = None
    """The most US dollars of a turn."""
    max_usd_thread: PositiveAmount | None = None
    """The most US dollars of all turns of the thread."""

    @model_validator(mode="after")
    def _states_something(self) -> Money:
        return _refuse_no_limit(self)


_Limits = TypeVar("_Limits", Tokens, Money)


def _refuse_no_limit(settings: _Limits) -> _Limits:
    if all(getattr(settings, key) is None for key in type(settings).model_fields):
        raise PydanticCustomError("setting", "expected at least one limit to be stated")
    return settings


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


@rule("tokens", Tokens, whole_thread=True)
def judge_tokens(replayed: ThreadReplay, settings: Tokens) -> Verdict:
    """No turn, nor the thread, may take more tokens of models than allowed."""
    usages = _usages(replayed)
    limits = (("tokens", settings.max), ("input_tokens", settings.max_input), ("output_tokens", settings.max_output))
    lines: list[str] = []
    unknown: list[str] = []
    for number, usage in usages:
        for key, most in limits:
            _compare(f"turn {number}", _tokens(usage, key), most, lines, unknown)
    total = Usage.total(usage for _, usage in usages)
    _compare("the thread", _tokens(total, "tokens"), settings.max_thread, lines, unknown)
    return _verdict(lines, unknown, "the agent does not report all of its tokens")


@rule("money", Money, whole_thread=True)
def judge_money(replayed: ThreadReplay, settings: Money) -> Verdict:
    """No turn, nor the thread, may cost more than allowed."""
    usages = _usages(replayed)
    lines: list[str] = []
    unknown: list[str] = []
    for number, usage in usages:
        _compare(f"turn {number}", _cost(usage), settings.max_usd, lines, unknown)
    total = Usage.total(usage for _, usage in usages)
    _compare("the thread", _cost(total), settings.max_usd_thread, lines, unknown)
    return _verdict(lines, unknown, "the agent does not report all of its costs (--prices gives them for its tokens)")


@dataclass(frozen=True, slots=True)
class _Amount:
    """What something took: the least that it can have been, and whether that is all."""

    least: float
    complete: bool
    unit: str

    def __str__(self) -> str:
        return f"{'' if self.complete else 'at least '}{self.least:,.10g} {self.unit}"


def _usages(replayed: ThreadReplay) -> list[tuple[int, Usage | None]]:
    return [(turn.number, turn.actual.usage) for turn in replayed.turns if turn.actual is not None]


def _tokens(usage: Usage | None, key: str) -> _Amount:
    unit = key.replace("_", " ")
    if usage is None:
        return _Amount(0, complete=False, unit=unit)
    parts = (usage.input_tokens, usage.output_tokens) if key == "tokens" else (getattr(usage, key),)
    complete = usage.tokens_complete and None not in parts
    return _Amount(sum(part or 0 for part in parts), complete, unit)


def _cost(usage: Usage | None) -> _Amount:
    known = usage is not None and usage.cost_usd is not None
    return _Amount((usage and usage.cost_usd) or 0.0, known and bool(usage and usage.cost_complete), "USD")


def _compare(where: str, amount: _Amount, most: float | None, lines: list[str], unknown: list[str]) -> None:
    """Compare an amount with its limit: what is known to be too much fails, what may be too much is not known."""
    if most is None:
        return
    if amount.least > most and not isclose(amount.least, most, rel_tol=_ROUNDING):
        lines.append(f"{where}: {amount}, at most {most:,.10g} allowed")
    elif not amount.complete:
        unknown.append(f"{where}: {amount}")


def _verdict(lines: list[str], unknown: list[str], why: str) -> Verdict:
    if lines:
        return Verdict.failed("; ".join(lines))
    if unknown:
        raise EvaluationError(f"{why}: {'; '.join(unknown)}")
    return Verdict.passed()
