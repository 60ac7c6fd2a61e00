"""Where the conversation threads of an eval set stand in its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajectory.errors import EvalSetError
from trajectory.evalset.files import decode, file_name, holds_lines, read_document, read_lines
from trajectory.evalset.parsing import parse
from trajectory.evalset.scan import find_places, positions

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from trajectory.json_values import JsonValue

_LISTS: Final = ("threads", "eval_cases", "evalCases")
_IDS: Final = ("id", "eval_id", "evalId", "eval_case_id", "evalCaseId", "name")


def thread_places(path: str | os.PathLike[str]) -> dict[str, tuple[int, int]]:
    """Find where each thread of an eval set begins.

    Args:
        path: The file, of any shape that names its threads.

    Returns:
        Line and column, from 1, by the id of the thread; nothing where the file cannot be read.
    """
    try:
        if not Path(file_name(path)).is_file():
            return {}
        return _places_of_lines(path) if holds_lines(path) else _places_in_document(path)
    except (EvalSetError, ValueError, RecursionError):
        return {}


def _places_of_lines(path: str | os.PathLike[str]) -> dict[str, tuple[int, int]]:
    values = ((number, parse(decode(file_name(path), data, number))) for number, data in read_lines(path))
    return {identity: (number, 1) for number, value in values if (identity := _id_of(value)) is not None}


def _places_in_document(path: str | os.PathLike[str]) -> dict[str, tuple[int, int]]:
    document = read_document(path)
    pointers = dict(_threads(document.value))
    offsets = find_places(document.text, pointers.values())
    lines = positions(document.text, offsets.values(), document.line)
    return {identity: lines[offsets[pointer]] for identity, pointer in pointers.items() if pointer in offsets}


def _threads(root: JsonValue) -> Iterator[tuple[str, str]]:
    """Give the id and the JSON Pointer of every thread."""
    lists = [("", root)]
    if isinstance(root, dict):
        lists = [(f"/{key}", root[key]) for key in _LISTS if isinstance(root.get(key), list)]
    for pointer, items in lists:
        for index, item in enumerate(items if isinstance(items, list) else ()):
            identity = _id_of(item)
            if identity is not None:
                yield identity, f"{pointer}/{index}"


def _id_of(value: JsonValue) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in _IDS if isinstance(value.get(key), str)), None)
