"""What a judge says is read strictly: a verdict, or an error that shows what stood there."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.judges.reading import JudgeError, read_verdict


@pytest.mark.parametrize(
    ("text", "score", "reasoning"),
    [
        ('{"reasoning": "fine", "score": 0.85}', 0.85, "fine"),
        ('{"score": 1}', 1.0, ""),
        ('{"score": 0, "reasoning": ["a"]}', 0.0, '["a"]'),
        ('  {"score": 0.5, "reasoning": ""}\n', 0.5, ""),
        ('```json\n{"score": 0.5, "reasoning": "x"}\n```', 0.5, "x"),
        ('```\n{"score": 0.5}\n```\n', 0.5, ""),
    ],
)
def test_verdicts(text: str, score: float, reasoning: str) -> None:
    verdict = read_verdict(text)
    assert (verdict.score, verdict.reasoning) == (score, reasoning)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "gave no JSON object: an empty text"),
        ("0.9", "no object with a score"),
        ("I give it 0.9", "gave no JSON object: I give it 0.9"),
        ('{"score": "0.9"}', "score is the string"),
        ('{"score": true}', "score is true"),
        ('{"score": null}', "score is null"),
        ('{"score": NaN}', "not a number from 0 to 1"),
        ('{"score": 1.5}', "score 1.5 is out of range, expected 0 to 1"),
        ('{"score": -1}', "score -1 is out of range"),
        ('{"score": Infinity}', "out of range"),
        ('{"score": 85}', "score 85 is out of range"),
        ('{"reasoning": "x"}', "no object with a score"),
        ('{"score": 0.1, "score": 0.9}', "gave no JSON object"),
        ('{"score": 0.1} {"score": 0.9}', "gave no JSON object"),
        ('Here it is: {"score": 0.9}', "gave no JSON object"),
        ('[{"score": 0.9}]', "no object with a score"),
        ('{"score": 0.9', "gave no JSON object"),
        (None, "gave null, not a text"),
        (0.9, "not a text"),
        ("[" * 100_000, "gave no JSON object"),
        ('{"score": 1' + "0" * 400 + "}", "is out of range, expected 0 to 1"),
        ('{"score": 1' + "0" * 5000 + "}", "gave no JSON object"),
        ('{"score": 1e999}', "is out of range"),
    ],
)
def test_what_is_no_verdict(text: Any, message: str) -> None:
    with pytest.raises(JudgeError) as caught:
        read_verdict(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 500
