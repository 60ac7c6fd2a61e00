"""Matchers in expected arguments, checked when the eval set is loaded: a wrong schema would accept nothing, unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.evalset.document import Finding
from trajectory.json_values import describe, escape_token
from trajectory.matching.schemas import MATCHER_KEY, is_matcher, validator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import ConversationThread, ToolCall
    from trajectory.json_values import JsonObject, JsonValue


def matcher_findings(thread: ConversationThread, base: str) -> Iterator[Finding]:
    """Find the matchers of a thread whose schema is wrong.

    Only listed calls are searched, and only where the thread's `evaluation` turns matchers on: a recording is literal.

    Args:
        thread: The thread, with the `evaluation` that is in force for it.
        base: The JSON Pointer of the thread in its document.

    Yields:
        A finding for each wrong schema.
    """
    policy: JsonObject = (thread.evaluation or {}).get("arguments", {})
    if not any(each.get("matchers") for each in (policy, *policy.get("tools", {}).values())):
        return
    for index, trace in enumerate(thread.traces):
        for number, call in enumerate(trace.tool_calls or ()):
            if _has_matchers(call, policy):
                yield from _wrong_schemas(call.arguments, f"{base}/traces/{index}/toolCalls/{number}/arguments")


def _has_matchers(call: ToolCall, policy: JsonObject) -> bool:
    general: bool = policy.get("matchers", False)
    special: bool = policy.get("tools", {}).get(call.name, {}).get("matchers", general)
    return special


def _wrong_schemas(value: JsonValue, pointer: str) -> Iterator[Finding]:
    if is_matcher(value):
        yield from _wrong_schema(value[MATCHER_KEY], f"{pointer}/{MATCHER_KEY}")
    elif isinstance(value, dict | list):
        steps: Iterable[tuple[object, JsonValue]] = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in steps:
            yield from _wrong_schemas(item, f"{pointer}/{escape_token(step)}")


def _wrong_schema(schema: JsonValue, pointer: str) -> Iterator[Finding]:
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - costly, and rarely needed

    try:
        validator(schema)
    except SchemaError as wrong:
        place = "".join(f"/{escape_token(step)}" for step in wrong.absolute_path)
        yield Finding(
            pointer + place,
            "a JSON Schema (2020-12)",
            describe(wrong.instance),
            "the keyword has another type or value there",
        )
