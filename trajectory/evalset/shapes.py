"""The shapes that an eval set can have, told apart by what stands in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.errors import EvalSetError, nearest
from trajectory.evalset.document import Finding
from trajectory.json_values import describe, shorten

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.evalset.document import Document
    from trajectory.json_values import JsonObject, JsonValue

NATIVE: Final = "native"


def shape_of(document: Document) -> str:
    """Tell the shape of an eval set.

    Args:
        document: The document.

    Returns:
        The name of the shape.

    Raises:
        EvalSetError: It has none of them; the message says for each what ruled it out.
    """
    reasons = {shape: rule_out(document.value) for shape, rule_out in _SHAPES.items()}
    for shape, reason in reasons.items():
        if not reason:
            return shape
    hint = "not " + "; not ".join(f"{shape}: {reason}" for shape, reason in reasons.items())
    raise EvalSetError(document.problems([Finding("", "an eval set", describe(document.value), hint)]))


def _lacks(value: JsonValue, *keys: str) -> str:
    """Say what keeps a value from being an object with these keys."""
    if not isinstance(value, dict):
        return "it is no object"
    missing = next((key for key in keys if key not in value), None)
    if missing is None:
        return ""
    meant = nearest(missing, value)
    return f"no key {missing!r}" + (f" (but {shorten(repr(meant))})" if meant else "")


def _not_native(value: JsonValue) -> str:
    return _lacks(value, "threads")


def _not_adk(value: JsonValue) -> str:
    reason = _lacks(value, "eval_set_id", "eval_cases")
    return reason and _lacks(value, "evalSetId", "evalCases") and reason


def _not_trpc(value: JsonValue) -> str:
    if reason := _lacks(value, "evalSetId", "evalCases"):
        return reason
    turns = (turn for case in _objects(value["evalCases"]) for turn in _objects(case.get("conversation")))
    turn = next(turns, {})
    said = turn.get("userContent")
    if "tools" in turn or (isinstance(said, dict) and isinstance(said.get("content"), str)):
        return ""
    return "the first turn has no key 'tools'"


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _not_dataset(value: JsonValue) -> str:
    return _lacks(value, "eval_cases") or ("it has the key 'eval_set_id'" if "eval_set_id" in value else "")


def _not_flat(value: JsonValue) -> str:
    return _not_list_of(value, "query")


def _not_named(value: JsonValue) -> str:
    return _not_list_of(value, "name", "data")


def _not_list_of(value: JsonValue, *keys: str) -> str:
    if not isinstance(value, list):
        return "it is no array"
    return _lacks(value[0], *keys) and f"its first item: {_lacks(value[0], *keys)}" if value else "it has no items"


_SHAPES: Final[dict[str, Callable[[JsonValue], str]]] = {
    NATIVE: _not_native,
    "tRPC-Agent-Go eval set": _not_trpc,
    "Google ADK eval set": _not_adk,
    "agents-cli dataset": _not_dataset,
    "Google ADK list of turns (old)": _not_flat,
    "Google ADK list of named cases (old)": _not_named,
}
"""For each shape, what keeps a value from having it; the empty string when it has it. The first that fits is it."""
