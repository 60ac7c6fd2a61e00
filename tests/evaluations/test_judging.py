"""A thread is replayed once; every rule looks at that replay, and all that they have to say is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import call, conversation
from trajectory.errors import EvaluationError
from trajectory.evaluations import Outcome, ThreadResult, Verdict, judge
from trajectory.replay import as_agent, replay
from trajectory.report import explain_thread, headline
from trajectory.rules import rule
from trajectory.settings import THREAD_KEYS, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable

F = call("f", a=1)


pytestmark = pytest.mark.usefixtures("own_rules")


def judged(turns: Any, agent: Callable[[str], Any], *stated: Any) -> ThreadResult:
    settings = read_settings({"rules": list(stated)}, keys=THREAD_KEYS, source="")
    return judge(replay(as_agent(agent), conversation("t", turns), turn_timeout=0), settings)


def echo(query: str) -> dict[str, Any]:
    return {"output": f"answer to {query}", "tool_calls": []}


def test_all_rules_look_at_one_replay() -> None:
    asked = []

    def agent(query: str) -> dict[str, Any]:
        asked.append(query)
        return echo(query)

    result = judged([("a", []), ("b", [])], agent, "tool_trajectory", "exact_match", "length")
    assert result.outcome is Outcome.PASSED
    assert asked == ["a", "b"]
    assert [[given.rule for given in turn.verdicts] for turn in result.turns] == [
        ["tool_trajectory", "exact_match", "length"]
    ] * 2


def test_all_breaches_are_kept_and_told() -> None:
    coverage = {"content_coverage": {"required": ["goodbye"]}}
    result = judged([("a", [F]), ("b", [])], echo, "tool_trajectory", {"length": {"max": 3}}, "exact_match", coverage)
    assert result.outcome is Outcome.FAILED
    assert headline(result) == (
        "tool trajectory breached in turn 1 of 2; length breached in turns 1, 2 of 2; content coverage breached"
    )
    assert explain_thread(result).splitlines()[2:] == [
        "",
        "turn 1 of 2 (trace turn-1)",
        "user: a",
        "tool trajectory: the tool calls differ",
        *result.turns[0].match.explain().splitlines(),  # type: ignore[union-attr]  # there is one
        "length: the answer has 11 characters, not 1 to 3",
        "note: the agent returned no tool calls; calls are seen only when it returns a",
        "      Trace, messages, or tool_calls",
        "",
        "turn 2 of 2 (trace turn-2)",
        "user: b",
        "length: the answer has 11 characters, not 1 to 3",
        "",
        "the whole thread",
        'content coverage: 1 of 1 required text missing: "goodbye" (score 0)',
    ]


def test_a_dead_agent_gets_no_verdict_from_any_rule() -> None:
    def agent(query: str) -> Any:
        raise OSError("gone")

    result = judged([("a", []), ("b", [])], agent, "length", {"content_safety": {"prohibited": ["x"]}}, "no_loops")
    assert result.outcome is Outcome.ERROR
    assert result.all_verdicts == ()
    assert headline(result) == "no verdict: turn 1 of 2: the agent raised OSError: gone"


def test_rules_on_a_thread_wait_until_all_of_it_was_played() -> None:
    def agent(query: str) -> Any:
        return echo(query) if query == "a" else None

    result = judged([("a", []), ("b", [])], agent, {"content_coverage": {"required": ["answer"]}})
    assert result.outcome is Outcome.ERROR
    assert result.verdicts == ()


def test_a_rule_on_the_thread_alone_decides() -> None:
    for required, outcome in (("answer", Outcome.PASSED), ("goodbye", Outcome.FAILED)):
        result = judged([("a", [])], echo, {"content_coverage": {"required": [required]}})
        assert result.outcome is outcome
        assert result.turns[0].outcome is Outcome.SKIPPED
        assert not result.nothing_to_check


def test_a_thread_without_turns_is_skipped() -> None:
    result = judged([], echo, {"forbidden_tools": {"tools": ["x"]}}, {"call_counts": {"tools": {"x": {"max": 1}}}})
    assert result.outcome is Outcome.SKIPPED
    assert headline(result) == "nothing to evaluate: the thread has no traces"


def test_a_thread_that_every_rule_skips_says_why() -> None:
    result = judged([("a", [])], echo, "valid_arguments", "known_tools")
    assert result.outcome is Outcome.SKIPPED
    assert headline(result) == (
        "nothing to evaluate: valid arguments: no tool was called; known tools: no tool was called"
    )


def test_what_one_rule_skips_another_may_judge() -> None:
    assert judged([("a", [])], echo, "valid_arguments", "length").outcome is Outcome.PASSED


def test_a_vacuous_trajectory_beside_another_verdict_is_something_to_check() -> None:
    def result(*stated: str) -> ThreadResult:
        settings = read_settings({"rules": list(stated), "match_mode": "SUPERSET"}, keys=THREAD_KEYS, source="")
        return judge(replay(as_agent(echo), conversation("t", [("a", [])]), turn_timeout=0), settings)

    assert result("tool_trajectory").nothing_to_check
    assert result("tool_trajectory", "valid_arguments").nothing_to_check
    assert not result("tool_trajectory", "length").nothing_to_check


# ------------------------------------------------------------------------------------------------- rules that go wrong


async def coroutine() -> None: ...


def raises(problem: BaseException) -> Any:
    raise problem


class Unprintable(Exception):  # noqa: N818 - what it is
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("judges", "reason"),
    [
        (lambda: None, "the rule returned None, which is no verdict"),
        (lambda: True, "the rule returned true, which is no verdict"),
        (lambda: 0.9, "the rule returned the number 0.9, which is no verdict"),
        (lambda: Outcome.PASSED, 'the rule returned the string "passed", which is no verdict'),
        (object, "the rule returned a object, which is no verdict"),
        (lambda: Verdict, "the rule returned a type, which is no verdict"),
        (coroutine, "the rule returned a coroutine, which is no verdict"),
        (lambda: 1 / 0, "the rule raised ZeroDivisionError: division by zero"),
        (lambda: raises(AssertionError("no")), "the rule raised AssertionError: no"),
        (lambda: raises(SystemExit(0)), "the rule raised SystemExit: 0"),
        (lambda: raises(Unprintable()), "the rule raised "),
        (lambda: raises(EvaluationError("the judge is away")), "the judge is away"),
        (lambda: Verdict.passed(score=1.5), "the rule raised ValueError: the score 1.5 is not in [0, 1]"),
        (lambda: Verdict.passed(score=float("nan")), "the rule raised ValueError: the score nan is not in [0, 1]"),
        (lambda: Verdict(1), "the rule raised ValueError: 1 is not a valid Outcome"),  # type: ignore[arg-type]
        (lambda: Verdict.failed(""), "the rule raised ValueError: a verdict that is failed needs a reason"),
    ],
)
@pytest.mark.parametrize("whole_thread", [False, True])
def test_a_rule_that_goes_wrong_gives_no_verdict(judges: Callable[[], Any], reason: str, *, whole_thread: bool) -> None:
    rule("odd", whole_thread=whole_thread)(lambda *_: judges())
    result = judged([("a", [])], echo, "length", "odd")
    assert result.outcome is Outcome.ERROR
    found = next(given for given in result.all_verdicts if given.rule == "odd")
    assert found.verdict.reason.startswith(reason)
    assert headline(result).startswith(f"no verdict: {'' if whole_thread else 'turn 1 of 1: '}odd: {reason}")
    assert f"odd: no verdict: {reason}"[:60] in explain_thread(result)


def test_an_outcome_by_its_name_is_one() -> None:
    rule("odd")(lambda *_: Verdict("failed", "no"))  # type: ignore[arg-type]  # what people write
    assert headline(judged([("a", [])], echo, "odd")) == "odd breached in turn 1 of 1"


def test_what_a_rule_raised_is_kept() -> None:
    problem = ValueError("x")
    rule("odd")(lambda *_: raises(problem))
    assert judged([("a", [])], echo, "odd").exception is problem


def test_a_rule_cannot_stop_the_keyboard() -> None:
    rule("odd")(lambda *_: raises(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        judged([("a", [])], echo, "odd")


def test_breaches_are_told_beside_a_missing_verdict() -> None:
    rule("odd")(lambda *_: None)
    text = explain_thread(judged([("a", [])], echo, {"length": {"max": 1}}, "odd"))
    assert "length: the answer has 11 characters, not 1 to 1" in text
    assert "odd: no verdict: the rule returned None" in text


def test_much_evidence_is_cut() -> None:
    rule("odd")(lambda *_: Verdict.failed("many", *(f"line {number}\x1b" for number in range(30)), score=0.25))
    lines = explain_thread(judged([("a", [])], echo, "odd")).splitlines()
    assert lines[-1] == "  ... and 10 more lines"
    assert "odd: many (score 0.25)" in lines
    assert all(line.isprintable() for line in lines)
