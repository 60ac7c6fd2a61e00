"""Calls that need an approval."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evaluations.turns import iteration, replayed, result, turn, verdict
from tests.sets import call
from trajectory.chosen_rules import read_rules
from trajectory.conversation import FunctionMessage, ToolCall
from trajectory.errors import EvaluationError
from trajectory.evaluations import Outcome

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
ASK, DELETE, PAY = call("ask_human"), call("delete_all"), call("pay")


def said(text: str, *calls: Any) -> Any:
    return turn("ok", calls, userMessage={"role": "user", "content": text})


@pytest.mark.parametrize(
    ("turns", "covers", "outcome"),
    [
        ([turn("a", [ASK, DELETE])], "call", P),
        ([turn("a", [DELETE, ASK])], "call", F),
        ([turn("a", [ASK]), turn("b", [DELETE])], "call", P),
        ([turn("a", [ASK, DELETE, DELETE])], "call", F),
        ([turn("a", [ASK, ASK, DELETE, DELETE])], "call", P),
        ([turn("a", [ASK, DELETE, DELETE])], "thread", P),
        ([turn("a", [PAY])], "call", S),
        ([turn("a", [DELETE])], "thread", F),
    ],
)
def test_approved_by_a_tool(turns: list[Any], covers: str, outcome: Outcome) -> None:
    found = verdict("approval", replayed(*turns), tools=["delete_*"], approved_by=["ask_*"], covers=covers)
    assert found.outcome is outcome


def test_the_evidence_names_each_call() -> None:
    found = verdict("approval", replayed(turn("a", [PAY]), turn("b", [PAY, DELETE])), tools=["*"], said="yes")
    assert found.reason == "3 calls without an approval before"
    assert found.evidence == ("turn 1, call 1: pay", "turn 2, call 1: pay", "turn 2, call 2: delete_all")


@pytest.mark.parametrize(
    ("turns", "outcome"),
    [
        ([said("Yes, delete", DELETE)], P),
        ([said("delete", DELETE)], F),
        ([said("Yes"), said("go on", DELETE)], P),
        ([said("Yes", DELETE, DELETE)], F),
        ([said("Yes", DELETE), said("Yes", DELETE)], P),
    ],
)
def test_approved_by_the_user(turns: list[Any], outcome: Outcome) -> None:
    assert verdict("approval", replayed(*turns), tools=["delete_all"], said=r"\bYes\b").outcome is outcome


@pytest.mark.parametrize(("content", "outcome"), [("approved", P), ("denied", F), ("", F)])
def test_the_result_must_say_so(content: str, outcome: Outcome) -> None:
    asks = {"role": "assistant", "content": None, "toolCalls": [ASK]}
    made = turn("a", [ASK, DELETE], iterations=[iteration(asks, result("ask_human", content))])
    found = verdict("approval", replayed(made), tools=["delete_all"], approved_by=["ask_human"], result="approved")
    assert found.outcome is outcome


@pytest.mark.parametrize("covers", ["call", "thread"])
def test_no_verdict_where_the_result_that_would_approve_was_not_kept(covers: str) -> None:
    stated: dict[str, Any] = {"tools": ["delete_*"], "approved_by": ["ask_*"], "result": "yes", "covers": covers}
    with pytest.raises(EvaluationError, match="were not recorded: turn 1, call 2: delete_all"):
        verdict("approval", replayed(turn("a", [ASK, DELETE])), **stated)
    assert verdict("approval", replayed(turn("a", [DELETE, ASK])), **stated).outcome is F
    assert verdict("approval", replayed(turn("a", [ASK])), **stated).outcome is S


@pytest.mark.parametrize(
    ("turns", "outcome"),
    [
        ([turn("Shall I delete it?"), said("yes", DELETE)], P),
        ([turn("Are you a member?"), said("yes", DELETE)], F),
        ([said("yes, delete it", DELETE)], F),
        ([turn("Shall I delete it?"), turn("a"), said("yes", DELETE)], F),
        ([turn("Shall I delete it?"), said("yes"), said("now", DELETE)], P),
        ([turn(None), said("yes", DELETE)], F),
    ],
)
def test_a_yes_counts_where_the_agent_asked(turns: list[Any], outcome: Outcome) -> None:
    found = verdict("approval", replayed(*turns), tools=["delete_all"], said="yes", asked=r"(?i)delete.*\?")
    assert found.outcome is outcome


def test_a_failed_approval_approves_nothing() -> None:
    failed = ToolCall(name="ask_human", result=FunctionMessage(name="ask_human", content="approved", error=True))
    made = turn("a").model_copy(update={"tool_calls": (failed, ToolCall(name="delete_all"))})
    assert verdict("approval", replayed(made), tools=["delete_all"], approved_by=["ask_human"]).outcome is F


@pytest.mark.parametrize(
    "stated",
    [
        {"tools": ["a"]},
        {"tools": [], "said": "x"},
        {"tools": ["a"], "said": "("},
        {"tools": ["a"], "said": "x", "result": "y"},
        {"tools": ["a"], "approved_by": ["x"], "asked": "y"},
    ],
)
def test_settings_that_cannot_be(stated: dict[str, Any]) -> None:
    assert len(read_rules([{"approval": stated}])[1]) == 1
