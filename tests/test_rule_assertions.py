"""Rules as functions for ordinary tests, on a thread and on a single query."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

import trajectory
from tests.sets import call, conversation
from trajectory import (
    ConfigurationError,
    EvaluationError,
    TrajectoryMismatch,
    Verdict,
    evaluate,
    evaluate_contains_match,
    evaluate_content_coverage,
    evaluate_content_safety,
    evaluate_exact_match,
    evaluate_length,
    evaluate_tool_trajectory,
    rule,
)
from trajectory.evaluations import Outcome
from trajectory.rules import BUILT_IN, find_rule

if TYPE_CHECKING:
    from trajectory import ConversationThread

pytestmark = pytest.mark.usefixtures("own_rules")


def agent(query: str) -> str:
    return f"answer to {query}"


def thread(*queries: str, **keys: Any) -> ConversationThread:
    return conversation("t", [(query, []) for query in queries], **keys)


# -------------------------------------------------------------------------------------------------- one function a rule


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_rule_has_its_function(name: str) -> None:
    function, found = getattr(trajectory, f"evaluate_{name}"), find_rule(name)
    assert found is not None
    assert f"evaluate_{name}" in trajectory.__all__
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["agent", "thread"]
    assert set(found.settings.model_fields) <= set(parameters)
    assert all(key in (function.__doc__ or "") for key in found.settings.model_fields)


def test_a_thread_that_passes_gives_its_result() -> None:
    result = evaluate_exact_match(agent, thread("a", "b"))
    assert result.outcome is Outcome.PASSED
    assert result.rules == ("exact_match",)


def test_a_breach_is_a_failing_assertion() -> None:
    with pytest.raises(TrajectoryMismatch, match=r"length breached in turns 1, 2 of 2") as raised:
        evaluate_length(agent, thread("a", "b"), max=3)
    assert "length: the answer has 11 characters, not 1 to 3" in str(raised.value)


def test_settings_reach_the_rule() -> None:
    evaluate_content_safety(agent, thread("a"), prohibited=["ANSWER"], case_sensitive=True)
    with pytest.raises(TrajectoryMismatch):
        evaluate_content_safety(agent, thread("a"), prohibited=["ANSWER"])


def test_a_dead_agent_is_no_breach() -> None:
    def dead(query: str) -> str:
        raise OSError(query)

    with pytest.raises(EvaluationError, match="the agent raised OSError: a") as raised:
        evaluate_length(dead, thread("a"))
    assert isinstance(raised.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"mx": 3},
            r"^evaluate_length/mx: expected a settings key, found the unknown key 'mx' \(did you mean 'max'\?\)$",
        ),
        ({"min": 3, "max": 2}, "^evaluate_length: expected min to be at most max"),
        ({"max": "3"}, "^evaluate_length/max: expected a whole number"),
        ({"turn_timeout": -1}, "^evaluate_length/turn_timeout: expected a number greater than or equal to 0"),
    ],
)
def test_a_wrong_setting_is_refused_before_the_agent_is_called(settings: dict[str, Any], message: str) -> None:
    asked: list[str] = []
    with pytest.raises(ConfigurationError, match=message):
        evaluate_length(asked.append, thread("a"), **settings)
    assert asked == []


def test_a_setting_without_a_default_is_asked_for() -> None:
    with pytest.raises(ConfigurationError, match="expected the setting 'required', which has no default"):
        evaluate_content_coverage(agent, thread("a"))


def test_the_rules_that_the_thread_states_do_not_replace_that_of_the_function() -> None:
    stated = thread("a", evaluation={"rules": [{"length": {"max": 1}}]})
    assert evaluate_exact_match(agent, stated).rules == ("exact_match",)
    assert evaluate_tool_trajectory(agent, stated).rules == ("tool_trajectory",)


# ------------------------------------------------------------------------------------------------------- single queries


def test_a_query_is_put_to_a_fresh_session() -> None:
    sessions = []

    def remembering(query: str, session_id: str) -> str:
        sessions.append(session_id)
        return query

    for _ in range(2):
        evaluate_length(remembering, "hello", max=5)
    assert len(set(sessions)) == 2
    with pytest.raises(TrajectoryMismatch, match="length breached in turn 1 of 1"):
        evaluate_length(remembering, "hello", max=4)


@pytest.mark.parametrize("function", [evaluate_exact_match, evaluate_contains_match])
def test_what_compares_with_a_recording_takes_no_query(function: Any) -> None:
    with pytest.raises(ConfigurationError, match="compares with a recording, and a lone query has none"):
        function(agent, "hello")


@pytest.mark.parametrize("given", ["", "  ", None, 3, ["hello"]])
def test_what_is_neither_a_thread_nor_a_query(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="evaluate_length: expected a ConversationThread or a query, found "):
        evaluate_length(agent, given)


# --------------------------------------------------------------------------------------------------- asserting on rules


def test_many_rules_look_at_one_replay() -> None:
    asked = []

    def once(query: str) -> str:
        asked.append(query)
        return query

    assessed = evaluate(once, "hello", "length:max=9", {"content_safety": {"prohibited": ["bye"]}}, "no_loops")
    assert assessed.passes() is assessed
    assert asked == ["hello"]
    assert [result.rule for result in assessed.results()] == ["length", "content_safety", "no_loops"]


def test_without_rules_those_in_force_count() -> None:
    stated = thread("a", evaluation={"rules": [{"length": {"max": 1}}]})
    with pytest.raises(TrajectoryMismatch, match="length breached"):
        evaluate(agent, stated).passes()
    assert [result.rule for result in evaluate(agent, thread("a")).results()] == ["tool_trajectory"]
    with pytest.raises(ConfigurationError, match="evaluate: the rule tool_trajectory compares with a recording"):
        evaluate(agent, "hello")


def test_a_rule_that_is_breached_in_one_turn_is_breached() -> None:
    result = evaluate(agent, thread("a", "longer"), "length:max=11").results()[0]
    assert (result.outcome, result.score) == (Outcome.FAILED, 0.0)
    assert [given.verdict.outcome for given in result.verdicts] == [Outcome.PASSED, Outcome.FAILED]


HALF = {"content_coverage": {"required": ["answer", "goodbye"]}}


@pytest.mark.parametrize(("threshold", "passes"), [(0, True), (0.5, True), (0.51, False), (1, False)])
def test_a_threshold_lets_the_scores_decide(threshold: float, passes: bool) -> None:  # noqa: FBT001 - drawn
    assessed = evaluate(agent, "hello", HALF).with_threshold(threshold)
    right, wrong = (assessed.passes, assessed.fails) if passes else (assessed.fails, assessed.passes)
    right()
    with pytest.raises(TrajectoryMismatch):
        wrong()


def test_a_threshold_says_what_is_below_it() -> None:
    with pytest.raises(TrajectoryMismatch, match=r"^content coverage: the score 0.5 is below 0.7\n") as raised:
        evaluate(agent, "hello", HALF, "length").with_threshold(0.7).passes()
    assert '1 of 2 required texts missing: "goodbye"' in str(raised.value)


def test_a_rule_without_scores_is_all_or_nothing() -> None:
    assessed = evaluate(agent, "hello", {"content_safety": {"prohibited": ["answer", "a", "b"]}})
    with pytest.raises(TrajectoryMismatch):
        assessed.with_threshold(0.1).passes()
    assessed.with_threshold(0.1).fails()


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), True, "0.5", None])
def test_a_threshold_that_is_none(threshold: Any) -> None:
    with pytest.raises(ConfigurationError, match="threshold: expected a number from 0 to 1, found "):
        evaluate(agent, "hello", "length").with_threshold(threshold)


def test_fails_wants_every_rule_breached() -> None:
    evaluate(agent, "hello", "length:max=1", HALF).fails()
    with pytest.raises(TrajectoryMismatch, match=r"to be breached, and these were not: length \(score 1\)"):
        evaluate(agent, "hello", "length", HALF).fails()


@pytest.mark.parametrize("threshold", [None, 0, 0.5])
@pytest.mark.parametrize("asserts", ["passes", "fails"])
def test_without_a_verdict_nothing_passes_and_nothing_fails(asserts: str, threshold: float | None) -> None:
    rule("odd")(lambda *_: None)
    rule("idle")(lambda *_: Verdict.skipped("nothing here"))
    for rules in (("odd",), ("length:max=1", "odd"), ("idle",)):
        assessed = evaluate(agent, "hello", *rules)
        assessed = assessed if threshold is None else assessed.with_threshold(threshold)
        with pytest.raises(EvaluationError):
            getattr(assessed, asserts)()


def test_surplus_turns_of_a_recording_pass_no_threshold() -> None:
    from trajectory.replay import RecordedRun

    assessed = evaluate(RecordedRun([thread("a", "b")]), thread("a"), "length")
    for asserted in (assessed, assessed.with_threshold(0)):
        with pytest.raises(TrajectoryMismatch, match="1 recorded turn too many"):
            asserted.passes()


def test_the_trajectory_may_be_one_of_many() -> None:
    calls = [call("f", a=1)]
    with pytest.raises(TrajectoryMismatch, match="tool trajectory breached in turn 1 of 1; length breached"):
        evaluate(agent, conversation("t", [("a", calls)]), "tool_trajectory", "length:max=1").passes()
