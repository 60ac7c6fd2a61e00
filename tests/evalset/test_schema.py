"""The published schema and the reader agree on every document, as far as JSON Schema can say it."""

from __future__ import annotations

import copy
import json
from importlib import resources
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.evalset.documents import eval_set_document, thread_document, trace_document
from tests.evalset.strategies import EVAL_SETS, JSON
from trajectory.chosen_rules import rules_schema
from trajectory.errors import EvalSetError
from trajectory.evalset import eval_set_schema
from trajectory.evalset.document import Document
from trajectory.evalset.native import read_eval_set
from trajectory.rules import BUILT_IN
from trajectory.settings import (
    EVAL_SET_KEYS,
    POLICY_NAMES,
    THREAD_KEYS,
    ArgumentPolicy,
    MatchMode,
    Repeats,
    Tolerance,
    ToolPolicy,
)

SCHEMA = eval_set_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
KEYS = ["id", "name", "role", "content", "toolCalls", "output", "endTime", "arguments", "description", "extra", "tags"]
VALUES = JSON | st.sampled_from(
    [
        {"role": "user", "content": "x"},
        {"role": "assistant"},
        {"role": "function", "name": "f"},
        {"role": "tool"},
        {"name": "f"},
        [{"name": "f", "description": ""}],
        [1, 0.5],
        [1, 1],
        [1.5, 0],
        [True, 0],
        "2026-08-01T09:00:00Z",
        "2026-08-01 09:00:00Z",
    ]
)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def accepts(document: Any) -> bool:
    try:
        read_eval_set(Document.read("f", json.dumps(document)))
    except EvalSetError:
        return False
    return True


def places(value: Any) -> list[tuple[Any, Any]]:
    """List every container of the format's own records with each of its keys; opaque objects are left alone."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    opaque = ("arguments", "parametersSchema", "evaluation", "initial_state", "created_on", "extras", "model_extra")
    found = []
    for key, child in children:
        found.append((value, key))
        if isinstance(child, dict | list) and key not in opaque:
            found += places(child)
    return found


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    document = copy.deepcopy(draw(EVAL_SETS))
    for _ in range(draw(st.integers(0, 2))):
        container, key = draw(st.sampled_from(places(document)))
        kind = draw(st.sampled_from(["replace", "remove", "add"]))
        if kind == "remove" and key in (container if isinstance(container, dict) else range(len(container))):
            del container[key]
        elif kind == "add" and isinstance(container, dict):
            container[draw(st.sampled_from(KEYS))] = copy.deepcopy(draw(VALUES))
        elif isinstance(container, dict) or key < len(container):
            container[key] = copy.deepcopy(draw(VALUES))
    return document


def only_a_reader_can_tell(document: Any) -> bool:
    ids = [thread.get("id") for thread in document["threads"]]
    return len(ids) != len({json.dumps(name) for name in ids})


@given(damaged())
@settings(max_examples=120)
def test_schema_and_reader_agree(document: Any) -> None:
    if isinstance(document.get("threads"), list) and all(isinstance(thread, dict) for thread in document["threads"]):
        if only_a_reader_can_tell(document):
            return
    elif "threads" not in document:
        assert not VALIDATOR.is_valid(document)
        return
    assert accepts(document) == VALIDATOR.is_valid(document)


TEXTS = ["STRICT", "strict", "IN_ORDER", "count", "ignore", "exact", "subset", "Subset", "0.5", ""]
NUMBERS = [0, 1, 1.0, 0.5, 1.5, 80, -1]
LISTS = [[], ["search"], ["a", ""], [1], ["/a"], ["/a/*/b~0"], ["a"], [""], ["/~"], ["/a\nb"]]
STATED = st.sampled_from([*TEXTS, *NUMBERS, *LISTS, True, False, None, {}])
POLICY_KEYS = [*ArgumentPolicy.model_fields, "polici"]
TOLERANCES = st.dictionaries(st.sampled_from(["relative", "absolute", "abs"]), STATED)
TOOL_POLICIES = st.dictionaries(st.sampled_from(POLICY_KEYS), STATED | TOLERANCES, max_size=2)
POLICIES = st.dictionaries(
    st.sampled_from(POLICY_KEYS), STATED | TOLERANCES | st.dictionaries(st.just("search"), TOOL_POLICIES), max_size=2
)
RULE_SETTINGS = st.sampled_from(
    [
        {},
        {"case_sensitive": False},
        {"case_sensitive": 0},
        {"min": 1.0, "max": 5},
        {"min": -1},
        {"max": 0},
        {"max": 2.5},
        {"prohibited": ["a"]},
        {"prohibited": [""]},
        {"required": []},
        {"tools": ["a", "b*"]},
        {"tools": {"a": {"max": 1}}},
        {"tools": {"a": {"maximum": 1}}},
        {"tools": None},
        {"before": [["a", "b"]]},
        {"before": [["a"]]},
        {"last": [""], "before": [["a", "b"]]},
        {"max_seconds": 3},
        {"max_seconds": 0},
        {"json_schema": {}},
        {"json_schema": True},
        {"pattern": "a"},
        {"pattern": "a", "full": "yes"},
        {"pattern": ""},
        {"failure": None},
        3,
    ]
)
RULE_NAMES = st.sampled_from([*BUILT_IN, "lenght"])
RULES = st.lists(st.dictionaries(RULE_NAMES, RULE_SETTINGS, max_size=2) | RULE_NAMES | STATED, max_size=1)
ONLY_A_READER_CAN_TELL: tuple[Any, ...] = (
    [{"tool_order": {}}],  # one of two settings is needed
    [{"tokens": {}}],  # one of four
    [{"money": {}}],
    [{"approval": {"tools": ["a", "b*"]}}],  # one of two others
    [{"length": {"max": 0}}],  # one setting is held against another, whose default is 1
)
EVALUATIONS = st.dictionaries(
    st.sampled_from([*EVAL_SET_KEYS, "arguments", "rules", "rules", "must_pass", "match_mod"]),
    STATED | POLICIES | RULES,
    max_size=2,
)


@given(EVALUATIONS, st.booleans())
@settings(max_examples=1000)
def test_schema_and_reader_agree_on_settings(evaluation: Any, of_thread: bool) -> None:  # noqa: FBT001 - drawn
    assume(evaluation.get("rules") not in ONLY_A_READER_CAN_TELL)
    keys = {"evaluation": evaluation}
    thread = thread_document("a", **(keys if of_thread else {}))
    document = eval_set_document(thread, **({} if of_thread else keys))
    assert accepts(document) == VALIDATOR.is_valid(document), evaluation


@pytest.mark.parametrize(
    "changes",
    [
        {"userMessage": {"content": "no role"}},
        {"userMessage": {"role": "user", "content": None}},
        {"toolCalls": None},
        {"toolCalls": [{"name": "f", "arguments": "{}"}]},
        {"output": [{"role": "assistant"}]},
        {"startTime": [1, 1.0]},
        {"startTime": [10**12, 0.5]},
        {"startTime": "2026-13-01T09:00:00Z"},
        {"tools": [{"name": "f"}]},
        {"extra": 1},
    ],
)
def test_what_both_refuse(changes: dict[str, Any]) -> None:
    document = eval_set_document(thread_document("a", trace_document(**changes)))
    assert not accepts(document)
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize(
    ("arguments", "accepted"),
    [
        ({"policy": "superset", "ignore_paths": ["/a/*/b~0c"], "tolerance": 0.1, "matchers": True}, True),
        ({"tolerance": {"relative": 0.5, "absolute": 3}, "tools": {"f": {"policy": "ignore"}, "g": {}}}, True),
        ({"policy": "exactly"}, False),
        ({"ignore_paths": ["a"]}, False),
        ({"ignore_paths": [""]}, False),
        ({"ignore_paths": ["/a~2"]}, False),
        ({"tolerance": 1}, False),
        ({"tolerance": True}, False),
        ({"tolerance": {"absolute": -1}}, False),
        ({"tolerance": {"rel": 0}}, False),
        ({"tools": {"f": {"tools": {}}}}, False),
        ({"tools": []}, False),
        ({"matchers": 1}, False),
        ({"case_sensitive": "yes"}, False),
    ],
)
def test_schema_and_reader_agree_on_argument_policies(arguments: object, accepted: bool) -> None:  # noqa: FBT001
    documents = [
        eval_set_document(evaluation={"arguments": arguments}),
        eval_set_document(thread_document("a", evaluation={"arguments": arguments})),
    ]
    assert [accepts(document) for document in documents] == [accepted] * 2
    assert [VALIDATOR.is_valid(document) for document in documents] == [accepted] * 2


def test_the_settings_of_the_schema_are_those_of_the_reader() -> None:
    definitions = SCHEMA["$defs"]
    assert set(definitions["evaluationOfSet"]["properties"]) == set(EVAL_SET_KEYS)
    assert set(definitions["evaluationOfThread"]["properties"]) == set(THREAD_KEYS)
    assert set(definitions["argumentPolicy"]["properties"]) == set(ArgumentPolicy.model_fields)
    assert set(definitions["toolPolicy"]["properties"]) == set(ToolPolicy.model_fields)
    assert set(definitions["tolerance"]["anyOf"][1]["properties"]) == set(Tolerance.model_fields)
    assert definitions["policyName"]["enum"] == list(POLICY_NAMES)
    assert definitions["matchMode"]["enum"] == list(MatchMode)
    assert definitions["repeats"]["enum"] == list(get_args(Repeats))


@given(RULES)
@settings(max_examples=300)
def test_schema_and_reader_agree_on_rules(rules: Any) -> None:
    assume(rules not in ONLY_A_READER_CAN_TELL)
    document = eval_set_document(evaluation={"rules": rules})
    assert accepts(document) == VALIDATOR.is_valid(document), rules


@pytest.mark.parametrize("rules", ONLY_A_READER_CAN_TELL)
def test_what_only_a_reader_can_tell_is_refused_all_the_same(rules: Any) -> None:
    document = eval_set_document(evaluation={"rules": rules})
    assert VALIDATOR.is_valid(document)
    assert not accepts(document)


def test_the_file_knows_the_rules_of_this_package() -> None:
    text = resources.files("trajectory.evalset").joinpath("evalset.schema.json").read_text("utf-8")
    assert json.loads(text)["$defs"]["rules"] == rules_schema(BUILT_IN)
