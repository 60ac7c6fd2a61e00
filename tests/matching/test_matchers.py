"""JSON Schemas as expected values: what they accept, and what is found wrong with them ahead."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from trajectory import ArgumentPolicy, ToolCall
from trajectory.matching import MatcherFinding, check_matchers, match_trajectory

ON = ArgumentPolicy(matchers=True)
ANYTHING, NOTHING = {"$jsonSchema": True}, {"$jsonSchema": False}


def schema(value: Any) -> dict[str, Any]:
    return {"$jsonSchema": value}


def accepts(expected: Any, actual: Any, policy: ArgumentPolicy = ON) -> bool:
    one, other = ([ToolCall(name="f", arguments=arguments)] for arguments in (expected, actual))
    return match_trajectory(one, other, arguments=policy).passed


@pytest.mark.parametrize(
    ("stated", "good", "bad"),
    [
        (True, [None, 1, {}], []),
        (False, [], [None, 1, {}]),
        ({"type": "string"}, ["", "x"], [1, None, True]),
        ({"type": "integer"}, [1, 1.0, 10**30], [True, 1.5, "1"]),
        ({"enum": ["a", 1]}, ["a", 1, 1.0], ["A", True, "1"]),
        ({"const": True}, [True], [1, "true"]),
        ({"pattern": "^tok_[0-9]+$"}, ["tok_12"], ["tok_", "x"]),
        ({"minimum": 1, "maximum": 5}, [1, 5], [0, 6]),
        ({"format": "date"}, ["2026-08-01"], ["tomorrow"]),
        ({"format": "date-time"}, ["2026-08-01T09:00:00Z"], ["2026-08-01", "2026-02-30T09:00:00Z"]),
        ({"type": "array", "contains": {"const": 3}}, [[1, 3]], [[1], 3]),
        ({"$ref": "#/$defs/id", "$defs": {"id": {"minLength": 2}}}, ["ab"], ["a"]),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, [None, ""], [1]),
    ],
)
def test_what_a_schema_accepts(stated: Any, good: list[Any], bad: list[Any]) -> None:
    expected = {"x": [schema(stated)]}
    assert all(accepts(expected, {"x": [value]}) for value in good)
    assert not any(accepts(expected, {"x": [value]}) for value in bad)
    assert not accepts(expected, {"x": []})


def test_a_matcher_needs_its_argument_to_be_there() -> None:
    assert not accepts({"x": ANYTHING}, {})
    assert accepts({"x": ANYTHING}, {}, ArgumentPolicy(matchers=True, policy="subset"))


def test_matchers_are_literal_unless_turned_on() -> None:
    literal = {"x": schema({"type": "string"})}
    assert not accepts(literal, {"x": "a"}, ArgumentPolicy())
    assert accepts(literal, literal, ArgumentPolicy())
    assert not accepts(literal, literal)


def test_a_matcher_on_the_actual_side_is_a_literal() -> None:
    assert not accepts({"x": 1}, {"x": ANYTHING})


def test_no_ignored_path_leads_into_a_matcher() -> None:
    policy = ArgumentPolicy(matchers=True, ignore_paths=("/x/*",))
    assert accepts({"x": schema({"maxProperties": 0})}, {"x": {"id": 1}}, policy)
    assert not accepts({"x": NOTHING}, {"x": {"id": 1}}, policy)


def test_matchers_for_one_tool_only() -> None:
    policy = ArgumentPolicy.model_validate({"tools": {"f": {"matchers": True}}})
    assert accepts({"x": ANYTHING}, {"x": 1}, policy)
    calls = [ToolCall(name="g", arguments={"x": value}) for value in (ANYTHING, 1)]
    assert not match_trajectory(calls[:1], calls[1:], arguments=policy)


def test_matchers_do_not_claim_the_partner_of_another_call() -> None:
    expected = [{"name": "f", "arguments": {"x": value}} for value in (ANYTHING, 1)]
    actual = [{"name": "f", "arguments": {"x": value}} for value in (1, 2)]
    assert match_trajectory(expected, actual, "UNORDERED", ON)
    assert not match_trajectory(expected, actual[1:] * 2, "UNORDERED", ON)


@pytest.mark.parametrize(
    "stated",
    [{"type": "strin"}, {"pattern": "("}, {"$ref": "#/nowhere"}, {"$ref": "#"}, {"$ref": "https://example.org"}, 5],
)
def test_a_schema_that_cannot_be_carried_out_accepts_nothing_and_says_so(stated: Any) -> None:
    match = match_trajectory(
        [ToolCall(name="f", arguments={"x": schema(stated)})], [ToolCall(name="f", arguments={"x": 1})], arguments=ON
    )
    assert not match.passed
    assert "the schema cannot be carried out" in match.explain()


def test_a_schema_never_reaches_for_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("urllib.request.urlopen", asked.append)
    assert not accepts({"x": schema({"$ref": "https://example.org/other.json"})}, {"x": 1})
    assert not asked


FINDINGS = [
    (
        {"type": "strin"},
        "/x/$jsonSchema/type",
        "no JSON Schema: 'strin' is not valid under any of the given schemas",
        True,
    ),
    ({"properties": {"a": {"minLength": "2"}}}, "/x/$jsonSchema/properties/a/minLength", "no JSON Schema", True),
    ({"pattern": "("}, "/x/$jsonSchema/pattern", "no JSON Schema", True),
    (5, "/x/$jsonSchema", "no JSON Schema: 5 is not of type 'object', 'boolean'", True),
    ({"maximum": 10**5000}, "/x/$jsonSchema", "the schema cannot be read", True),
    (
        {"$ref": "https://example.org/s.json"},
        "/x/$jsonSchema",
        "the reference 'https://example.org/s.json' leads",
        True,
    ),
    ({"items": {"$ref": "#/$defs/no"}}, "/x/$jsonSchema", "the reference '#/$defs/no' leads nowhere", True),
    ({"format": "postcode"}, "/x/$jsonSchema", "the format 'postcode' cannot be checked here", True),
    ({"minimun": 3}, "/x/$jsonSchema", "the keyword 'minimun' means nothing (did you mean 'minimum'?)", False),
    (True, "/x/$jsonSchema", "the matcher accepts everything", False),
    ({}, "/x/$jsonSchema", "the matcher accepts everything", False),
    (False, "/x/$jsonSchema", "the matcher accepts nothing", False),
    ({"enum": []}, "/x/$jsonSchema", "the matcher accepts nothing", False),
    ({"enum": [1, 2], "type": "string"}, "/x/$jsonSchema", "the matcher accepts nothing", False),
    ({"const": "a", "minLength": 2}, "/x/$jsonSchema", "the matcher accepts nothing", False),
    ({"minimum": 3, "maximum": 2}, "/x/$jsonSchema", "the matcher accepts nothing", False),
    ({"not": {}}, "/x/$jsonSchema", "the matcher accepts nothing", False),
]


@pytest.mark.parametrize(("stated", "pointer", "message", "wrong"), FINDINGS, ids=range(len(FINDINGS)))
def test_what_is_found_ahead(stated: Any, pointer: str, message: str, wrong: bool) -> None:  # noqa: FBT001 - a table
    calls = [ToolCall(name="f"), ToolCall(name="f", arguments={"x": schema(stated)})]
    found = check_matchers(calls, ON)[0]
    assert (found.call_index, found.pointer, found.wrong) == (1, pointer, wrong)
    assert found.message.startswith(message)


def test_a_matcher_beside_other_keys_is_a_mistake() -> None:
    (found,) = check_matchers([ToolCall(name="f", arguments={"a": [{"$jsonSchema": True, "b": 1}]})], ON)
    assert found == MatcherFinding(
        0,
        "/a/0",
        "a matcher is an object with the one key $jsonSchema, found an object with the keys $jsonSchema, b",
        wrong=True,
    )


@pytest.mark.parametrize(
    "stated",
    [
        {"type": "string"},
        {"format": "date-time"},
        {"$ref": "#/$defs/a", "$defs": {"a": {}}},
        {"enum": [1], "title": "One"},
    ],
)
def test_good_schemas_are_not_complained_about(stated: Any) -> None:
    assert check_matchers([ToolCall(name="f", arguments={"x": schema(stated)})], ON) == ()


def test_where_matchers_are_off_nothing_is_one() -> None:
    assert check_matchers([ToolCall(name="f", arguments={"x": schema(5)})], ArgumentPolicy()) == ()


def test_matching_and_explaining_import_no_jsonschema_unless_there_are_matchers() -> None:
    code = (
        "import sys; from trajectory import match_trajectory;"
        "match_trajectory([{'name': 'f'}], [{'name': 'g'}]).explain();"
        "sys.exit(bool({'jsonschema', 'deepdiff', 'numpy', 'scipy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
