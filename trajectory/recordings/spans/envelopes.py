"""What frameworks wrap around arguments and results before they reach a span."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from trajectory.conversation import NOT_RECORDED, read_arguments
from trajectory.recordings.spans.span import as_text, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.conversation import Arguments
    from trajectory.json_values import JsonObject, JsonValue

_PRINTED_CALL: Final = "ResponseFunctionToolCall"
_PYTHON_CALL: Final = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


def callback_argument(value: JsonValue, key: str) -> JsonValue:
    """Take a value out of what LangChain hands to a callback; a value without such an envelope stays what it is."""
    envelope = decoded(value)
    wrapped = isinstance(envelope, dict) and key in envelope and len(envelope.keys() & {"kwargs", "tags", "metadata"})
    return envelope[key] if wrapped else value


def tool_arguments(value: JsonValue, names: Sequence[str] = ()) -> Arguments:
    """Read what a tool was called with.

    Args:
        value: The arguments as an object, as JSON, or as Python writes a dictionary; or the positional and named
            arguments of a Python function. ``None`` when nothing was recorded.
        names: The names of the parameters in their order, where they are known.

    Returns:
        The arguments; not recorded when some of them stand without their names.
    """
    given = decoded(_python_literal(value))
    if isinstance(given, dict) and "kwargs" in given and given.keys() <= _PYTHON_CALL:
        return _of_python_call(given.get("args") or [], given["kwargs"], names)
    return NOT_RECORDED if given is None else read_arguments(given)


def _of_python_call(positional: JsonValue, named: JsonValue, names: Sequence[str]) -> Arguments:
    if not positional:
        return read_arguments(named)
    if not (isinstance(positional, list) and isinstance(named, dict) and len(positional) <= len(names)):
        return NOT_RECORDED
    return read_arguments({**dict(zip(names, positional, strict=False)), **named})


def _python_literal(value: JsonValue) -> JsonValue:
    if not (isinstance(value, str) and value.startswith("{'")):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


class ToolAnswer(NamedTuple):
    """What a tool gave back.

    Attributes:
        id: The id of the call that it answers, where it says so.
        text: The result as text; ``None`` for nothing recorded.
        failed: Whether it says that the tool failed.
    """

    id: str | None
    text: str | None
    failed: bool


def tool_answer(value: JsonValue) -> ToolAnswer:
    """Read what a tool gave back.

    Args:
        value: The recorded value: a dump of LangChain's ``ToolMessage``, or anything else.

    Returns:
        The answer.
    """
    fields = message_fields(value)
    if "tool_call_id" in fields and "content" in fields:
        identity = fields["tool_call_id"]
        return ToolAnswer(
            None if identity is None else str(identity), as_text(fields["content"]), fields.get("status") == "error"
        )
    return ToolAnswer(None, None if value is None else as_text(value), failed=False)


def statuses_in(value: JsonValue) -> Iterator[tuple[str, bool]]:
    """Look for LangChain's messages of tools that say whether the tool failed.

    Args:
        value: Any value.

    Yields:
        The id of each call with whether it failed.
    """
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            identity, status = found.get("tool_call_id"), found.get("status")
            if isinstance(identity, str) and status in ("success", "error"):
                yield identity, status == "error"
        stack += found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()


def message_fields(value: JsonValue) -> JsonObject:
    """Give the fields of one of LangChain's messages, in whichever of its dumps; empty when it is none."""
    if isinstance(value, str) and '"content"' not in value and "\\" not in value:
        return {}
    found = decoded(value)
    if not isinstance(found, dict):
        return {}
    inner = next((found[key] for key in ("kwargs", "data") if isinstance(found.get(key), dict)), found)
    if "content" not in inner:
        return {}
    path = found.get("id")
    named = re.fullmatch(r"(\w+?)Message(Chunk)?", str(path[-1])) if isinstance(path, list) and path else None
    # Dumps of old versions leave the type to the name of the class.
    return inner if named is None or inner.keys() & {"type", "role"} else {"type": named[1].lower(), **inner}


def arguments_beside(raw: JsonValue, identity: str) -> Arguments:
    """Look for a call in the raw answer of a model, beside which a dialect leaves out empty arguments.

    Args:
        raw: The answer, in whatever shape the provider gives it.
        identity: The id of the call.

    Returns:
        The arguments that stand beside the id.
    """
    stack = [decoded(raw)]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            found = next((value[key] for key in ("arguments", "args", "input") if key in value), None)
            if identity in (value.get("id"), value.get("call_id")) and found is not None:
                return read_arguments(found)
            inner = value.get("function")
            if value.get("id") == identity and isinstance(inner, dict) and "arguments" in inner:
                return read_arguments(inner["arguments"])
        stack += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return NOT_RECORDED


def printed_call(text: str) -> JsonObject | None:
    """Read a call that was printed as Python shows an object, ``ResponseFunctionToolCall(name='f', ...)``.

    Returns:
        The fields of the object; ``None`` when the text is something else.
    """
    if not text.startswith(_PRINTED_CALL + "("):
        return None
    try:
        printed = ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    keywords = printed.keywords if isinstance(printed, ast.Call) else []
    return {word.arg: word.value.value for word in keywords if word.arg and isinstance(word.value, ast.Constant)}
