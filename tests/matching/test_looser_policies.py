"""Looser argument policies, rule by rule, and the verdicts that other checkers get wrong."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory import NOT_RECORDED, ArgumentPolicy, MatchMode, ToolCall
from trajectory.matching import match_trajectory


def policy(**stated: Any) -> ArgumentPolicy:
    return ArgumentPolicy.model_validate(stated)


def accepts(expected: Any, actual: Any, **stated: Any) -> bool:
    one, other = ([{"name": "f", "arguments": arguments}] for arguments in (expected, actual))
    return match_trajectory(one, other, arguments=policy(**stated)).passed


FULL, PART = {"a": 1, "b": {"c": 2, "d": [3]}}, {"b": {"c": 2}}


@pytest.mark.parametrize(
    ("expected", "actual", "accepting"),
    [
        (FULL, FULL, {"exact", "ignore", "subset", "superset"}),
        (FULL, PART, {"ignore", "subset"}),
        (PART, FULL, {"ignore", "superset"}),
        (FULL, {}, {"ignore", "subset"}),
        ({}, FULL, {"ignore", "superset"}),
        ({"a": 1}, {"a": 2}, {"ignore"}),
        ({"a": 1}, {"a": True}, {"ignore"}),
        ({"a": 1}, {"b": 1}, {"ignore"}),
        ({"a": None}, {}, {"ignore", "subset"}),
        ({"l": [{"x": 1}]}, {"l": [{"x": 1, "y": 2}]}, {"ignore", "superset"}),
        ({"l": [1]}, {"l": [1, 2]}, {"ignore"}),
        ({"l": [1, 2]}, {"l": [2, 1]}, {"ignore"}),
        ({"l": {}}, {"l": []}, {"ignore"}),
    ],
)
def test_policies(expected: Any, actual: Any, accepting: set[str]) -> None:
    names = {name for name in ("exact", "ignore", "subset", "superset") if accepts(expected, actual, policy=name)}
    assert names == accepting


@pytest.mark.parametrize(
    ("expected", "actual", "paths", "accepted"),
    [
        ({"id": 1, "x": 1}, {"id": 2, "x": 1}, ["/id"], True),
        ({"id": 1, "x": 1}, {"x": 1}, ["/id"], True),
        ({"x": 1}, {"id": 1, "x": 1}, ["/id"], True),
        ({"x": {"id": 1}}, {"x": {"id": 2}}, ["/id"], False),
        ({"x": {"id": 1}}, {"x": {"id": 2}}, ["/x/id"], True),
        ({"x": {"id": 1}}, {"x": {"id": 2}}, ["/*/id"], True),
        ({"l": [{"id": 1, "n": 1}, {"id": 2, "n": 2}]}, {"l": [{"id": 3, "n": 1}, {"n": 2}]}, ["/l/*/id"], True),
        ({"l": [{"id": 1, "n": 1}]}, {"l": [{"id": 3, "n": 2}]}, ["/l/*/id"], False),
        ({"l": [1, 2]}, {"l": [9, 2]}, ["/l/0"], True),
        ({"l": [1, 2]}, {"l": [3]}, ["/l/*"], True),
        ({"a/b": 1, "c~d": 1}, {"a/b": 2, "c~d": 2}, ["/a~1b", "/c~0d"], True),
        ({"x": {"y": 1, "z": 1}}, {"x": {"y": 2, "z": 2}}, ["/x/y"], False),
        ({"x": {"y": 1, "z": 1}}, {"x": {"y": 2, "z": 2}}, ["/x/y", "/x"], True),
        ({"x": {"y": 1, "z": 1}}, {"x": {"y": 2, "z": 2}}, ["/x/y", "/*/z"], True),
        ({"": 1}, {"": 2}, ["/"], True),
        ({"x": 1}, {}, ["/x"], True),
        ({"x": {}}, {}, ["/x/y"], False),
        ({"ID": 1}, {"ID": 2}, ["/id"], False),
    ],
)
def test_ignored_paths(expected: Any, actual: Any, paths: list[str], accepted: bool) -> None:  # noqa: FBT001 - a table
    assert accepts(expected, actual, ignore_paths=paths) is accepted
    assert accepts(actual, expected, ignore_paths=paths) is accepted


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "accepted"),
    [
        (100, 101, 0.01, True),
        (100, 102, 0.01, False),
        (100, 101.0, {"absolute": 1}, True),
        (0, 1e-12, 0.5, False),
        (0, 1e-12, {"absolute": 1e-9}, True),
        (0.3, 0.1 + 0.2, 1e-9, True),
        (1, True, {"absolute": 5}, False),
        (1, "1", {"absolute": 5}, False),
        (10**400, 10**400 + 1, 1e-9, True),
        (10**400, 2 * 10**400, 1e-9, False),
        (2**53, 2**53 + 1, {"absolute": 0.5}, False),
        (2**53, 2**53 + 1, {"absolute": 1}, True),
        (1e308, -1e308, {"absolute": 1e300}, False),
        (1, 10**400, 0.9, False),
    ],
)
def test_tolerance(one: Any, other: Any, tolerance: Any, accepted: bool) -> None:  # noqa: FBT001 - a table
    assert accepts({"x": [one]}, {"x": [other]}, tolerance=tolerance) is accepted
    assert accepts({"x": [other]}, {"x": [one]}, tolerance=tolerance) is accepted


def test_what_a_tool_states_wins_over_the_general_policy_key_by_key() -> None:
    stated = {"policy": "superset", "ignore_paths": ["/id"], "tools": {"pay": {"policy": "exact"}}}
    both = [{"name": "pay", "arguments": {"sum": 1, "id": 1}}, {"name": "find", "arguments": {"query": "x"}}]
    good = [{"name": "pay", "arguments": {"sum": 1, "id": 2}}, {"name": "find", "arguments": {"query": "x", "page": 1}}]
    bad = [{"name": "pay", "arguments": {"sum": 1, "page": 1}}, good[1]]
    assert match_trajectory(both, good, arguments=policy(**stated))
    assert not match_trajectory(both, bad, arguments=policy(**stated))


def test_the_policy_of_a_tool_is_found_where_case_does_not_matter() -> None:
    stated = policy(case_sensitive=False, tools={"Pay": {"policy": "ignore"}})
    assert match_trajectory([{"name": "pay"}], [{"name": "PAY", "arguments": {"sum": 1}}], arguments=stated)


@pytest.mark.parametrize("name", ["exact", "ignore", "subset", "superset"])
def test_malformed_arguments_fail_under_every_policy(name: str) -> None:
    for mode in MatchMode:
        calls = [{"name": "f", "arguments": "{"}]
        assert not match_trajectory(calls, calls, mode, policy(policy=name)).passed


def test_under_ignore_arguments_need_no_recording() -> None:
    unrecorded = [ToolCall(name="f", arguments=NOT_RECORDED)]
    for mode in MatchMode:
        match = match_trajectory([{"name": "f", "arguments": {"a": 1}}], unrecorded, mode, policy(policy="ignore"))
        assert (match.passed, match.undecided) == (True, None)
        assert not match_trajectory([{"name": "g"}], unrecorded, mode, policy(policy="ignore")).passed


def test_an_empty_side_decides_without_a_recording() -> None:
    unrecorded, empty = [ToolCall(name="f", arguments=NOT_RECORDED)], [ToolCall(name="f")]
    assert match_trajectory(unrecorded, empty, arguments=policy(policy="subset")).passed
    assert match_trajectory(empty, unrecorded, arguments=policy(policy="superset")).passed
    assert match_trajectory(empty, unrecorded, arguments=policy(policy="subset")).undecided


def call(text: str, **arguments: Any) -> dict[str, Any]:
    return {"name": text, "arguments": arguments}


CITY, BOTH = call("w", city="Oslo"), call("w", city="Oslo", units="C")
Q, QN = call("s", q=1), call("s", q=1, n=2)

ELSEWHERE_WRONG = {
    "unordered, fewer arguments than expected": ("UNORDERED", "subset", [BOTH], [CITY], True),
    "unordered, more arguments than expected": ("UNORDERED", "superset", [CITY], [BOTH], True),
    "subset of calls, fewer arguments": ("SUBSET", "subset", [BOTH], [CITY], True),
    "subset of calls, an argument missing": ("SUBSET", "superset", [BOTH], [CITY], False),
    "subset of calls, an argument slipped in": ("SUBSET", "subset", [CITY], [BOTH], False),
    "superset of calls, first fit": ("SUPERSET", "superset", [Q, QN], [QN, Q], True),
    "parallel calls, first fit, superset": ("UNORDERED", "superset", [Q, QN], [QN, Q], True),
    "parallel calls, first fit, subset": ("UNORDERED", "subset", [QN, Q], [Q, QN], True),
    "a broken call is dropped": ("UNORDERED", "exact", [], [{"name": "rm", "arguments": "{"}], False),
    "a broken call is dropped in order": ("STRICT", "exact", [], [{"name": "rm", "arguments": "{"}], False),
    "broken arguments crash": ("STRICT", "exact", [call("f", a=1)], [{"name": "f", "arguments": '{"a":1,}'}], False),
    "broken arguments crash even if ignored": ("STRICT", "ignore", [Q], [{"name": "s", "arguments": '{"a":1'}], False),
    "empty text for no arguments": ("STRICT", "exact", [call("f")], [{"name": "f", "arguments": ""}], True),
    "no arguments at all": ("STRICT", "exact", [call("f")], [{"name": "f"}], True),
    "null for no arguments": ("STRICT", "exact", [call("f")], [{"name": "f", "arguments": "null"}], True),
    "a list for arguments": ("STRICT", "exact", [call("f")], [{"name": "f", "arguments": "[1]"}], False),
    "one and true": ("STRICT", "exact", [call("f", x=1)], [call("f", x=True)], False),
    "zero and false": ("UNORDERED", "exact", [call("f", x=0)], [call("f", x=False)], False),
    "missing and null": ("STRICT", "exact", [call("f")], [call("f", city=None)], False),
    "a key given twice": ("STRICT", "exact", [call("f", a=2)], [{"name": "f", "arguments": '{"a":1,"a":2}'}], False),
    "numbers beyond doubles": (
        "STRICT",
        "exact",
        [{"name": "f", "arguments": '{"a":1e400}'}],
        [{"name": "f", "arguments": '{"a":1e401}'}],
        False,
    ),
    "large integers": ("STRICT", "exact", [call("f", a=2**53)], [call("f", a=2**53 + 1)], False),
    "partial in depth": ("STRICT", "superset", [call("f", f={"a": 1})], [call("f", f={"a": 1, "b": 2})], True),
    "partial in a list": ("STRICT", "superset", [call("f", l=[{"a": 1}])], [call("f", l=[{"a": 1, "b": 2}])], True),
    "none expected, one made": ("STRICT", "exact", [], [call("rm")], False),
    "one execution too many": ("UNORDERED", "exact", [Q], [{**Q, "id": "1"}, {**Q, "id": "1"}], False),
}


@pytest.mark.parametrize("case", ELSEWHERE_WRONG)
def test_verdicts_that_other_checkers_get_wrong(case: str) -> None:
    mode, name, expected, actual, passed = ELSEWHERE_WRONG[case]
    match = match_trajectory(expected, actual, mode, policy(policy=name))
    assert (match.passed, match.undecided) == (passed, None), match.explain()


@pytest.mark.parametrize("deep", [2_000, 100_000])
def test_very_deep_or_long_arguments_get_a_verdict(deep: int) -> None:
    nested = {"name": "f", "arguments": '{"a":' * deep + "1" + "}" * deep}
    digits = {"name": "f", "arguments": '{"a":' + "9" * 5_000 + "}"}
    for one in (nested, digits):
        match = match_trajectory([one], [one])
        assert not match.passed
        assert "malformed" in match.explain()
