"""Rules on tool use, at their edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluations.turns import iteration, replayed, result, tool, turn, verdict
from tests.sets import call
from trajectory.conversation import NOT_RECORDED, MalformedArguments, ToolCall, Trace
from trajectory.errors import EvaluationError
from trajectory.evaluations import Outcome

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
A, B, C = call("a"), call("b"), call("c")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


def with_call(made: ToolCall, **keys: Any) -> Trace:
    return turn(**keys).model_copy(update={"tool_calls": (made,)})


# --------------------------------------------------------------------------------------------------- which tools exist


@pytest.mark.parametrize(
    ("recorded", "declared", "settings", "outcome"),
    [
        (["a", "b"], [], {}, P),
        (["a"], [], {}, F),
        ([], ["a", "b"], {}, P),
        (["b"], ["a", "b"], {}, P),
        (["a", "b"], ["a"], {}, F),
        (["a"], ["a"], {"tools": ["a", "b"]}, P),
        (["a", "b"], [], {"tools": ["a"]}, F),
    ],
)
def test_known_tools(recorded: list[str], declared: list[str], settings: dict[str, Any], outcome: Outcome) -> None:
    expected, actual = turn(tools=[*map(tool, recorded)]), turn(calls=[A, B], tools=[*map(tool, declared)])
    assert verdict("known_tools", expected, actual, **settings).outcome is outcome


def test_known_tools_without_a_list_is_no_verdict() -> None:
    with pytest.raises(EvaluationError, match="neither the agent nor the recording lists"):
        verdict("known_tools", turn(), turn(calls=[A]))
    assert verdict("known_tools", turn(), turn()).outcome is S


def test_known_tools_names_the_tool_that_was_meant() -> None:
    found = verdict("known_tools", turn(), turn(calls=[call("serch")], tools=[tool("search")]))
    assert (found.reason, found.evidence) == ("there is no tool 'serch'", ("'serch': did you mean 'search'?",))


@pytest.mark.parametrize(
    ("calls", "outcome", "score"),
    [
        ([call("f", n=1)], P, 1.0),
        ([call("f", n=1.0)], P, 1.0),
        ([call("f", n="1")], F, 0.0),
        ([call("f", n=True)], F, 0.0),
        ([call("f")], F, 0.0),
        ([call("f", n=1), call("f", n=1, m=2)], F, 0.5),
        ([call("free", anything=1)], S, None),
        ([call("free"), call("f", n=1)], P, 1.0),
        ([call("nowhere", n=1)], F, 0.0),
        ([], S, None),
    ],
)
def test_valid_arguments(calls: list[dict[str, Any]], outcome: Outcome, score: float | None) -> None:
    tools = [tool("f", SCHEMA), tool("free")]
    for expected, actual in (
        (turn(tools=tools), turn(calls=calls)),
        (turn(), turn(calls=calls, tools=tools)),
        (turn(tools=[tool("f", {"type": "object"})]), turn(calls=calls, tools=tools)),
    ):
        found = verdict("valid_arguments", expected, actual)
        assert (found.outcome, found.score) == (outcome, score)


def test_valid_arguments_says_what_is_wrong() -> None:
    found = verdict("valid_arguments", turn(tools=[tool("f", SCHEMA)]), turn(calls=[call("f", n="x")]))
    assert found.reason == "1 of 1 checked calls have wrong arguments"
    assert found.evidence == ('f: breaks {"type": "integer"} at /n',)


@pytest.mark.parametrize("schema", [{}, None])
def test_malformed_arguments_are_never_valid(schema: dict[str, Any] | None) -> None:
    made = ToolCall(name="f", arguments=MalformedArguments("{", "the text is not JSON"))
    assert verdict("valid_arguments", turn(tools=[tool("f", schema)]), with_call(made)).outcome is F


@pytest.mark.parametrize(
    ("made", "tools", "message"),
    [
        (ToolCall(name="f", arguments=NOT_RECORDED), [tool("f", SCHEMA)], "were not recorded"),
        (ToolCall(name="f"), [], "neither the agent nor the recording lists"),
        (ToolCall(name="f"), [tool("f", {"type": "thing"})], "cannot be carried out: no JSON Schema"),
        (ToolCall(name="f"), [tool("f", {"$ref": "#/nowhere"})], "cannot be carried out: the reference"),
    ],
)
def test_valid_arguments_without_a_verdict(made: ToolCall, tools: list[Any], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        verdict("valid_arguments", turn(tools=tools), with_call(made))


# ------------------------------------------------------------------------------------------------- how tools are called


@pytest.mark.parametrize(
    ("tools", "outcome"),
    [(["x"], P), (["a"], F), (["x", "y", "a"], F), (["A"], P), (["*"], F), (["b*"], F), (["?b"], P)],
)
def test_forbidden_tools(tools: list[str], outcome: Outcome) -> None:
    assert verdict("forbidden_tools", turn(), turn(calls=[A, B, B]), tools=tools).outcome is outcome


def test_forbidden_tools_says_how_often() -> None:
    found = verdict("forbidden_tools", turn(), turn(calls=[A, B, B]), tools=["b", "a"])
    assert found.reason == "called a once, b 2 times"


@pytest.mark.parametrize(
    ("tools", "outcome", "score"),
    [(["a"], P, 1.0), (["a", "c"], P, 1.0), (["a", "x"], F, 0.5), (["A"], F, 0.0), (["x*"], F, 0.0), (["c*"], P, 1.0)],
)
def test_required_tools(tools: list[str], outcome: Outcome, score: float) -> None:
    found = verdict("required_tools", replayed(turn(calls=[A]), turn(calls=[C])), tools=tools)
    assert (found.outcome, found.score) == (outcome, score)


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ({"a": {"min": 1, "max": 2}}, ""),
        ({"a": {"max": 2}}, ""),
        ({"a": {"min": 2}}, ""),
        ({"a": {"max": 1}}, "a called 2 times, not at most 1"),
        ({"a": {"min": 3}}, "a called 2 times, not at least 3"),
        ({"a": {"min": 3, "max": 4}}, "a called 2 times, not 3 to 4"),
        ({"x": {"min": 1}}, "x called 0 times, not at least 1"),
        ({"x": {"max": 0}}, ""),
        ({"*": {"max": 2}}, "* called 3 times, not at most 2"),
        ({"a": {"max": 1}, "b": {"max": 0}}, "a called 2 times, not at most 1; b called once, not at most 0"),
    ],
)
def test_call_counts(tools: dict[str, Any], reason: str) -> None:
    assert verdict("call_counts", replayed(turn(calls=[A, B]), turn(calls=[A])), tools=tools).reason == reason


@pytest.mark.parametrize(
    ("turns", "settings", "reason"),
    [
        ([[A, B]], {"before": [["a", "b"]]}, ""),
        ([[A], [B]], {"before": [["a", "b"]]}, ""),
        ([[B, A]], {"before": [["a", "b"]]}, "b called in turn 1 before any a"),
        ([[C], [B]], {"before": [["a", "b"]]}, "b called in turn 2 before any a"),
        ([[A, B, B]], {"before": [["a", "b"]]}, ""),
        ([[A]], {"before": [["a", "b"]]}, ""),
        ([[]], {"before": [["a", "b"]]}, ""),
        ([[A]], {"before": [["a", "a"]]}, "a called in turn 1 before any a"),
        ([[C, B]], {"before": [["a", "b"], ["*", "b"]]}, "b called in turn 1 before any a"),
        ([[A, C]], {"last": ["c"]}, ""),
        ([[A]], {"last": ["c"]}, ""),
        ([[C, A]], {"last": ["c"]}, "a called in turn 1 after c"),
        ([[C], [C]], {"last": ["c"]}, "c called in turn 2 after c"),
    ],
)
def test_tool_order(turns: list[list[dict[str, Any]]], settings: dict[str, Any], reason: str) -> None:
    assert verdict("tool_order", replayed(*(turn(calls=calls) for calls in turns)), **settings).reason == reason


# ---------------------------------------------------------------------------------------------------------------- loops


@pytest.mark.parametrize(
    ("calls", "settings", "outcome"),
    [
        ([], {}, P),
        ([A, B, C], {}, P),
        ([A, A], {}, F),
        ([A, B, A], {}, P),  # b was new: the second a may see something else
        ([A, B, A, B], {}, F),
        ([A, B, A, C, B], {}, P),
        ([call("a", n=1), call("a", n=2)], {}, P),
        ([call("a", n=1), call("a", n=1.0)], {}, F),
        ([call("a", n=1), call("a", n=True)], {}, P),
        ([A, A], {"max_repeats": 1}, P),
        ([A, A, A], {"max_repeats": 1}, F),
        ([A, A], {"allowed": ["a"]}, P),
        ([A, A, B, B], {"allowed": ["a"]}, F),
    ],
)
def test_no_loops(calls: list[dict[str, Any]], settings: dict[str, Any], outcome: Outcome) -> None:
    assert verdict("no_loops", turn(), turn(calls=calls), **settings).outcome is outcome


def test_no_loops_names_the_calls() -> None:
    found = verdict("no_loops", turn(), turn(calls=[call("a", n=1), call("a", n=1)]))
    assert found.reason == "1 call made again with nothing new between, 0 allowed"
    assert found.evidence == ('call 2: a({"n": 1})',)


def test_no_loops_needs_the_arguments() -> None:
    unknown = ToolCall(name="f", arguments=NOT_RECORDED)
    both = turn().model_copy(update={"tool_calls": (unknown, unknown)})
    with pytest.raises(EvaluationError, match="the arguments of f were not recorded"):
        verdict("no_loops", turn(), both)
    assert verdict("no_loops", turn(), with_call(ToolCall(name="f", arguments=NOT_RECORDED))).outcome is P
    malformed = ToolCall(name="f", arguments=MalformedArguments("{", "no JSON"))
    twice = turn().model_copy(update={"tool_calls": (malformed, malformed)})
    assert verdict("no_loops", turn(), twice).evidence == ("call 2: f({)",)


@given(st.lists(st.sampled_from("abc"), max_size=8))
def test_different_calls_never_loop_and_doubled_ones_always_do(names: list[str]) -> None:
    distinct = [call(name) for name in dict.fromkeys(names)]
    assert verdict("no_loops", turn(), turn(calls=distinct)).outcome is P
    if names:
        assert verdict("no_loops", turn(), turn(calls=[*distinct, distinct[-1]])).outcome is F


# --------------------------------------------------------------------------------------------------------- failed calls


def played(*pairs: tuple[str, str], identified: bool = True) -> Trace:
    calls = [{"name": name, "arguments": {}, "id": f"c{n}"} for n, (name, _) in enumerate(pairs)]
    results = [result(name, text, f"c{n}" if identified else None) for n, (name, text) in enumerate(pairs)]
    asked = {"role": "assistant", "content": None, "toolCalls": calls}
    return turn(calls=calls, iterations=[iteration(asked, *results)])


@pytest.mark.parametrize(
    ("pairs", "settings", "outcome"),
    [
        ([("f", "ok")], {}, P),
        ([("f", "Error: gone"), ("f", "ok")], {}, P),
        ([("f", "Error: gone")], {}, F),
        ([("f", "ok"), ("f", "Error: gone")], {}, F),
        ([("f", "Error: gone"), ("g", "ok")], {}, F),
        ([("f", '{"error": "gone"}')], {}, F),
        ([("f", '{"error": null, "rows": []}')], {}, P),
        ([("f", '{"isError": true}')], {}, F),
        ([("f", '{"success": false}')], {}, F),
        ([("f", '"error: gone"')], {}, F),
        ([("f", "errors: none")], {}, P),
        ([("f", "no error")], {}, P),
        ([("f", "")], {}, P),
        ([("f", "HTTP 500")], {"failure": r"HTTP 5\d\d"}, F),
        ([("f", "Error: gone")], {"failure": r"HTTP 5\d\d"}, P),
    ],
)
@pytest.mark.parametrize("identified", [True, False])
def test_failed_calls_recovered(
    pairs: list[tuple[str, str]], settings: dict[str, Any], outcome: Outcome, *, identified: bool
) -> None:
    found = verdict("failed_calls_recovered", turn(), played(*pairs, identified=identified), **settings)
    assert found.outcome is outcome


def test_results_may_stand_in_the_history_alone() -> None:
    history = [result("f", "ok"), {"role": "user", "content": "q"}, result("f", "Error: gone")]
    actual = turn(calls=[call("f")], iterations=[iteration({"role": "assistant", "content": "sorry"}, history=history)])
    found = verdict("failed_calls_recovered", turn(), actual)
    assert (found.reason, found.evidence) == ("1 failed call not made good", ("call 1, f: Error: gone",))


def test_failed_calls_recovered_needs_the_results() -> None:
    with pytest.raises(EvaluationError, match=r"the result of call 1, a, was not kept: it may have failed"):
        verdict("failed_calls_recovered", turn(), turn(calls=[A]))
    assert verdict("failed_calls_recovered", turn(), turn()).outcome is S


@pytest.mark.parametrize(
    ("names", "results", "reason"),
    [
        (["f", "g"], [("f", "Error: gone")], "1 failed call not made good"),
        (["f", "g"], [("f", "ok")], None),
        (["f", "f"], [("f", "Error: gone")], None),  # whether the second one succeeded is not known
        (["g", "f"], [("g", "Error: gone"), ("f", "Error: gone")], "2 failed calls not made good"),
    ],
)
def test_what_is_not_known_never_passes(names: list[str], results: list[tuple[str, str]], reason: str | None) -> None:
    actual = turn(calls=[*map(call, names)], iterations=[iteration(*(result(*pair) for pair in results))])
    if reason is not None:
        assert verdict("failed_calls_recovered", turn(), actual).reason == reason
    else:
        with pytest.raises(EvaluationError, match="was not kept"):
            verdict("failed_calls_recovered", turn(), actual)


# ----------------------------------------------------------------------------------------------------------------- cost


@pytest.mark.parametrize(("number", "outcome"), [(1, P), (2, P), (3, F)])
def test_iterations(number: int, outcome: Outcome) -> None:
    actual = turn(iterations=[iteration({"role": "assistant"})] * number)
    assert verdict("iterations", turn(), actual, max=2).outcome is outcome


def test_iterations_that_are_not_shown_are_not_counted() -> None:
    with pytest.raises(EvaluationError, match="shows no iterations"):
        verdict("iterations", turn(), turn())


def lasting(seconds: int) -> Trace:
    return turn(startTime=[100, 0.5], endTime=[100 + seconds, 0.5])


@pytest.mark.parametrize(("seconds", "outcome"), [(9, P), (10, P), (11, F)])
def test_latency_is_inclusive(seconds: int, outcome: Outcome) -> None:
    assert verdict("latency", turn(), lasting(seconds)).outcome is outcome


@pytest.mark.parametrize(("seconds", "outcome"), [(4, P), (5, P), (6, F)])
def test_the_latency_of_a_thread_is_that_of_its_turns(seconds: int, outcome: Outcome) -> None:
    assert verdict("thread_latency", replayed(lasting(5), lasting(seconds)), max_seconds=10).outcome is outcome


@pytest.mark.parametrize("seconds", [0, -1])
def test_times_that_were_not_kept_give_no_verdict(seconds: int) -> None:
    with pytest.raises(EvaluationError, match="times were not kept"):
        verdict("latency", turn(), lasting(seconds))
