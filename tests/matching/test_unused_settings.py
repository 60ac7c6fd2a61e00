"""What a policy states and nothing uses is reported."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory import NOT_RECORDED, ArgumentPolicy, ToolCall
from trajectory.matching import unused_settings

CALLS = [
    [ToolCall(name="search", arguments={"query": "x", "items": [{"id": 1, "a/b": 2}]})],
    [
        ToolCall(name="pay", arguments={"sum": 3}),
        ToolCall(name="log_event"),
        ToolCall(name="x", arguments=NOT_RECORDED),
    ],
]


@pytest.mark.parametrize(
    ("stated", "warnings"),
    [
        ({}, []),
        ({"tools": {"search": {"policy": "ignore"}}, "ignore_paths": ["/query", "/items/*/id", "/items/0/a~1b"]}, []),
        (
            {"tools": {"serch": {}}},
            ["arguments.tools names the tool 'serch', which no recorded call uses (did you mean 'search'?)"],
        ),
        ({"tools": {"Search": {}}, "case_sensitive": False}, []),
        (
            {"ignore_paths": ["/items/*/no", "/sum"]},
            ["arguments.ignore_paths names /items/*/no, which no recorded call has"],
        ),
        ({"ignore_paths": ["/items/1"]}, ["arguments.ignore_paths names /items/1, which no recorded call has"]),
        (
            {"tools": {"pay": {"ignore_paths": ["/query"]}}, "ignore_paths": ["/sum"]},
            [
                "arguments.ignore_paths names /sum, which no recorded call has",
                "arguments.tools.pay.ignore_paths names /query, which no recorded call has",
            ],
        ),
    ],
)
def test_unused(stated: dict[str, Any], warnings: list[str]) -> None:
    assert list(unused_settings(ArgumentPolicy.model_validate(stated), CALLS)) == warnings


def test_ignored_tools_that_nothing_calls() -> None:
    warnings = unused_settings(ArgumentPolicy(), CALLS, ignore_tools=["log_*", "traces_*"])
    assert warnings == ("ignore_tools names 'traces_*', which no recorded call uses",)


def test_without_calls_there_is_nothing_to_say() -> None:
    assert unused_settings(ArgumentPolicy.model_validate({"tools": {"f": {}}}), [[]]) == ()
