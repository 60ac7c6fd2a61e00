"""Rules on what the agent answers, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluations.turns import failed_turn, replayed, turn, verdict
from trajectory.evaluations import Outcome

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


@pytest.mark.parametrize(
    ("recorded", "today", "settings", "outcome"),
    [
        ("Done.", "Done.", {}, P),
        ("Done.", "done.", {}, F),
        ("Done.", "done.", {"case_sensitive": False}, P),
        ("É", "é", {"case_sensitive": False}, F),
        ("İ", "i", {"case_sensitive": False}, F),
        ("ß", "SS", {"case_sensitive": False}, F),
        ("\u212a", "k", {"case_sensitive": False}, F),  # the Kelvin sign
        ("e\u0301", "\u00e9", {}, F),
        ("Done.", " \t\n\v\f\rDone. ", {}, P),
        ("Done.", " Done.", {"strip_whitespace": False}, F),
        ("Done.", "\u00a0Done.", {}, F),
        ("", "", {}, P),
        ("", " ", {}, P),
        ("", None, {}, P),
        ("x", None, {}, F),
        (None, "", {}, S),
        (None, "x", {}, S),
    ],
)
def test_exact_match(recorded: str | None, today: str | None, settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict("exact_match", turn(recorded), turn(today), **settings).outcome is outcome


def test_exact_match_shows_the_first_difference() -> None:
    found = verdict("exact_match", turn("x" * 50 + "yes" + "z" * 50), turn("x" * 50 + "no"))
    assert found.reason == "the answer differs from character 51 on (103 characters recorded, 52 today)"
    assert found.evidence[0].startswith('recorded ..."' + "x" * 20 + "yes")
    assert found.evidence[1] == 'today    ..."' + "x" * 20 + 'no"'


def test_exact_match_where_one_answer_begins_the_other() -> None:
    assert "from character 4 on" in verdict("exact_match", turn("abc"), turn("abcd")).reason


@pytest.mark.parametrize("rule", ["exact_match", "contains_match"])
def test_a_turn_that_was_recorded_as_an_error_has_no_answer_to_compare_with(rule: str) -> None:
    assert verdict(rule, failed_turn(), turn("x")).outcome is S


@pytest.mark.parametrize(
    ("recorded", "today", "settings", "outcome"),
    [
        ("42", "It is 42.", {}, P),
        ("It is 42.", "42", {}, F),
        ("DONE", "all done", {}, P),
        ("DONE", "all done", {"case_sensitive": True}, F),
        ("É", "é", {}, F),
        (" 42", "42", {}, F),
        ("x", None, {}, F),
        ("", "anything", {}, S),
        (None, "anything", {}, S),
    ],
)
def test_contains_match(recorded: str | None, today: str | None, settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict("contains_match", turn(recorded), turn(today), **settings).outcome is outcome


@pytest.mark.parametrize(
    ("today", "settings", "outcome"),
    [
        ("all good", {}, P),
        ("your PassWord is", {}, F),
        ("your PassWord is", {"case_sensitive": True}, P),
        ("passwords", {}, F),
        ("", {}, P),
        (None, {}, P),
    ],
)
def test_content_safety(today: str | None, settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict("content_safety", turn(), turn(today), prohibited=["password"], **settings).outcome is outcome


def test_content_safety_names_every_text_as_it_was_written() -> None:
    found = verdict("content_safety", turn(), turn("a secret password"), prohibited=["SECRET", "x", "Password"])
    assert found.reason == '2 prohibited texts in the answer: "SECRET", "Password"'


@pytest.mark.parametrize(
    ("answers", "required", "settings", "outcome", "score"),
    [
        (["one", "two"], ["one", "two"], {}, P, 1.0),
        (["one", "two"], ["ONE"], {}, P, 1.0),
        (["one", "two"], ["ONE"], {"case_sensitive": True}, F, 0.0),
        (["one", None], ["one", "two"], {}, F, 0.5),
        (["one", "two"], ["onetwo"], {}, F, 0.0),
        (["one", "two"], ["one\ntwo"], {}, P, 1.0),
        ([None], ["x"], {}, F, 0.0),
    ],
)
def test_content_coverage(
    answers: list[str | None], required: list[str], settings: dict[str, Any], outcome: Outcome, score: float
) -> None:
    found = verdict("content_coverage", replayed(*map(turn, answers)), required=required, **settings)
    assert (found.outcome, found.score) == (outcome, score)


def test_content_coverage_names_what_is_missing() -> None:
    found = verdict("content_coverage", replayed(turn("one")), required=["One", "Two"])
    assert found.reason == '1 of 2 required texts missing: "Two"'


@pytest.mark.parametrize(
    ("answer", "settings", "outcome"),
    [
        ("x", {}, P),
        ("", {}, F),
        (None, {}, F),
        ("", {"min": 0}, P),
        ("x" * 10_000, {}, P),
        ("x" * 10_001, {}, F),
        ("abc", {"min": 3, "max": 3}, P),
        ("ab", {"min": 3, "max": 3}, F),
        ("abcd", {"min": 3, "max": 3}, F),
        ("👍🏽", {"max": 2}, P),  # two code points
    ],
)
def test_length(answer: str | None, settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict("length", turn(), turn(answer), **settings).outcome is outcome


def test_length_says_how_long_it_is() -> None:
    assert verdict("length", turn(), turn("x"), min=2, max=3).reason == "the answer has 1 character, not 2 to 3"


@pytest.mark.parametrize(
    ("answer", "settings", "outcome"),
    [
        ("order 42 shipped", {}, P),
        ("order shipped", {}, F),
        ("order 42 shipped", {"full": True}, F),
        ("42", {"full": True}, P),
        (None, {}, F),
    ],
)
def test_regex_match(answer: str | None, settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict("regex_match", turn(), turn(answer), pattern=r"\d+", **settings).outcome is outcome


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        ('{"total": 3}', P, ""),
        (' {"total": 3.0} ', P, ""),
        ('{"total": "3"}', F, 'the answer is not valid by the schema: breaks {"type": "integer"} at /total'),
        ("{}", F, 'the answer is not valid by the schema: breaks {"required": ["total"]}'),
        ("three", F, "the answer is not JSON: "),
        ("", F, "the answer is not JSON: "),
        (None, F, "the answer is not JSON: "),
        ('{"total": NaN}', F, "the answer is not JSON: NaN is not a JSON number"),
        ('```json\n{"total": 3}\n```', F, "the answer is not JSON: "),
        ("[" * 5000, F, "the answer is not JSON: "),
    ],
)
def test_response_schema(answer: str | None, outcome: Outcome, reason: str) -> None:
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}
    found = verdict("response_schema", turn(), turn(answer), json_schema=schema)
    assert found.outcome is outcome
    assert found.reason.startswith(reason)


# ---------------------------------------------------------------------------------------------------------------- laws

TEXTS = st.text(alphabet="aAbBéÉ ß\t\u00a0", max_size=6)


@given(TEXTS, TEXTS)
def test_case_insensitive_passes_whatever_case_sensitive_passes(recorded: str, today: str) -> None:
    for rule in ("exact_match", "contains_match"):
        strict = verdict(rule, turn(recorded), turn(today), case_sensitive=True).outcome
        assert strict is not P or verdict(rule, turn(recorded), turn(today), case_sensitive=False).outcome is P


@given(TEXTS.filter(bool), TEXTS)
def test_an_exact_answer_contains_the_recorded_one(recorded: str, today: str) -> None:
    exact = verdict("exact_match", turn(recorded), turn(today), strip_whitespace=False).outcome
    assert exact is not P or verdict("contains_match", turn(recorded), turn(today)).outcome is P


@given(TEXTS.filter(bool), TEXTS)
def test_a_text_is_either_prohibited_and_found_or_required_and_missing(text: str, answer: str) -> None:
    safe = verdict("content_safety", turn(), turn(answer), prohibited=[text]).outcome
    covered = verdict("content_coverage", replayed(turn(answer)), required=[text]).outcome
    assert {safe, covered} == {P, F}
