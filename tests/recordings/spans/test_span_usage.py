"""What is read from spans: tokens, money, models, and which agent called."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recordings.spans.making import (
    LONDON,
    PARIS,
    agent,
    assistant,
    chat,
    only_turn,
    ran,
    span,
    threads,
    tool,
    user,
)
from trajectory.conversation import Usage
from trajectory.recordings.spans import langsmith_spans, read_spans

TOOK = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10}
MODEL = {"gen_ai.response.model": "m-1"}


YES = (assistant("yes"),)


def request(name: str = "a", at: float = 1, *, said: Any = YES, **more: Any) -> Any:
    return chat(name, at, [user("hi")], said and list(said), **more)


def usage(*attributes: dict[str, Any]) -> Usage | None:
    return only_turn(*(request(f"{at}", at, attributes=one) for at, one in enumerate(attributes))).usage


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (TOOK, Usage(100, 10)),
        ({"gen_ai.usage.prompt_tokens": 7, "gen_ai.usage.completion_tokens": 1}, Usage(7, 1)),
        ({"llm.token_count.prompt": 7, "llm.token_count.completion": 1, "llm.cost.total": 0.5}, Usage(7, 1, None, 0.5)),
        ({**TOOK, "gen_ai.usage.prompt_tokens": 100}, Usage(100, 10)),
        ({**TOOK, "operation.cost": 1}, Usage(100, 10, None, 1.0)),
        ({**TOOK, "gen_ai.usage.cache_read.input_tokens": 90}, Usage(100, 10, 90)),
        ({**TOOK, "gen_ai.usage.cache_read_input_tokens": 0}, Usage(100, 10, 0)),
        ({**TOOK, "llm.token_count.prompt_details.cache_read": 300}, Usage(400, 10, 300)),
    ],
)
def test_what_a_request_took(attributes: dict[str, Any], expected: Usage) -> None:
    assert usage(attributes) == Usage.total([expected])


@pytest.mark.parametrize("wrong", ["100", True, -1, None, [], float("nan"), 10**400])
def test_what_is_no_number_of_tokens_is_not_known(wrong: object) -> None:
    assert usage({"gen_ai.usage.input_tokens": wrong, "operation.cost": wrong}) is None
    found = usage({"gen_ai.usage.input_tokens": wrong, "gen_ai.usage.output_tokens": 3})
    assert found == Usage(None, 3, tokens_complete=False, cost_complete=False)


def test_requests_are_summed_up() -> None:
    assert usage(TOOK, TOOK) == Usage(200, 20, cost_complete=False)
    assert usage(TOOK, {}) == Usage(100, 10, tokens_complete=False, cost_complete=False)
    assert usage({}, {}) is None


def test_agents_repeat_what_their_requests_took() -> None:
    spans = [agent("run", 0, 9, attributes=TOOK), request(attributes=TOOK, parent="run")]
    assert only_turn(*spans).usage == Usage(100, 10, cost_complete=False)
    assert only_turn(agent("run", 0, 9, attributes=TOOK), tool("t", 2, parent="run")).usage is None


def test_what_a_sub_agent_took_counts() -> None:
    spans = [
        request(said=[assistant(PARIS)], attributes=TOOK | MODEL),
        tool("run", 2, 3, attributes=ran(PARIS, "rain")),
        request("inner", 2.1, parent="run", attributes=TOOK | {"gen_ai.response.model": "m-2"}),
    ]
    trace = only_turn(*spans)
    assert (trace.usage, trace.models) == (Usage(200, 20, cost_complete=False), ("m-1", "m-2"))


@pytest.mark.parametrize("inner_said", [None, YES])
@pytest.mark.parametrize("outer_said", [None, YES])
def test_a_request_that_was_recorded_three_times_counts_once(inner_said: Any, outer_said: Any) -> None:
    cached = {"gen_ai.usage.cache_read.input_tokens": 5, "operation.cost": 0.25}
    spans = [
        request("outer", 1, said=outer_said, attributes=TOOK | {"gen_ai.request.model": "m"}),
        request("middle", 1.1, said=None, attributes=TOOK, parent="outer"),
        request("inner", 1.2, said=inner_said, attributes=TOOK | cached | MODEL, parent="middle"),
    ]
    trace = only_turn(*spans)
    assert (trace.usage, trace.models) == (Usage(100, 10, 5, 0.25), ("m-1",))


def test_a_request_around_two_others_is_the_sum_of_both() -> None:
    spans = [
        request("outer", 1, said=None, attributes={"gen_ai.usage.input_tokens": 200, "operation.cost": 4}),
        request("one", 1.1, parent="outer", attributes=TOOK),
        request("two", 1.2, parent="outer", attributes=TOOK),
    ]
    assert only_turn(*spans).usage == Usage(200, 20, cost_complete=False)


def test_requests_around_each_other_in_a_circle() -> None:
    spans = [request("a", 1, parent="b", attributes=TOOK), request("b", 1.1, said=None, parent="a", attributes=TOOK)]
    assert len(threads(*spans)) <= 1


def test_each_turn_has_its_own() -> None:
    told = [user("hi"), assistant("yes"), user("bye")]
    spans = [request(attributes=TOOK), chat("b", 2, told, [assistant("bye")], attributes=MODEL)]
    (thread,) = threads(*spans)
    assert [(trace.usage, trace.models) for trace in thread.traces] == [
        (Usage(100, 10, cost_complete=False), None),
        (None, ("m-1",)),
    ]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"gen_ai.request.model": "asked", "gen_ai.response.model": "answered"}, ("answered",)),
        ({"gen_ai.request.model": "asked"}, ("asked",)),
        ({"llm.model_name": "named"}, ("named",)),
        ({"gen_ai.response.model": "unknown", "traceloop.association.properties.ls_model_name": "known"}, ("known",)),
        ({"gen_ai.response.model": "unknown"}, None),
        ({"gen_ai.response.model": 5}, None),
        ({}, None),
    ],
)
def test_the_model(attributes: dict[str, Any], expected: tuple[str, ...] | None) -> None:
    assert only_turn(request(attributes=attributes)).models == expected


def test_the_agent_that_called() -> None:
    first, second = ({"gen_ai.agent.name": name} for name in ("first", "second"))
    spans = [
        agent("one", 0, 2, attributes=first),
        request(said=[assistant(PARIS)], parent="one"),
        agent("two", 3, 5, attributes=second),
        span("step", 3, parent="two"),
        request("b", 4, said=[assistant(LONDON)], parent="step"),
    ]
    assert [call.agent for call in only_turn(*spans).trajectory] == ["first", "second"]
    assert [call.agent for call in only_turn(*spans[1:2]).trajectory] == [None]


def test_the_agent_for_which_a_tool_ran() -> None:
    spans = [agent("run", 0, 9, attributes={"agent.name": "first"}), tool("t", 2, parent="run")]
    assert [call.agent for call in only_turn(*spans).trajectory] == ["first"]


@pytest.mark.parametrize(
    ("outputs", "more", "expected"),
    [
        ({"usage_metadata": {"input_tokens": 9, "output_tokens": 1}, "model": "m"}, {}, (Usage(9, 1), ("m",))),
        (
            {"generations": [[{"message": {"kwargs": {"content": "", "usage_metadata": {"input_tokens": 9}}}}]]},
            {"total_cost": 0.5, "completion_tokens": 2},
            (Usage(9, 2, None, 0.5), ("l",)),
        ),
        ({}, {"prompt_tokens": 3, "completion_tokens": 2}, (Usage(3, 2), ("l",))),
    ],
)
def test_langsmith(outputs: Any, more: dict[str, Any], expected: Any) -> None:
    run = {
        "id": "a",
        "run_type": "llm",
        "inputs": {"messages": [user("hi")]},
        "outputs": outputs,
        "extra": {"metadata": {"ls_model_name": "l"}},
        **more,
    }
    parent = {"id": "p", "run_type": "chain", "total_cost": 9, "prompt_tokens": 99}
    ((thread,), _, _) = read_spans(langsmith_spans([parent, {**run, "parent_run_id": "p", "trace_id": "p"}]))
    (trace,) = thread.traces
    assert (trace.usage, trace.models) == (Usage.total([expected[0]]), expected[1])
