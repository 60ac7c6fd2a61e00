"""Schemas in expected arguments are checked at loading, where the settings turn them on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.evalset.documents import eval_set_document, thread_document, trace_document
from trajectory.errors import EvalSetError
from trajectory.evalset import load_eval_set

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[..., str]

ON = {"arguments": {"matchers": True}}
OFF = {"arguments": {"matchers": False}}
WRONG = {"q": {"$jsonSchema": {"type": "strin"}}}
BASE = "/threads/0/traces/0/toolCalls/0/arguments"


def set_with(arguments: Any, **evaluations: Any) -> Any:
    trace = trace_document(toolCalls=[{"name": "f", "arguments": arguments}])
    thread = thread_document("a", trace, **({"evaluation": evaluations["own"]} if "own" in evaluations else {}))
    return eval_set_document(thread, **({"evaluation": evaluations["root"]} if "root" in evaluations else {}))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (WRONG, f"{BASE}/q/$jsonSchema/type expected a matcher that can be carried out, found none (no JSON Schema: 'strin' is "),
        ({"a": [{"b/c": {"$jsonSchema": 5}}]}, f"{BASE}/a/0/b~1c/$jsonSchema expected a matcher that can be carried out, "),
        ({"$jsonSchema": {"minimum": "x"}}, f"{BASE}/$jsonSchema/minimum expected a matcher that can be carried out, "),
        ({"$jsonSchema": {"format": "e-mail"}}, f"{BASE}/$jsonSchema expected a matcher that can be carried out, found none (the format"),
        ({"a": {"$jsonSchema": True, "b": 1}}, f"{BASE}/a expected a matcher that can be carried out, found none (a matcher is an object with the one key"),
    ],
)  # fmt: skip
def test_a_wrong_schema_has_a_place(write: Write, arguments: object, message: str) -> None:
    with pytest.raises(EvalSetError) as caught:
        load_eval_set(write(set_with(arguments, root=ON)))
    assert str(caught.value).split(": ", 1)[1].startswith(message)
    assert caught.value.problems[0].line


@pytest.mark.parametrize(
    "evaluations",
    [
        {},
        {"root": OFF},
        {"root": ON, "own": OFF},
        {"root": {"arguments": {"matchers": True, "tools": {"f": {"matchers": False}}}}},
        {"root": {"arguments": {"tools": {"g": {"matchers": True}}}}},
    ],
)
def test_where_matchers_are_off_everything_is_literal(write: Write, evaluations: dict[str, Any]) -> None:
    assert load_eval_set(write(set_with(WRONG, **evaluations))).threads[0].traces[0].trajectory[0].arguments == WRONG


@pytest.mark.parametrize(
    "evaluations",
    [{"own": ON}, {"root": OFF, "own": ON}, {"root": {"arguments": {"tools": {"f": {"matchers": True}}}}}],
)
def test_where_matchers_are_on_they_are_checked(write: Write, evaluations: dict[str, Any]) -> None:
    with pytest.raises(EvalSetError, match="JSON Schema"):
        load_eval_set(write(set_with(WRONG, **evaluations)))


def test_a_suspicious_matcher_is_noted(write: Write) -> None:
    for schema, words in ((False, "accepts nothing"), (True, "accepts everything"), ({"enum": []}, "accepts nothing")):
        [note] = load_eval_set(write(set_with({"q": {"$jsonSchema": schema}}, root=ON))).notes
        assert f"{BASE}/q/$jsonSchema: the matcher {words}" in note


def test_with_matchers_off_the_key_is_data_and_the_note_says_so(write: Write) -> None:
    [note] = load_eval_set(write(set_with(WRONG))).notes
    assert note.endswith("/threads/0/traces/0/toolCalls: $jsonSchema is plain data here: arguments.matchers is not on")


def test_right_schemas_load(write: Write) -> None:
    load_eval_set(write(set_with({"q": {"$jsonSchema": {"type": "string"}}, "n": {"$jsonSchema": True}}, root=ON)))


def test_the_threads_of_a_file_of_lines_are_checked_too(write: Write) -> None:
    thread = set_with(WRONG, own=ON)["threads"][0]
    with pytest.raises(EvalSetError, match=r"x.jsonl:1:\d+: /traces/0/toolCalls/0/arguments/q/\$jsonSchema/type"):
        load_eval_set(write(json.dumps(thread), "x.jsonl"))
