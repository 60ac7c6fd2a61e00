"""Read the verdict that a judge gives as text. What cannot be read is no verdict, never a guess."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from trajectory.errors import EvaluationError
from trajectory.json_values import describe, number_text, printable, shorten

REPLY: Final = (
    "Answer with one JSON object and nothing else: "
    '{"reasoning": "<at most three sentences>", "score": <a number from 0.0 to 1.0>}'
)
"""The words that ask for a verdict."""
_FENCED: Final = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_SHOWN: Final = 300


class JudgeError(EvaluationError):
    """A judge could not be reached, or gave nothing that is a verdict."""


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """What a judge said.

    Attributes:
        score: From 0 to 1.
        reasoning: Why, in the judge's words.
    """

    score: float
    reasoning: str


def read_verdict(text: object) -> JudgeVerdict:
    """Read a judge's answer: one JSON object with ``score`` and ``reasoning``, also inside of a code fence.

    Args:
        text: The answer.

    Returns:
        The verdict.

    Raises:
        JudgeError: It is anything else, or the score is no number from 0 to 1.
    """
    if not isinstance(text, str):
        raise JudgeError(f"the judge gave {describe(text)}, not a text")
    fenced = _FENCED.fullmatch(text)
    try:
        verdict = json.loads(fenced[1] if fenced else text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise JudgeError(f"the judge gave no JSON object: {_shown(text)}") from None
    if not isinstance(verdict, dict) or "score" not in verdict:
        raise JudgeError(f"the judge gave no object with a score: {_shown(text)}")
    score, reasoning = verdict["score"], verdict.get("reasoning", "")
    if isinstance(score, bool) or not isinstance(score, int | float) or _is_nan(score):
        raise JudgeError(f"the judge's score is {describe(score)}, not a number from 0 to 1: {_shown(text)}")
    if not 0 <= score <= 1:
        raise JudgeError(
            f"the judge's score {shorten(number_text(score))} is out of range, expected 0 to 1: {_shown(text)}"
        )
    return JudgeVerdict(float(score), reasoning if isinstance(reasoning, str) else json.dumps(reasoning))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _is_nan(number: float) -> bool:
    return isinstance(number, float) and math.isnan(number)  # an integer may be too large to be asked


def _shown(text: str) -> str:
    return shorten(printable(text.strip()), _SHOWN) or "an empty text"
