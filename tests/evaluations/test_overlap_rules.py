"""How much of the recorded answer is in today's."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluations.turns import turn, verdict
from trajectory.errors import EvaluationError
from trajectory.evaluations import Outcome
from trajectory.evaluations.overlap import _scorer, tokens

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
WORDS = st.lists(st.sampled_from(["a", "b", "c", "it", "is"]), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's 3.50 € a_b", ["it", "s", "3", "50", "a_b"]),
        ("Zürich, ΑΘΗΝΑ", ["zürich", "ΑΘΗΝΑ"]),
        ("東京は雨", ["東", "京", "は", "雨"]),
        ("서울 날씨", ["서울", "날씨"]),
        ("... !", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text, case_sensitive=False) == expected


@pytest.mark.parametrize(
    ("recorded", "today", "precision", "recall", "f1"),
    [
        ("the cat sat", "the cat sat", 1, 1, 1),
        ("the cat sat", "The CAT, sat!", 1, 1, 1),
        ("the cat sat", "the cat", 1, 2 / 3, 0.8),
        ("the cat", "the cat sat", 2 / 3, 1, 0.8),
        ("a a b", "a b b", 2 / 3, 2 / 3, 2 / 3),
        ("sat cat the", "the cat sat", 1, 1, 1),
        ("the cat", "a dog", 0, 0, 0),
        ("the cat", "", 0, 0, 0),
        ("the cat", None, 0, 0, 0),
    ],
)
def test_shares(recorded: str, today: str | None, precision: float, recall: float, f1: float) -> None:
    for measure, share in (("precision", precision), ("recall", recall), ("f1", f1)):
        found = verdict("token_overlap", turn(recorded), turn(today), measure=measure)
        assert found.score == pytest.approx(share)
        assert (found.outcome is P) == (share >= 0.8)


def test_the_reason_says_what_was_required() -> None:
    found = verdict("token_overlap", turn("the cat sat"), turn("the dog"), min=0.5)
    assert found.reason == "the f1 is 0.400, at least 0.5 required"
    assert found.evidence == ("precision 0.500, recall 0.333, f1 0.400",)


@pytest.mark.parametrize("rule", ["token_overlap", "rouge_l"])
@pytest.mark.parametrize("recorded", [None, "", "?!"])
def test_nothing_to_compare_with(rule: str, recorded: str | None) -> None:
    assert verdict(rule, turn(recorded), turn("x")).outcome is S


@given(WORDS, WORDS, st.sampled_from(["token_overlap", "rouge_l"]))
def test_laws(recorded: str, today: str, rule: str) -> None:
    if not recorded:
        return
    scores: dict[str, Any] = {
        measure: verdict(rule, turn(recorded), turn(today), measure=measure).score
        for measure in ("precision", "recall", "f1")
    }
    assert (
        min(scores["precision"], scores["recall"]) - 1e-9
        <= scores["f1"]
        <= max(scores["precision"], scores["recall"]) + 1e-9
    )
    assert verdict(rule, turn(recorded), turn(recorded)).score == 1
    if rule == "rouge_l":  # a common subsequence is no longer than what is shared in any order
        assert (
            scores["recall"]
            <= (verdict("token_overlap", turn(recorded), turn(today), measure="recall").score or 0) + 1e-9
        )


def test_the_order_of_words_counts_for_rouge() -> None:
    assert verdict("rouge_l", turn("the cat sat"), turn("sat cat the")).score == pytest.approx(1 / 3)
    assert verdict("rouge_l", turn("cats sitting"), turn("cat sits"), stemmer=True).score == 1


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    _scorer.cache_clear()
    with pytest.raises(EvaluationError, match=r"pip install 'pytest-trajectory\[rouge\]'"):
        verdict("rouge_l", turn("a b"), turn("a b"))
