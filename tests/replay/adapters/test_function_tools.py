"""What may be a tool of an endpoint's model, and what the model is told of it."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from pydantic import BaseModel

from trajectory import recorded_tools
from trajectory.errors import AgentError
from trajectory.replay.adapters.function_tools import tools_of


class Item(BaseModel):
    sku: str


def order(items: list[Item], schema: str = "x", copy: bool = True) -> str:  # noqa: FBT001, FBT002
    """Order.

    All of it.
    """
    return f"{items}{schema}{copy}"


async def wait(seconds: float, **more: int) -> float:
    return seconds + len(more)


class Counter:
    """Counts."""

    def __call__(self, number: int) -> int:
        return number

    def method(self, number: int) -> int:
        return number


def listed(*tools: Any) -> list[Any]:
    return [tool.listed()["function"] for tool in tools_of(tools)]


def test_signatures_and_docstrings_tell_of_functions() -> None:
    (function,) = listed(order)
    assert (function["name"], function["description"]) == ("order", "Order.\n\nAll of it.")
    assert list(function["parameters"]["properties"]) == ["items", "schema", "copy"]
    assert function["parameters"]["required"] == ["items"]
    assert function["parameters"]["$defs"]["Item"]["required"] == ["sku"]


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        (wait, ["seconds"]),
        (functools.partial(wait, seconds=1.0), ["seconds"]),
        (Counter(), ["number"]),
        (Counter().method, ["number"]),
        (lambda number: number, ["number"]),
    ],
)
def test_all_that_can_be_called(tool: Any, parameters: list[str]) -> None:
    (made,) = tools_of({"it": tool})
    assert list((made.schema.parameters_schema or {})["properties"]) == parameters
    assert "partial" not in made.schema.description


def test_wrapped_for_the_recording_they_are_told_of_alike() -> None:
    assert listed(*recorded_tools([order, wait])) == listed(order, wait)


def test_schemas_with_and_without_their_envelope() -> None:
    inner = {"name": "f", "description": "F.", "parameters": {"type": "object", "properties": {"a": {}}}}
    assert listed({"type": "function", "function": inner}) == listed(inner) == [inner]
    assert listed({"name": "g"}) == [
        {"name": "g", "description": "", "parameters": {"type": "object", "properties": {}}}
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "expected tools by name or a list of them, found the number 7"),
        ("f", "expected tools by name or a list of them, found "),
        ({"f": 7}, "the tool 'f' is the number 7, not a function"),
        ([7], "the tool 'int' is the number 7, not a function"),
        ([{"type": "function"}], "expected the schema of a tool with a name"),
        ([order, order], "two tools are named 'order'"),
        ([lambda x, /: x], "cannot be called with its arguments by name"),
        ([lambda *x: x], "cannot be called with its arguments by name"),
        ([max], "no schema can be made of the signature of 'max'"),
    ],
)
def test_what_is_no_tool(given: Any, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        tools_of(given)
