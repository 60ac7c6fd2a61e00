"""Rules on what the agent answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from pydantic import StrictBool, model_validator

from trajectory.evaluations.setting_types import Count, Pattern, Texts, refuse_min_above_max
from trajectory.evaluations.verdicts import Verdict
from trajectory.matching.equality import fold
from trajectory.patterns import matches
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import Trace
    from trajectory.replay import ThreadReplay

_WHITESPACE: Final = "\t\n\v\f\r "
"""What is stripped: the whitespace of ASCII. A no-break space is a character like any other."""
_AROUND: Final = 20
_SHOWN: Final = 200


class ExactMatch(RuleSettings):
    """What can be set about `exact_match`."""

    case_sensitive: StrictBool = True
    """Whether A-Z and a-z differ; no other letters fold."""
    strip_whitespace: StrictBool = True
    """Whether whitespace of ASCII at both ends is left out."""


class ContainsMatch(RuleSettings):
    """What can be set about `contains_match`."""

    case_sensitive: StrictBool = False
    """Whether A-Z and a-z differ; no other letters fold."""


class ContentSafety(RuleSettings):
    """What can be set about `content_safety`."""

    prohibited: Texts
    """The texts that must not occur in any answer."""
    case_sensitive: StrictBool = False
    """Whether A-Z and a-z differ; no other letters fold."""


class ContentCoverage(RuleSettings):
    """What can be set about `content_coverage`."""

    required: Texts
    """The texts that must occur in the answers."""
    case_sensitive: StrictBool = False
    """Whether A-Z and a-z differ; no other letters fold."""


class Length(RuleSettings):
    """What can be set about `length`."""

    min: Count = 1
    """The fewest characters (Unicode code points)."""
    max: Count = 10_000
    """The most characters (Unicode code points)."""

    @model_validator(mode="after")
    def _in_order(self) -> Length:
        refuse_min_above_max(self.min, self.max)
        return self


class RegexMatch(RuleSettings):
    """What can be set about `regex_match`."""

    pattern: Pattern
    """A regular expression of Python's re."""
    full: StrictBool = False
    """Whether it must match the whole answer, not just some part of it."""


@rule("exact_match", ExactMatch, needs_recording=True)
def judge_exact_match(expected: Trace, actual: Trace, settings: ExactMatch) -> Verdict:
    """The answer must be the recorded one."""
    if expected.response is None:
        return Verdict.skipped("no answer was recorded")
    recorded, today = (_prepared(text, settings) for text in (expected.response, actual.response or ""))
    if recorded == today:
        return Verdict.passed()
    at = next((index for index, pair in enumerate(zip(recorded, today, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(recorded), len(today)) if at is None else at
    return Verdict.failed(
        f"the answer differs from character {at + 1} on ({len(recorded)} characters recorded, {len(today)} today)",
        f"recorded {_excerpt(recorded, at)}",
        f"today    {_excerpt(today, at)}",
    )


def _prepared(text: str, settings: ExactMatch) -> str:
    stripped = text.strip(_WHITESPACE) if settings.strip_whitespace else text
    return _folded(stripped, case_sensitive=settings.case_sensitive)


def _folded(text: str, *, case_sensitive: bool) -> str:
    return text if case_sensitive else fold(text)


def _excerpt(text: str, at: int) -> str:
    start, end = max(0, at - _AROUND), at + _AROUND
    return f"{'...' * (start > 0)}{_quoted(text[start:end])}{'...' * (end < len(text))}"


def _quoted(text: str) -> str:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return json.dumps(shown, ensure_ascii=False)


@rule("contains_match", ContainsMatch, needs_recording=True)
def judge_contains_match(expected: Trace, actual: Trace, settings: ContainsMatch) -> Verdict:
    """The recorded answer must occur in the answer."""
    if not expected.response:
        return Verdict.skipped("no answer was recorded, or an empty one, which every answer contains")
    if _occurs(expected.response, actual.response or "", case_sensitive=settings.case_sensitive):
        return Verdict.passed()
    return Verdict.failed(
        "the recorded answer does not occur in the answer",
        f"recorded {_quoted(expected.response)}",
        f"today    {_quoted(actual.response or '')}",
    )


def _occurs(text: str, within: str, *, case_sensitive: bool) -> bool:
    return _folded(text, case_sensitive=case_sensitive) in _folded(within, case_sensitive=case_sensitive)


@rule("content_safety", ContentSafety)
def judge_content_safety(expected: Trace, actual: Trace, settings: ContentSafety) -> Verdict:
    """No prohibited text may occur in an answer."""
    del expected
    answer = _folded(actual.response or "", case_sensitive=settings.case_sensitive)
    found = [text for text in settings.prohibited if _occurs(text, answer, case_sensitive=settings.case_sensitive)]
    if not found:
        return Verdict.passed()
    return Verdict.failed(f"{_count(len(found), 'prohibited text')} in the answer: {_listed(found)}")


@rule("content_coverage", ContentCoverage, whole_thread=True)
def judge_content_coverage(replayed: ThreadReplay, settings: ContentCoverage) -> Verdict:
    """Every required text must occur in the answers of the thread, taken together line after line."""
    answers = "\n".join(turn.actual.response or "" for turn in replayed.turns if turn.actual is not None)
    together = _folded(answers, case_sensitive=settings.case_sensitive)
    missing = [
        text for text in settings.required if not _occurs(text, together, case_sensitive=settings.case_sensitive)
    ]
    score = 1 - len(missing) / len(settings.required)
    if not missing:
        return Verdict.passed(score=score)
    what = f"{len(missing)} of {_count(len(settings.required), 'required text')} missing"
    return Verdict.failed(f"{what}: {_listed(missing)}", score=score)


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(_quoted, texts))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


@rule("length", Length)
def judge_length(expected: Trace, actual: Trace, settings: Length) -> Verdict:
    """The answer must be neither too short nor too long; both bounds are allowed, and no answer has the length 0."""
    del expected
    length = len(actual.response or "")
    if settings.min <= length <= settings.max:
        return Verdict.passed()
    return Verdict.failed(f"the answer has {_count(length, 'character')}, not {settings.min} to {settings.max}")


@rule("regex_match", RegexMatch)
def judge_regex_match(expected: Trace, actual: Trace, settings: RegexMatch) -> Verdict:
    """A regular expression must match the answer."""
    del expected
    answer = actual.response or ""
    if matches(settings.pattern, answer, full=settings.full):
        return Verdict.passed()
    what = "the whole answer" if settings.full else "any part of the answer"
    return Verdict.failed(f"the pattern {settings.pattern} does not match {what}", f"today {_quoted(answer)}")
