"""Write eval sets to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajectory.atomic import replace_file
from trajectory.conversation import (
    AssistantMessage,
    FunctionMessage,
    Iteration,
    MalformedArguments,
    NotRecorded,
    Record,
)
from trajectory.errors import ConfigurationError, EvalSetError, Problem
from trajectory.evalset.adk import read_adk
from trajectory.evalset.adk_writing import SHAPE as ADK_SHAPE
from trajectory.evalset.adk_writing import adk_document, adk_losses
from trajectory.evalset.document import Document
from trajectory.evalset.files import file_name, holds_lines, refuse
from trajectory.evalset.native import SHAPE, read_eval_set
from trajectory.evalset.parsing import collector_paused
from trajectory.json_values import NotJson, plain_json

if TYPE_CHECKING:
    import os

    from trajectory.conversation import ConversationThread
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonObject, JsonValue

SHAPES: Final = (SHAPE, ADK_SHAPE)
"""The shapes that can be written."""

_WRITTEN_NULLS: Final[dict[type[Record], tuple[str, ...]]] = {
    AssistantMessage: ("content", "tool_calls"),
    FunctionMessage: ("content",),
}
"""Where the format writes ``null``; everywhere else a value that is not there has no key."""

_EMPTY_LEFT_OUT: Final = ("tags", "failed_calls")
"""Lists that have no key when they are empty."""

_LAST_KEYS: Final = ("threads", "traces")
"""What is long stands last, so that a reader of the file sees what is short."""


def save_eval_set(
    eval_set: EvalSet, path: str | os.PathLike[str], shape: str = SHAPE, *, allow_loss: bool = False
) -> None:
    """Write an eval set into a file, so that loading the file gives the same eval set.

    Nothing is written unless it can be read back. An existing file is replaced as a whole or not at all.

    Args:
        eval_set: The eval set.
        path: The file.
        shape: The shape to write: ``native``, or ``adk`` for that of Google ADK.
        allow_loss: Leave out what the shape ``adk`` has no place for (see `losses`); without this, that is an error.

    Raises:
        EvalSetError: The format cannot hold what the set says, or the file cannot be written.
        ConfigurationError: There is no such shape to write, or the name is that of a file of lines.
    """
    file = file_name(path)
    if shape not in SHAPES:
        raise ConfigurationError(f"{file}: expected one of the shapes {', '.join(SHAPES)}, found {shape!r}")
    if holds_lines(file):
        raise ConfigurationError(
            f"{file}: a .jsonl file holds threads only; give the eval set a name that ends in .json"
        )
    if shape == SHAPE:
        _refuse_prompts(eval_set, file)
    elif not allow_loss:
        _refuse_losses(eval_set, file)
    # Half of a surrogate pair becomes its escape here, which reading refuses with its place.
    data = _text_of(eval_set, file, shape).encode(errors="backslashreplace")
    with collector_paused():
        (read_eval_set if shape == SHAPE else read_adk)(Document.read(file, data.decode()))
    try:
        replace_file(Path(file), data)
    except OSError as problem:
        refuse(file, "a file that can be written", problem.strerror or str(problem))


def losses(eval_set: EvalSet, shape: str) -> tuple[str, ...]:
    """Name what would be lost if an eval set were written in a shape.

    Args:
        eval_set: The eval set.
        shape: The shape.

    Returns:
        Each in a few words, with its place; nothing for the native shape, which holds everything or refuses it.
    """
    return tuple(adk_losses(eval_set)) if shape == ADK_SHAPE else ()


def _refuse_losses(eval_set: EvalSet, file: str) -> None:
    expected, hint = f"what the shape {ADK_SHAPE!r} has a place for", "allow_loss leaves it out"
    problems = [Problem(file, None, None, "", expected, loss, hint) for loss in losses(eval_set, ADK_SHAPE)]
    if problems:
        raise EvalSetError(problems)


def _refuse_prompts(eval_set: EvalSet, file: str) -> None:
    """Refuse turns that state no expectation: written in this shape they would say that no calls are expected."""
    pointers = [
        f"/threads/{index}/traces/{number}"
        for index, thread in enumerate(eval_set.threads)
        for number, trace in enumerate(thread.traces)
        if not trace.states_expectation
    ]
    expected, found = "a turn that states which calls it expects", "one that states nothing about calls"
    if pointers:
        raise EvalSetError([Problem(file, None, None, pointer, expected, found) for pointer in pointers])


def _text_of(eval_set: EvalSet, file: str, shape: str) -> str:
    document = _document(eval_set) if shape == SHAPE else adk_document(eval_set)
    try:
        return json.dumps(plain_json(document), indent=2, ensure_ascii=False) + "\n"
    except NotJson as wrong:
        refuse(file, "plain JSON", str(wrong))


def thread_document(thread: ConversationThread) -> JsonObject:
    """Give a thread as the JSON object that stands in a file of the native shape."""
    return _object(thread)


def _document(value: Any) -> JsonValue:
    if isinstance(value, Record):
        return _object(value)
    if isinstance(value, tuple):
        return [_document(item) for item in value]
    if isinstance(value, MalformedArguments):
        return value.text  # no object, so reading it back says where it stands
    return value.value if isinstance(value, NotRecorded) else value


def _object(record: Record) -> JsonObject:
    nulls = _WRITTEN_NULLS.get(type(record), ())
    stated = {
        field.alias or name: _document(getattr(record, name))
        for name, field in type(record).model_fields.items()
        if not field.exclude and (getattr(record, name) is not None or name in nulls)
    }
    if isinstance(record, Iteration) and len(stated["output"]) == 1:
        stated["output"] = stated["output"][0]  # older readers of the format know only the single output
    for key in _EMPTY_LEFT_OUT:
        if stated.get(key) == []:
            del stated[key]
    stated |= record.model_extra or {}
    return stated | {key: stated.pop(key) for key in _LAST_KEYS if key in stated}
