"""Rules that ask an LLM judge about a turn.

What a judge says is a measurement with an error of its own: measure it against people's labels before it gates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from trajectory.errors import EvaluationError
from trajectory.evaluations.setting_types import PositiveCount, Score, Text  # noqa: TC001 - pydantic reads them
from trajectory.evaluations.shown_to_judges import errors_in, evidence_in, instructions_of, steps_of
from trajectory.evaluations.verdicts import Verdict
from trajectory.judges import judge_in_force, template
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajectory.conversation import Trace

NO_JUDGE = (
    "no judge is configured. Name one by --judge module:attribute, by [tool.trajectory.judge] in pyproject.toml, or by "
    "the environment (TRAJECTORY_JUDGE_BASE_URL, TRAJECTORY_JUDGE_MODEL); in code, by judge=..."
)


class Judged(RuleSettings):
    """What can be set about every rule that asks a judge."""

    threshold: Score = 0.8
    """The lowest score that passes, from 0 to 1."""
    samples: PositiveCount = 1
    """How often the judge is asked."""
    aggregate: Literal["mean", "majority"] = "mean"
    """Whether the mean of the samples must reach the threshold, or more than half of them."""


class JudgedByCriteria(Judged):
    """What can be set about rules that take criteria of the user."""

    success_criteria: str = ""
    """What success means here, in your own words; the judge is told so."""


class JudgedByCoverage(Judged):
    """What can be set about `completeness`."""

    expected_coverage: str = ""
    """What an answer has to cover, in your own words; the judge is told so."""


class JudgedByContext(Judged):
    """What can be set about `safety` and `tone`."""

    context: str = ""
    """What the judge should know of the agent, its users and its limits."""


class Rubric(Judged):
    """What can be set about `rubric`."""

    criteria: Text
    """What is judged, in your own words."""
    anchors: Annotated[dict[str, Text], Field(min_length=2)] = {  # noqa: RUF012 - pydantic copies it
        "1.0": "Every criterion is met.",
        "0.85": "Every criterion that matters is met.",
        "0.6": "A criterion that matters is not met.",
        "0.3": "Most criteria are not met.",
        "0.0": "No criterion is met.",
    }
    """Descriptions of scores, from 0 to 1, by which the judge chooses one."""
    shows: Annotated[tuple[Literal["query", "answer", "recorded", "steps", "evidence"], ...], Field(min_length=1)] = (
        "query",
        "answer",
    )
    """What the judge is shown."""

    @model_validator(mode="after")
    def _anchors_are_scores(self) -> Rubric:
        scores = [_score(text) for text in self.anchors]
        if len(set(scores)) < len(scores):
            raise PydanticCustomError("setting", "expected each score once as a key of anchors")
        if self.threshold > 0 and (min(scores) >= self.threshold or max(scores) < self.threshold):
            raise PydanticCustomError("setting", "expected anchors at or above the threshold, and below it")
        return self


def _score(text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise PydanticCustomError(
            "setting", "expected scores from 0 to 1 as the keys of anchors ({score})", {"score": text}
        )
    return score


def _ask(name: str, actual: Trace, settings: Judged, data: Mapping[str, str], **trusted: str) -> Verdict:
    """Ask the judge in force, and make a verdict of what it says."""
    judge = judge_in_force()
    if judge is None:
        raise EvaluationError(NO_JUDGE)
    decision = judge.decide(
        template(name),
        data,
        trusted,
        threshold=settings.threshold,
        samples=settings.samples,
        aggregate=settings.aggregate,
    )
    lines = [f"the judge: {decision.reasoning}"] if decision.reasoning else []
    if settings.samples > 1:
        lines.append("scores: " + ", ".join(f"{verdict.score:.3g}" for verdict in decision.verdicts))
    lines += decision.notes
    if judge.knows_as_its_own(actual.models or ()):
        lines.append(f"the judge and the agent are the same model, {judge.model}")
    if decision.passes:
        return Verdict.passed(*lines, score=decision.score)
    how = "the mean score" if settings.aggregate == "mean" else "the score of most samples"
    what = "the score" if settings.samples == 1 else how
    return Verdict.failed(
        f"{what} is {decision.score:.3g}, at least {settings.threshold:g} required", *lines, score=decision.score
    )


def _stated(label: str, text: str) -> dict[str, str]:
    """Give the trusted words of a user of this package, where there are any."""
    return {"extra": f"\n{label}: {text}\n"} if text.strip() else {}


def _query(actual: Trace, label: str = "What the user said") -> dict[str, str]:
    return {label: actual.query}


def _answer(actual: Trace, label: str = "What the agent answered") -> dict[str, str]:
    return {label: actual.response or "(no text)"}


@rule("semantic_similarity", Judged, needs_recording=True, needs_judge=True)
def judge_semantic_similarity(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must mean the same as the recorded one, in the eyes of a judge."""
    if not expected.response:
        return Verdict.skipped("no answer was recorded")
    recorded = {"The recorded answer": expected.response}
    today = _answer(actual, "Today's answer")
    return _ask("semantic_similarity", actual, settings, {**_query(actual), **recorded, **today})


@rule("accuracy", Judged, needs_judge=True)
def judge_accuracy(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """What the answer states must be true, in the eyes of a judge."""
    del expected
    return _ask("accuracy", actual, settings, {**_query(actual), **_answer(actual)})


@rule("helpfulness", JudgedByCriteria, needs_judge=True)
def judge_helpfulness(expected: Trace, actual: Trace, settings: JudgedByCriteria) -> Verdict:
    """The answer must help the user, in the eyes of a judge."""
    del expected
    extra = _stated("What success means here", settings.success_criteria)
    return _ask("helpfulness", actual, settings, {**_query(actual), **_answer(actual)}, **extra)


@rule("clarity", Judged, needs_judge=True)
def judge_clarity(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must be easy to understand, in the eyes of a judge."""
    del expected
    return _ask("clarity", actual, settings, {**_query(actual), **_answer(actual)})


@rule("completeness", JudgedByCoverage, needs_judge=True)
def judge_completeness(expected: Trace, actual: Trace, settings: JudgedByCoverage) -> Verdict:
    """The answer must cover what was asked, in the eyes of a judge."""
    del expected
    extra = _stated("What an answer has to cover", settings.expected_coverage)
    return _ask("completeness", actual, settings, {**_query(actual), **_answer(actual)}, **extra)


@rule("relevance", Judged, needs_judge=True)
def judge_relevance(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must keep to what was asked, in the eyes of a judge."""
    del expected
    return _ask("relevance", actual, settings, {**_query(actual), **_answer(actual)})


@rule("coherence", Judged, needs_judge=True)
def judge_coherence(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must hang together, in the eyes of a judge."""
    del expected
    return _ask("coherence", actual, settings, {**_query(actual), **_answer(actual)})


@rule("conciseness", Judged, needs_judge=True)
def judge_conciseness(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must not waste words, in the eyes of a judge."""
    del expected
    return _ask("conciseness", actual, settings, {**_query(actual), **_answer(actual)})


@rule("safety", JudgedByContext, needs_judge=True)
def judge_safety(expected: Trace, actual: Trace, settings: JudgedByContext) -> Verdict:
    """The answer must be free of harm, in the eyes of a judge, who is shown nothing else; higher is safer."""
    del expected
    return _ask("safety", actual, settings, _answer(actual), **_stated("The setting", settings.context))


@rule("tone", JudgedByContext, needs_judge=True)
def judge_tone(expected: Trace, actual: Trace, settings: JudgedByContext) -> Verdict:
    """The tone of the answer must fit, in the eyes of a judge."""
    del expected
    extra = _stated("The setting", settings.context)
    return _ask("tone", actual, settings, {**_query(actual), **_answer(actual)}, **extra)


@rule("groundedness", Judged, needs_judge=True)
def judge_groundedness(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """What the answer states must rest on what tools gave back, in the eyes of a judge."""
    del expected
    evidence = evidence_in(actual)
    if not evidence:
        return Verdict.skipped("no tool gave anything back, so there is no evidence to judge by")
    data = {**_query(actual), "What tools gave back": evidence, **_answer(actual)}
    return _ask("groundedness", actual, settings, data)


@rule("reasoning_quality", Judged, needs_judge=True)
def judge_reasoning_quality(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The steps must make sense for what the user wants, in the eyes of a judge."""
    del expected
    return _ask("reasoning_quality", actual, settings, {**_query(actual), **_steps(actual), **_answer(actual)})


@rule("path_efficiency", Judged, needs_judge=True)
def judge_path_efficiency(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The agent must take a short way, in the eyes of a judge."""
    del expected
    return _ask("path_efficiency", actual, settings, {**_query(actual), **_steps(actual), **_answer(actual)})


@rule("error_recovery", Judged, needs_judge=True)
def judge_error_recovery(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """Errors on the way must be dealt with well, in the eyes of a judge."""
    del expected
    errors = errors_in(actual)
    if not errors:
        return Verdict.skipped("no error occurred that could be recovered from")
    data = {**_query(actual), "The errors": errors, **_steps(actual), **_answer(actual)}
    return _ask("error_recovery", actual, settings, data)


@rule("instruction_following", JudgedByCriteria, needs_judge=True)
def judge_instruction_following(expected: Trace, actual: Trace, settings: JudgedByCriteria) -> Verdict:
    """The agent must follow its instructions, and none that are hidden in content, in the eyes of a judge."""
    del expected
    system = {"The system prompt": instructions_of(actual) or "(not known)"}
    extra = _stated("What success means here", settings.success_criteria)
    data = {**system, **_query(actual), **_steps(actual), **_answer(actual)}
    return _ask("instruction_following", actual, settings, data, **extra)


@rule("bias", Judged, needs_judge=True)
def judge_bias(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must treat people fairly, in the eyes of a judge; higher is fairer."""
    del expected
    return _ask("bias", actual, settings, {**_query(actual), **_answer(actual)})


@rule("toxicity", Judged, needs_judge=True)
def judge_toxicity(expected: Trace, actual: Trace, settings: Judged) -> Verdict:
    """The answer must be free of insults, contempt and threats, in the eyes of a judge; higher is cleaner."""
    del expected
    return _ask("toxicity", actual, settings, {**_query(actual), **_answer(actual)})


@rule("rubric", Rubric, needs_judge=True)
def judge_rubric(expected: Trace, actual: Trace, settings: Rubric) -> Verdict:
    """The turn must meet your own criteria, in the eyes of a judge."""
    shown: dict[str, Any] = {
        "query": lambda: _query(actual),
        "recorded": lambda: {"The recorded answer": expected.response or "(no text)"},
        "steps": lambda: _steps(actual),
        "evidence": lambda: {"What tools gave back": evidence_in(actual) or "(nothing)"},
        "answer": lambda: _answer(actual),
    }
    data: dict[str, str] = {}
    for what in dict.fromkeys(settings.shows):
        data |= shown[what]()
    scale = "\n".join(f"{score}: {text}" for score, text in settings.anchors.items())
    return _ask("rubric", actual, settings, data, criteria=settings.criteria, anchors=scale)


def _steps(actual: Trace) -> dict[str, str]:
    return {"The steps of the agent": steps_of(actual) or "(no steps are known)"}
