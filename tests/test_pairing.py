"""Which result belongs to which call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    Iteration,
    Message,
    ToolCall,
    Trace,
    UserMessage,
)
from trajectory.pairing import pair_results

NOW = (0, 0.0)


def call(name: str, named: str | None = None) -> ToolCall:
    return ToolCall(name=name, id=named)


def asks(*calls: ToolCall) -> AssistantMessage:
    return AssistantMessage(tool_calls=calls)


def gives(content: str, named: str | None = None, name: str = "") -> FunctionMessage:
    return FunctionMessage(name=name, id=named, content=content)


def contents(calls: tuple[ToolCall, ...]) -> list[str | None]:
    return [None if made.result is None else made.result.content for made in calls]


A1, A2, B1 = call("a", "1"), call("a", "2"), call("b", "1")
A, B = call("a"), call("b")


@pytest.mark.parametrize(
    ("calls", "said", "expected", "left"),
    [
        ([A1, A2], [asks(A1, A2), gives("x", "2"), gives("y", "1")], ["y", "x"], 0),
        ([A1, A1], [asks(A1), gives("x", "1"), asks(A1), gives("y", "1")], ["x", "y"], 0),
        ([A1, A1], [asks(A1), asks(A1), gives("x", "1")], [None, "x"], 0),
        ([A, B], [asks(A, B), gives("x", name="b"), gives("y", name="a")], ["y", "x"], 0),
        ([A, A], [asks(A, A), gives("x", name="a"), gives("y", name="a")], ["x", "y"], 0),
        ([A, B], [asks(A, B), gives("x"), gives("y")], ["x", "y"], 0),
        ([A1], [asks(A1), gives("x", name="a")], ["x"], 0),
        ([A], [asks(A), gives("x", "1", "a")], ["x"], 0),
        ([A1], [asks(A1), gives("x", "7", "a")], [None], 1),
        ([A], [asks(A), gives("x", name="b")], [None], 1),
        ([A1], [asks(A1), gives("x", "1"), gives("y", "1")], ["x"], 1),
        ([A1], [gives("x", "1")], ["x"], 0),
        ([A1, B], [asks(A1, B), gives("x", name="a"), gives("y", "1")], ["x", "y"], 0),
        ([A1], [asks(A1)], [None], 0),
        ([], [gives("x")], [], 1),
    ],
)
def test_pairing(calls: list[ToolCall], said: list[Any], expected: list[str | None], left: int) -> None:
    pairing = pair_results(calls, said)
    assert contents(pairing.calls) == expected
    assert len(pairing.unpaired) == left


def test_a_call_that_has_its_result_keeps_it() -> None:
    own = A1.model_copy(update={"result": gives("own")})
    pairing = pair_results([own, A2], [asks(own, A2), gives("x", "1"), gives("y", "2")])
    assert contents(pairing.calls) == ["own", "y"]
    assert not pairing.unpaired


@given(
    st.lists(st.sampled_from([A, B, A1, A2, B1, gives("x"), gives("x", "1"), gives("x", "2"), gives("x", name="a")]))
)
def test_every_result_goes_to_one_call_or_is_left(events: list[ToolCall | FunctionMessage]) -> None:
    calls = [event for event in events if isinstance(event, ToolCall)]
    results = [event for event in events if isinstance(event, FunctionMessage)]
    said = [asks(event) if isinstance(event, ToolCall) else event for event in events]
    pairing = pair_results(calls, said)
    assert list(pairing.calls) == calls
    assert len(results) == len(pairing.unpaired) + sum(made.result is not None for made in pairing.calls)


def trace(*iterations: Iteration, calls: tuple[ToolCall, ...] | None = None) -> Trace:
    return Trace(
        id="t",
        user_message=UserMessage(content="q"),
        iterations=iterations,
        output=AssistantMessage(content="r"),
        tools=(),
        tool_calls=calls,
        start_time=NOW,
        end_time=NOW,
    )


def iteration(*output: AssistantMessage | FunctionMessage, history: tuple[Message, ...] = ()) -> Iteration:
    return Iteration(history=history, output=output, start_time=NOW, end_time=NOW)


def test_the_calls_of_a_trace_have_their_results() -> None:
    shown = trace(iteration(asks(A1), gives("x", "1")), iteration(asks(A2), gives("y", "2")))
    assert contents(shown.trajectory) == ["x", "y"]


def test_listed_calls_take_the_results_that_the_iterations_show() -> None:
    assert contents(trace(iteration(asks(A1), gives("x", "1")), calls=(A1,)).trajectory) == ["x"]


def test_results_that_only_the_last_history_shows() -> None:
    user = UserMessage(content="q")
    before = (UserMessage(content="old"), asks(A1), gives("old", "1"), user)
    shown = trace(
        iteration(asks(A1), history=before), iteration(asks(A2), history=(*before, asks(A1), gives("x", "1")))
    )
    assert contents(shown.trajectory) == ["x", None]


def test_the_results_of_earlier_turns_belong_to_no_call_of_this_one() -> None:
    before = (asks(A1), gives("old", "1"), UserMessage(content="q"))
    assert contents(trace(iteration(asks(A1), history=before)).trajectory) == [None]
    assert not trace(iteration(history=before)).pairing.unpaired


def test_what_came_back_is_no_part_of_what_was_asked() -> None:
    assert A1.model_copy(update={"result": gives("x"), "agent": "other"}) == A1
    assert A1 != A2
    assert A1 != "a"


def test_a_copy_with_other_calls_has_other_pairs() -> None:
    shown = trace(iteration(asks(A1), gives("x", "1")))
    assert contents(shown.trajectory) == ["x"]
    assert shown.model_copy(update={"tool_calls": ()}).trajectory == ()
    assert contents(shown.model_copy(update={"iterations": (iteration(asks(A1)),)}).trajectory) == [None]
    assert shown == trace(iteration(asks(A1), gives("x", "1")))
    assert "_pairing" not in shown.model_dump()
    assert "_pairing" not in dict(shown)
