"""Eval sets of other tools: what they say is what is read, and what they do not say is not made up."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.evalset.strategies import JSON
from trajectory.conversation import FunctionMessage, ToolCall, moment
from trajectory.errors import EvalSetError
from trajectory.evalset import load_eval_set, save_eval_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.conversation import Trace
    from trajectory.errors import Problem

    Write = Callable[..., str]

CORPUS = os.environ.get("TRAJECTORY_CORPUS")


def content(text: str, **changes: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text}]} | changes


def adk_turn(**changes: Any) -> dict[str, Any]:
    return {"invocation_id": "i", "user_content": content("hi"), "final_response": content("hello")} | changes


def adk_set(*turns: Any, **changes: Any) -> dict[str, Any]:
    case = {"eval_id": "c", "conversation": list(turns)} | changes
    return {"eval_set_id": "s", "name": "n", "description": None, "eval_cases": [case]}


def only_turn(file: str) -> Trace:
    ((turn,),) = (thread.traces for thread in load_eval_set(file).threads)
    return turn


def refusal(file: str) -> list[str]:
    with pytest.raises(EvalSetError) as caught:
        load_eval_set(file)
    return [line.split(": ", 1)[1] for line in str(caught.value).split("\n")]


def camel_case(value: Any) -> Any:
    """Spell the format's own keys in camelCase; what the user wrote inside stays."""
    if isinstance(value, list):
        return [camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        "".join(word.title() if index else word for index, word in enumerate(key.split("_"))): (
            item if key in ("args", "state") else camel_case(item)
        )
        for key, item in value.items()
    }


# ----------------------------------------------------------------------------------------------------- Google ADK today


def test_what_an_author_expects(write: Write) -> None:
    data = {
        "tool_uses": [
            {"name": "f", "args": {"a_b": 1}, "id": "1"},
            {"name": "g", "args": None, "id": None},
            {"name": "h"},
        ],
        "tool_responses": [{"name": "f", "id": "1", "response": {"x": "é"}}],
        "intermediate_responses": [["agent", [{"text": "wait"}]]],
    }
    document = adk_set(
        adk_turn(intermediate_data=data, creation_timestamp=1_785_574_802.25),
        session_input={"app_name": "a", "user_id": "u", "state": {"my_key": 1}},
        description="d",
        tags=["t"],
    )
    for spelled in (document, camel_case(document)):
        loaded = load_eval_set(write(spelled))
        (thread,) = loaded.threads
        (turn,) = thread.traces
        assert (loaded.id, loaded.name, loaded.shape, loaded.notes) == ("s", "n", "Google ADK eval set", ())
        assert (thread.id, thread.description, thread.tags, thread.initial_state) == ("c", "d", ("t",), {"my_key": 1})
        assert (turn.id, turn.query, turn.response, turn.states_expectation) == ("i", "hi", "hello", True)
        expected = (ToolCall(name="f", arguments={"a_b": 1}, id="1"), ToolCall(name="g"), ToolCall(name="h"))
        assert turn.trajectory == expected
        assert turn.iterations[0].output[1] == FunctionMessage(name="f", content='{"x": "é"}', id="1")
        assert moment(turn.start_time).isoformat() == "2026-08-01T09:00:02.250000+00:00"


def test_what_a_recorder_saw(write: Write) -> None:
    events = [
        {
            "author": "a",
            "content": {"parts": [{"text": "first"}, {"function_call": {"name": "f", "args": {}}}, {"text": "x"}]},
        },
        {"author": "a", "content": {"parts": [{"function_response": {"name": "f", "response": {"r": 1}}}]}},
        {"author": "b", "content": None},
        {"author": "b"},
        {
            "author": "b",
            "content": {"parts": [{"functionCall": {"name": "g"}, "thought_signature": "x", "new_key": 1}]},
        },
    ]
    turn = only_turn(write(adk_set(adk_turn(intermediate_data={"invocation_events": events}))))
    assert [call.name for call in turn.trajectory] == ["f", "g"]


@pytest.mark.parametrize(
    ("changes", "states"),
    [
        ({}, False),
        ({"intermediate_data": None}, False),
        ({"intermediate_data": {}}, False),
        ({"intermediate_data": {"tool_uses": None}}, False),
        ({"intermediate_data": {"intermediate_responses": []}}, False),
        ({"intermediate_data": {"tool_uses": []}}, True),
        ({"intermediate_data": {"invocation_events": []}}, True),
    ],
)
def test_nothing_stated_is_not_no_calls(write: Write, changes: dict[str, Any], states: bool) -> None:  # noqa: FBT001
    turn = only_turn(write(adk_set(adk_turn(**changes))))
    assert (turn.states_expectation, turn.trajectory) == (states, ())


def test_thoughts_and_empty_answers_are_none(write: Write) -> None:
    answer = {"parts": [{"text": "hm", "thought": True}, {"text": "a"}, {"text": "b", "thought": None}], "role": None}
    assert only_turn(write(adk_set(adk_turn(final_response=answer)))).response == "ab"
    empties: list[Any] = [None, {"parts": None}, {"parts": []}, {"parts": [{"text": ""}]}]
    for empty in empties:
        assert only_turn(write(adk_set(adk_turn(final_response=empty)))).response is None


def test_what_cannot_be_replayed_is_noted(write: Write) -> None:
    parts = [{"text": "look"}, {"inline_data": {"data": "", "mime_type": "image/png"}, "text": None}]
    document = adk_set(adk_turn(user_content={"parts": parts}))
    document["eval_cases"].append({"eval_id": "s", "conversation_scenario": {"starting_prompt": "x"}})
    loaded = load_eval_set(write(document))
    assert loaded.threads[0].traces[0].query == "look"
    assert loaded.threads[1].traces == ()
    assert loaded.notes == (
        "set.json: /eval_cases/0/conversation/0/user_content: only the text is replayed, not inline_data",
        "set.json: /eval_cases/1: a conversation scenario has no recorded turns, so nothing is replayed",
    )


def test_nothing_of_a_case_is_lost(write: Write) -> None:
    document = adk_set(adk_turn(rubrics=[1]), rubrics=[{"x": 1}], evaluation="mine", final_session_state={})
    assert load_eval_set(write(document)).threads[0].extras == {"eval_case": document["eval_cases"][0]}


@pytest.mark.parametrize("stamp", [1_785_574_802, 1_785_574_802_000, 1_785_574_802_000_000, 1_785_574_802_000_000_000])
def test_timestamps_in_any_unit(write: Write, stamp: int) -> None:
    assert moment(only_turn(write(adk_set(adk_turn(creation_timestamp=stamp)))).start_time).year == 2026


@pytest.mark.parametrize(
    ("document", "messages"),
    [
        (
            {"eval_set_id": 5, "eval_cases": {}},
            ["/eval_set_id expected a string, found the number 5", "/eval_cases expected an array, found an empty object"],
        ),
        (
            {"eval_set_id": "s", "eval_cases": [{"evalid": "c", "conversation": []}, 5]},
            [
                "/eval_cases/0 expected the key 'eval_id', found an object with the keys evalid, conversation",
                "/eval_cases/1 expected an object, found the number 5",
            ],
        ),
        (
            {"eval_set_id": "s", "eval_cases": [{"eval_id": "c"}]},
            [
                "/eval_cases/0 expected either the key 'conversation' or the key 'conversation_scenario', found an object with the keys eval_id"
            ],
        ),
        (
            adk_set({"user_contents": content("x")}),
            [
                "/eval_cases/0/conversation/0 expected the key 'user_content', found an object with the keys user_contents",
                "/eval_cases/0/conversation/0/user_contents expected a key of an invocation, found the unknown key 'user_contents' (did you mean 'user_content'?)",
            ],
        ),
        (
            adk_set(adk_turn(user_content="hi", final_response={"parts": "x"})),
            [
                '/eval_cases/0/conversation/0/user_content expected an object, found the string "hi"',
                '/eval_cases/0/conversation/0/final_response/parts expected an array, found the string "x"',
            ],
        ),
        (
            adk_set(adk_turn(intermediate_data={"tool_uses": [{"nam": "f", "args": "{}"}, {"name": 5, "arguments": {}}, "f"]})),
            [
                "/eval_cases/0/conversation/0/intermediate_data/tool_uses/0 expected the key 'name', found an object with the keys nam, args",
                "/eval_cases/0/conversation/0/intermediate_data/tool_uses/0/nam expected a key of a function call, found the unknown key 'nam' (did you mean 'name'?)",
                '/eval_cases/0/conversation/0/intermediate_data/tool_uses/0/args expected an object, found the string "{}"',
                "/eval_cases/0/conversation/0/intermediate_data/tool_uses/1/name expected a string, found the number 5",
                "/eval_cases/0/conversation/0/intermediate_data/tool_uses/1/arguments expected a key of a function call, found the unknown key 'arguments' (did you mean 'args'?)",
                '/eval_cases/0/conversation/0/intermediate_data/tool_uses/2 expected an object, found the string "f"',
            ],
        ),
        (
            adk_set(adk_turn(intermediate_data={"tool_uses": [], "invocation_events": []})),
            [
                "/eval_cases/0/conversation/0/intermediate_data expected either the key 'tool_uses' or the key 'invocation_events', found an object with the keys tool_uses, invocation_events"
            ],
        ),
        (
            adk_set(adk_turn(creation_timestamp="now")),
            ['/eval_cases/0/conversation/0/creation_timestamp expected seconds since 1970, found the string "now"'],
        ),
        (
            {"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation": []}] * 2},
            ['/eval_cases/1/eval_id expected an id that no other case has, found the string "c" (the first one stands at line 5, column 15)'],
        ),
    ],
)  # fmt: skip
def test_what_breaks_the_format(write: Write, document: object, messages: list[str]) -> None:
    assert sorted(refusal(write(document))) == sorted(messages)


# ------------------------------------------------------------------------------------------------------- other shapes


def test_a_list_of_turns(write: Write) -> None:
    uses = [{"tool_name": "f", "tool_input": {"a": 1}, "mock_tool_output": 5}, {"tool_name": "g"}]
    turns = [
        {"query": "a", "expected_tool_use": uses, "expected_intermediate_agent_responses": [], "reference": "A"},
        {"query": "b", "expected_tool_use": []},
        {"query": "c", "reference": ""},
    ]
    loaded = load_eval_set(write(turns, "smoke.test.json"))
    (thread,) = loaded.threads
    assert (loaded.id, thread.id, loaded.shape) == ("smoke", "smoke", "Google ADK list of turns (old)")
    assert [(t.query, t.states_expectation, t.response) for t in thread.traces] == [
        ("a", True, "A"),
        ("b", True, None),
        ("c", False, ""),
    ]
    assert thread.traces[0].trajectory == (ToolCall(name="f", arguments={"a": 1}), ToolCall(name="g"))


def test_a_list_of_named_cases(write: Write) -> None:
    cases = [
        {"name": "x", "data": [{"query": "a", "expected_tool_use": []}], "initial_session": {"state": {"k": 1}}},
        {"name": "y", "data": [], "initial_state": {"k": 2}},
    ]
    loaded = load_eval_set(write(cases))
    assert [(thread.id, len(thread.traces), thread.initial_state) for thread in loaded.threads] == [
        ("x", 1, {"k": 1}),
        ("y", 0, None),
    ]
    assert loaded.notes == ("set.json: /1: the key 'initial_state' has no effect; did you mean 'initial_session'?",)


@pytest.mark.parametrize(
    ("document", "messages"),
    [
        (
            [{"query": "a", "expected_tool_uses": []}, {"quer": "b"}, 5],
            [
                "/0/expected_tool_uses expected a key of a turn, found the unknown key 'expected_tool_uses' (did you mean 'expected_tool_use'?)",
                "/1 expected the key 'query', found an object with the keys quer",
                "/1/quer expected a key of a turn, found the unknown key 'quer' (did you mean 'query'?)",
                "/2 expected an object, found the number 5",
            ],
        ),
        (
            [{"query": "a", "expected_tool_use": [{"name": "f", "tool_input": []}]}],
            [
                "/0/expected_tool_use/0 expected the key 'tool_name', found an object with the keys name, tool_input",
                "/0/expected_tool_use/0/name expected a key of an expected tool use, found the unknown key 'name' (did you mean 'tool_name'?)",
                "/0/expected_tool_use/0/tool_input expected an object, found an empty array",
            ],
        ),
        ([{"name": "x", "data": 5}], ["/0/data expected an array, found the number 5"]),
        (
            [{"name": "x", "data": []}, {"name": "x", "data": []}],
            ['/1/name expected an id that no other case has, found the string "x" (the first one stands at line 3, column 11)'],
        ),
    ],
)  # fmt: skip
def test_what_breaks_the_old_formats(write: Write, document: object, messages: list[str]) -> None:
    assert sorted(refusal(write(document))) == sorted(messages)


def test_an_eval_set_of_trpc(write: Write) -> None:
    tools = [{"id": "1", "name": "f", "arguments": {"a": 1}, "result": {"r": 2}}, {"name": "g"}]
    conversation = [
        {"invocationId": "i", "userContent": {"role": "user", "content": "hi"}, "tools": tools},
        {"userContent": {"role": "user", "content": "b"}, "finalResponse": {"role": "assistant", "content": "B"}},
    ]
    case = {
        "evalId": "c",
        "conversation": conversation,
        "sessionInput": {"appName": "a", "userId": "u", "state": {"k": 1}},
    }
    loaded = load_eval_set(write({"evalSetId": "s", "name": "n", "evalCases": [case]}))
    (thread,) = loaded.threads
    assert (loaded.id, loaded.shape, thread.initial_state) == ("s", "tRPC-Agent-Go eval set", {"k": 1})
    first, second = thread.traces
    assert first.trajectory == (ToolCall(name="f", arguments={"a": 1}, id="1"), ToolCall(name="g"))
    assert first.iterations[0].output[1:] == (FunctionMessage(name="f", content='{"r": 2}', id="1"),)
    assert (second.id, second.response, second.states_expectation) == ("turn-2", "B", False)


def test_a_dataset(write: Write) -> None:
    events = [
        {"author": "user", "content": content("a")},
        {"author": "bot", "content": content("A")},
        {"author": "user", "content": content("b")},
    ]
    cases = [
        {"eval_case_id": "x", "prompt": content("hi"), "reference": {}},
        {"agent_data": {"agents": {}, "turns": [{"turn_index": 0, "events": events}]}},
    ]
    loaded = load_eval_set(write({"eval_cases": cases}))
    assert (loaded.id, loaded.shape) == ("set", "agents-cli dataset")
    assert [(thread.id, [turn.query for turn in thread.traces]) for thread in loaded.threads] == [
        ("x", ["hi"]),
        ("case-2", ["a", "b"]),
    ]
    assert not any(turn.states_expectation for thread in loaded.threads for turn in thread.traces)
    assert refusal(write({"eval_cases": [{}]})) == [
        "/eval_cases/0 expected either the key 'prompt' or the key 'agent_data', found an empty object"
    ]


# ------------------------------------------------------------------------------------------------------ never a crash

KEYS = st.sampled_from(
    [
        "eval_set_id",
        "evalSetId",
        "eval_cases",
        "evalCases",
        "eval_id",
        "evalId",
        "conversation",
        "session_input",
        "state",
        "user_content",
        "userContent",
        "parts",
        "text",
        "intermediate_data",
        "tool_uses",
        "name",
        "args",
        "invocation_events",
        "content",
        "function_call",
        "tools",
        "arguments",
        "result",
        "query",
        "expected_tool_use",
        "tool_name",
        "tool_input",
        "data",
        "prompt",
        "agent_data",
        "turns",
        "events",
        "author",
        "creation_timestamp",
        "conversation_scenario",
        "final_response",
        "reference",
        "tags",
        "description",
        "threads",
        "traces",
    ]
)
FOREIGN = st.recursive(
    JSON, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)
ROOTS = (
    st.fixed_dictionaries({"eval_set_id": FOREIGN, "eval_cases": st.lists(FOREIGN, max_size=2)})
    | st.fixed_dictionaries({"evalSetId": FOREIGN, "evalCases": FOREIGN})
    | st.fixed_dictionaries({"eval_cases": FOREIGN})
    | st.lists(
        st.fixed_dictionaries({"query": FOREIGN}, optional={"expected_tool_use": FOREIGN}), min_size=1, max_size=2
    )
    | st.lists(st.fixed_dictionaries({"name": FOREIGN, "data": FOREIGN}), min_size=1, max_size=2)
    | FOREIGN
)


@given(document=ROOTS)
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_json_loads_or_is_refused_with_places(write: Write, document: Any) -> None:
    refused: tuple[Problem, ...] | None = None
    try:
        load_eval_set(write(json.dumps(document)))
    except EvalSetError as wrong:
        refused = wrong.problems
    assert refused is None or (refused and all(problem.line for problem in refused))


# -------------------------------------------------------------------------------------------------------- going native


def test_a_set_of_another_tool_can_be_written_in_the_native_shape(write: Write) -> None:
    loaded = load_eval_set(write(adk_set(adk_turn(intermediate_data={"tool_uses": [{"name": "f"}]}))))
    save_eval_set(loaded, "native.json")
    again = load_eval_set("native.json")
    assert again == loaded
    assert (again.shape, again.notes) == ("native", ())


def test_a_turn_without_expectation_is_never_written_as_one_that_expects_no_calls(write: Write) -> None:
    loaded = load_eval_set(write(adk_set(adk_turn(intermediate_data={"tool_uses": []}), adk_turn())))
    with pytest.raises(EvalSetError) as caught:
        save_eval_set(loaded, "native.json")
    assert str(caught.value) == (
        "native.json: /threads/0/traces/1 expected a turn that states which calls it expects, "
        "found one that states nothing about calls"
    )
    assert not Path("native.json").exists()


# ---------------------------------------------------------------------------------------------------------- real files

ADK_FILES = sorted((Path(CORPUS) / "adk_evalset").iterdir()) if CORPUS else []


@pytest.mark.skipif(CORPUS is None, reason="TRAJECTORY_CORPUS is not set")
@pytest.mark.parametrize("file", ADK_FILES, ids=lambda file: file.name)
def test_real_files_say_what_they_say(file: Path) -> None:
    truth = json.loads((Path(CORPUS or "") / "truth" / f"adk_evalset__{file.name}.json").read_text("utf-8"))
    if truth.get("invalid"):
        with pytest.raises(EvalSetError) as caught:
            load_eval_set(file)
        assert truth["where"].startswith(caught.value.problems[0].pointer)
        return
    loaded = load_eval_set(file)
    assert len(loaded.threads) == len(truth["threads"])
    for thread, expected in zip(loaded.threads, truth["threads"], strict=True):
        assert expected["id"] in (thread.id, None)
        assert [
            (
                turn.query,
                turn.response,
                turn.states_expectation,
                [(call.name, call.arguments, call.id) for call in turn.trajectory],
            )
            for turn in thread.traces
        ] == [
            (
                turn["query"],
                turn["response"],
                turn.get("expectation_recorded", True),
                [(call["name"], call["arguments"], call["id"]) for call in turn["tool_calls"]],
            )
            for turn in expected["turns"]
        ]
