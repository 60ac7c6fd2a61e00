"""Rules on how much of the recorded answer is in today's, without a model."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import StrictBool  # noqa: TC002 - pydantic reads it

from trajectory.errors import EvaluationError
from trajectory.evaluations.setting_types import Score  # noqa: TC001 - pydantic reads it
from trajectory.evaluations.verdicts import Verdict
from trajectory.matching.equality import fold
from trajectory.rules import RuleSettings, rule

if TYPE_CHECKING:
    from trajectory.conversation import Trace

_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN: Final = re.compile(rf"[{_IDEOGRAPHS}]|[^\W{_IDEOGRAPHS}]+")
"""A token is a run of letters, digits and underscores of any script; in Chinese and Japanese each character is one."""


class TokenOverlap(RuleSettings):
    """What can be set about `token_overlap`."""

    measure: Literal["precision", "recall", "f1"] = "f1"
    """Which share must be reached: of today's tokens, of the recorded ones, or the harmonic mean of both."""
    min: Score = 0.8
    """The lowest share that passes, from 0 to 1."""
    case_sensitive: StrictBool = False
    """Whether A-Z and a-z differ; no other letters fold."""


class RougeL(RuleSettings):
    """What can be set about `rouge_l`."""

    measure: Literal["precision", "recall", "f1"] = "f1"
    """Which share must be reached: of today's tokens, of the recorded ones, or the harmonic mean of both."""
    min: Score = 0.8
    """The lowest share that passes, from 0 to 1."""
    stemmer: StrictBool = False
    """Whether English words count by their stems."""


@rule("token_overlap", TokenOverlap, needs_recording=True)
def judge_token_overlap(expected: Trace, actual: Trace, settings: TokenOverlap) -> Verdict:
    """The answer must share enough words with the recorded one, each counted as often as it occurs."""
    recorded = tokens(expected.response or "", case_sensitive=settings.case_sensitive)
    if not recorded:
        return Verdict.skipped("no answer was recorded, or one without a word")
    today = tokens(actual.response or "", case_sensitive=settings.case_sensitive)
    shared = sum((Counter(recorded) & Counter(today)).values())
    return _verdict(_shares(shared / len(today) if today else 0.0, shared / len(recorded)), settings)


def tokens(text: str, *, case_sensitive: bool) -> list[str]:
    """Split a text into its words."""
    return _TOKEN.findall(text if case_sensitive else fold(text))


def _shares(precision: float, recall: float) -> dict[str, float]:
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


def _verdict(shares: dict[str, float], settings: TokenOverlap | RougeL) -> Verdict:
    score, line = shares[settings.measure], ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
    if score >= settings.min:
        return Verdict.passed(line, score=score)
    return Verdict.failed(
        f"the {settings.measure} is {score:.3f}, at least {settings.min:g} required", line, score=score
    )


@rule("rouge_l", RougeL, needs_recording=True)
def judge_rouge_l(expected: Trace, actual: Trace, settings: RougeL) -> Verdict:
    """The answer must share a long enough common subsequence of words with the recorded one (ROUGE-L)."""
    recorded = expected.response or ""
    if not re.search(r"[A-Za-z0-9]", recorded):  # the library knows no other tokens
        return Verdict.skipped("no answer was recorded, or one without a word that ROUGE counts (A-Z, a-z, 0-9)")
    found = _scorer(stemmer=settings.stemmer).score(recorded, actual.response or "")["rougeL"]
    shares = {"precision": found.precision, "recall": found.recall, "f1": found.fmeasure}
    return _verdict(shares, settings)


@lru_cache(maxsize=2)
def _scorer(*, stemmer: bool) -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - an extra, imported when it is used
    except ImportError:
        raise EvaluationError("rouge_l needs the package rouge-score: pip install 'pytest-trajectory[rouge]'") from None
    return RougeScorer(["rougeL"], use_stemmer=stemmer)
