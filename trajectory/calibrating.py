"""Measure a judge: put answers before it that people have labelled, and see where the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajectory.chosen_rules import read_rules
from trajectory.conversation import AssistantMessage, FunctionMessage, Iteration, ToolCall, Trace, UserMessage
from trajectory.errors import ConfigurationError, EvaluationError
from trajectory.evalset.parsing import parse
from trajectory.evaluations import Outcome
from trajectory.json_values import describe
from trajectory.judges import JudgeInForce, as_judge, set_judge
from trajectory.judges.calibration import Calibration, Rating
from trajectory.rules import find_rule, rule_names
from trajectory.settings import SettingsError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from trajectory.json_values import JsonValue
    from trajectory.rules import RuleSettings

__all__ = ["Calibration", "LabelledAnswer", "calibrate", "load_labelled_answers"]

_LABELS: Final = {"pass": True, "fail": False, "passed": True, "failed": False, "good": True, "bad": False}
_KEYS: Final = ("query", "response", "label", "expected", "evidence")
_NO_TIME: Final = (0, 0.0)


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer of an agent that people have labelled.

    Attributes:
        query: What the user said.
        response: What the agent answered.
        label: Whether people let it pass; or their score from 0 to 1, which lets it pass as the judge's would.
        expected: The recorded answer, for rules that compare with one.
        evidence: What tools gave back, for rules that look at it.
    """

    query: str
    response: str
    label: bool | float
    expected: str | None = None
    evidence: tuple[str, ...] = ()

    def trace(self, response: str | None) -> Trace:
        """Make a turn of it."""
        calls = tuple(
            ToolCall(name="tool", id=str(number), result=FunctionMessage(name="tool", id=str(number), content=text))
            for number, text in enumerate(self.evidence)
        )
        return Trace(
            id="labelled",
            user_message=UserMessage(content=self.query),
            iterations=(Iteration(history=(), output=(), start_time=_NO_TIME, end_time=_NO_TIME),) if calls else (),
            output=AssistantMessage(content=response),
            tools=(),
            tool_calls=calls,
            start_time=_NO_TIME,
            end_time=_NO_TIME,
        )


def load_labelled_answers(path: str | os.PathLike[str]) -> list[LabelledAnswer]:
    """Load labelled answers: JSON Lines, or one JSON array, of objects with ``query``, ``response`` and ``label``.

    ``label`` is ``pass`` or ``fail``, true or false, or a score from 0 to 1. ``expected`` (the recorded answer) and ``evidence`` (a list of
    texts that tools gave back) may stand beside them.

    Args:
        path: The file.

    Returns:
        The answers.

    Raises:
        ConfigurationError: It cannot be read as such; the text names the place.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigurationError(f"{path}: the labelled answers cannot be read: {problem}") from None
    answers = [_answer(value, place) for place, value in _records(text, str(path))]
    if not answers:
        raise ConfigurationError(f"{path}: expected labelled answers, found none")
    return answers


def _records(text: str, path: str) -> Iterable[tuple[str, JsonValue]]:
    try:
        whole = parse(text)
    except (ValueError, RecursionError):
        yield from _lines(text, path)
        return
    if isinstance(whole, list):
        yield from ((f"{path}: /{index}", value) for index, value in enumerate(whole))
    else:
        yield f"{path}:1", whole


def _lines(text: str, path: str) -> Iterable[tuple[str, JsonValue]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"{path}:{number}", parse(line)
        except (ValueError, RecursionError) as problem:
            raise ConfigurationError(f"{path}:{number}: expected a JSON object, found none: {problem}") from None


def _answer(value: JsonValue, place: str) -> LabelledAnswer:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{place}: expected an object with query, response and label, found {describe(value)}")
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        raise ConfigurationError(f"{place}: expected the keys {', '.join(_KEYS)}, found {unknown[0]!r}")
    label, evidence = _label(value.get("label"), place), value.get("evidence", [])
    for key in ("query", "response"):
        if not isinstance(value.get(key), str):
            raise ConfigurationError(f"{place}: /{key}: expected a text, found {describe(value.get(key))}")
    if not isinstance(evidence, list) or not all(isinstance(text, str) for text in evidence):
        raise ConfigurationError(f"{place}: /evidence: expected a list of texts, found {describe(evidence)}")
    expected = value.get("expected")
    if not isinstance(expected, str | None):
        raise ConfigurationError(f"{place}: /expected: expected a text, found {describe(expected)}")
    return LabelledAnswer(value["query"], value["response"], label, expected, tuple(evidence))


def _label(value: JsonValue, place: str) -> bool | float:
    label = _LABELS.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(label, int | float) or not 0 <= label <= 1:
        raise ConfigurationError(
            f"{place}: /label: expected pass or fail, or a score from 0 to 1, found {describe(value)}"
        )
    return label


def _is_good(label: bool | float, settings: RuleSettings) -> bool:  # noqa: FBT001 - a label
    if isinstance(label, bool):
        return label
    threshold = getattr(settings, "threshold", None)
    if threshold is None:
        raise ConfigurationError("calibrate: labels that are scores need a rule with a threshold")
    return label >= threshold  # type: ignore[no-any-return]  # a rule of the user's own may have any


def calibrate(
    judge: Any, rule: str | Mapping[str, Mapping[str, Any]], answers: Iterable[LabelledAnswer]
) -> Calibration:
    """Put labelled answers before a judge.

    Args:
        judge: The judge: an object with ``ask(prompt)``, a callable, or a `JudgeInForce`.
        rule: The rule whose question is put, with its settings: ``"helpfulness"`` or ``{"helpfulness": {...}}``.
        answers: The answers.

    Returns:
        How the judge and people agree.

    Raises:
        ConfigurationError: There is no such rule, it asks no judge, or ``judge`` is none.
    """
    chosen, problems = read_rules([rule])
    if problems:
        raise SettingsError("rule", problems)
    found = find_rule(chosen[0].name)
    if found is None or not found.needs_judge:
        judged = ", ".join(name for name in rule_names() if (one := find_rule(name)) is not None and one.needs_judge)
        raise ConfigurationError(f"calibrate: the rule {chosen[0].name} asks no judge; these do: {judged}")
    before = set_judge(judge if isinstance(judge, JudgeInForce) else JudgeInForce(as_judge(judge)))
    try:
        ratings, errors = [], []
        for number, answer in enumerate(answers, start=1):
            try:
                verdict = found.judge(answer.trace(answer.expected), answer.trace(answer.response), chosen[0].settings)
            except EvaluationError as problem:
                errors.append(f"answer {number}: {problem}")
                continue
            if verdict.outcome is Outcome.SKIPPED:
                errors.append(f"answer {number}: {verdict.reason}")
                continue
            passes = verdict.outcome is Outcome.PASSED
            label = _is_good(answer.label, chosen[0].settings)
            ratings.append(Rating(label, passes, verdict.score or 0.0, len(answer.response)))
    finally:
        set_judge(before)
    return Calibration(tuple(ratings), tuple(errors))
