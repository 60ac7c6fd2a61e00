"""What `match_trajectory` accepts, and how it refuses the rest."""

from __future__ import annotations

from typing import Any

import pytest

import trajectory
from trajectory import ArgumentPolicy, ConfigurationError, MatchMode, ToolCall
from trajectory.matching import match_trajectory

F, G, LOG = ({"name": name} for name in ("f", "g", "log_event"))


@pytest.mark.parametrize("mode", ["IN_ORDER", "in_order", "In-Order", "in-order", MatchMode.IN_ORDER])
def test_a_mode_by_name(mode: str) -> None:
    assert match_trajectory([F], [G, F], mode).mode is MatchMode.IN_ORDER


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"mode": "superst"},
            "match mode: expected one of STRICT, IN_ORDER, UNORDERED, SUBSET, SUPERSET, found .*(did you mean 'SUPERSET'?)",
        ),
        ({"mode": ""}, 'match mode: expected one of STRICT, .*found the string ""$'),
        ({"mode": "\u017ftrict"}, "match mode: expected one of STRICT"),
        ({"mode": None}, "found null"),
        ({"mode": []}, "found an empty array"),
        ({"repeats": "ignored"}, "repeats: expected one of count, ignore, found .*did you mean 'ignore'"),
        ({"repeats": True}, "repeats: expected one of count, ignore, found true"),
        ({"repeats": []}, "repeats: .*found an empty array"),
        ({"arguments": "subset"}, r"found the string \"subset\" \(write ArgumentPolicy\(policy='subset'\)\)"),
        ({"arguments": None}, "arguments: expected an ArgumentPolicy, found null"),
        ({"ignore_tools": "log"}, r"ignore_tools: expected names of tools, .*found the string \"log\""),
        ({"ignore_tools": [7]}, "ignore_tools: expected names of tools"),
        ({"ignore_tools": [""]}, "ignore_tools: expected names of tools"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message.replace("(did", r"\(did").replace("?)", r"\?\)")):
        match_trajectory([F], [F], **options)


@pytest.mark.parametrize("calls", [[7], ["f"], F, [{"arguments": {}}], [None], "f"])
def test_what_is_no_call_is_refused(calls: Any) -> None:
    with pytest.raises(TypeError, match="tool call"):
        match_trajectory(calls, [])
    with pytest.raises(TypeError, match="tool call"):
        match_trajectory([], calls)


def test_ignored_tools_are_taken_out_of_both_sides() -> None:
    result = match_trajectory([LOG, F], [F, LOG, LOG], ignore_tools=["log_*"])
    assert result.passed
    assert [call.name for call in result.expected] == [call.name for call in result.actual] == ["f"]
    assert not match_trajectory([F], [G], ignore_tools=["g"])
    assert not match_trajectory([F], [G, F], ignore_tools=["G"])
    assert match_trajectory([F], [G, F], ignore_tools=["G"], arguments=ArgumentPolicy(case_sensitive=False))


def test_ignoring_everything_leaves_nothing_to_check() -> None:
    assert match_trajectory([LOG], [LOG], "SUPERSET", ignore_tools=["log_event"]).vacuous


def test_the_inputs_stay_as_they_were() -> None:
    expected = [{"name": "f", "arguments": '{"a": [1]}', "id": "1"}]
    actual = [ToolCall(name="f", arguments={"a": [1.0]})]
    result = match_trajectory(iter(expected), tuple(actual))
    assert result.passed
    assert result.actual == (actual[0],)
    assert expected == [{"name": "f", "arguments": '{"a": [1]}', "id": "1"}]


def test_the_package_hands_the_names_on() -> None:
    assert trajectory.match_trajectory is match_trajectory
    assert isinstance(match_trajectory([], []), trajectory.TrajectoryMatch)
