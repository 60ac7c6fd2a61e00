"""The configuration beside an eval set of Google ADK: what it states is in force, what it cannot mean here is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.evalset.documents import eval_set_document
from trajectory.errors import EvalSetError
from trajectory.evalset import load_eval_set

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[..., str]

ADK = {"eval_set_id": "s", "eval_cases": []}


def load_beside(write: Write, config: object) -> tuple[Any, tuple[str, ...]]:
    write(config, "test_config.json")
    loaded = load_eval_set(write(ADK))
    return loaded.evaluation, loaded.notes


def criteria(**changes: Any) -> dict[str, Any]:
    return {"criteria": {"tool_trajectory_avg_score": {"threshold": 1} | changes}}


@pytest.mark.parametrize(
    ("config", "evaluation"),
    [
        ({"criteria": {"tool_trajectory_avg_score": 1.0}}, {"match_mode": "STRICT"}),
        (criteria(), {"match_mode": "STRICT"}),
        (criteria(match_type="EXACT"), {"match_mode": "STRICT"}),
        (criteria(match_type="in-order"), {"match_mode": "IN_ORDER"}),
        (criteria(matchType="any order"), {"match_mode": "SUPERSET"}),
        (criteria(match_type=0), {"match_mode": "STRICT"}),
        (criteria(match_type=2), {"match_mode": "SUPERSET"}),
        (criteria(ignore_args=True), {"match_mode": "STRICT", "arguments": {"policy": "ignore"}}),
        (criteria(ignore_args=False), {"match_mode": "STRICT"}),
        (criteria() | {"custom_metrics": {}, "_comment": "x"}, {"match_mode": "STRICT"}),
    ],
)
def test_what_is_in_force(write: Write, config: object, evaluation: object) -> None:
    assert load_beside(write, config) == (evaluation, ())


def test_what_cannot_be_honoured_is_noted(write: Write) -> None:
    config = {"criteria": {"tool_trajectory_avg_score": 0.8, "response_match_score": 0.5}}
    assert load_beside(write, config)[1] == (
        "test_config.json: /criteria: the criterion 'response_match_score' is not evaluated",
        "test_config.json: /criteria/tool_trajectory_avg_score: a mean of 0.8 over the turns is not enough here: every turn has to match",
    )
    assert load_beside(write, {"criteria": {}}) == (
        {},
        ("test_config.json: no 'tool_trajectory_avg_score'; the tool calls are compared all the same",),
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ([], "expected an object, found an empty array"),
        ({}, "expected the key 'criteria', found an empty object"),
        ({"criteria": 5}, "/criteria expected an object, found the number 5"),
        (criteria() | {"crit": {}}, "/crit expected a key of a test configuration, found the unknown key 'crit'"),
        (criteria(match_typ="EXACT"), "found the unknown key 'match_typ' (did you mean 'match_type'?)"),
        (criteria(match_type="EXACTLY"), 'expected one of EXACT, IN_ORDER, ANY_ORDER, found the string "EXACTLY"'),
        (criteria(match_type=3), "expected one of EXACT, IN_ORDER, ANY_ORDER, found the number 3"),
        (criteria(match_type=True), "expected one of EXACT, IN_ORDER, ANY_ORDER, found true"),
        (criteria(ignore_args="yes"), 'expected true or false, found the string "yes"'),
        (criteria(threshold=5.0), "/criteria/tool_trajectory_avg_score/threshold expected a threshold from 0 to 1, found the number 5.0"),
        ({"criteria": {"tool_trajectory_avg_score": "1"}}, 'expected a threshold from 0 to 1, found the string "1"'),
        ({"criteria": {"tool_trajectory_avg_score": {}}}, "expected the key 'threshold', found an empty object"),
    ],
)  # fmt: skip
def test_what_breaks_the_format(write: Write, config: object, message: str) -> None:
    with pytest.raises(EvalSetError) as caught:
        load_beside(write, config)
    assert str(caught.value).startswith("test_config.json:")
    assert message in str(caught.value)


def test_a_native_set_has_no_such_file(write: Write) -> None:
    write("oops", "test_config.json")
    assert load_eval_set(write(eval_set_document())).evaluation is None


def test_without_such_a_file_nothing_is_stated(write: Write) -> None:
    assert load_eval_set(write(ADK)).evaluation is None
