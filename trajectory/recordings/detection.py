"""Which format a file of recordings has: told by its content, and never guessed."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import ConfigurationError, EvalSetError, Problem
from trajectory.evalset.document import Document
from trajectory.evalset.native import SHAPE, read_thread, thread_notes
from trajectory.evalset.shapes import SHAPES, Shape
from trajectory.json_values import describe
from trajectory.recordings.formats import FORMATS, Format, Reading
from trajectory.recordings.formats.message_lists import looks_once

if TYPE_CHECKING:
    from trajectory.recordings.containers import Content

ENTRY_POINTS: Final = "trajectory.recordings"
"""The group of entry points by which other packages add formats."""
_WRAPPERS: Final = (
    *("items", "events", "messages", "data", "runs", "traces", "spans", "records", "entries", "results", "rows"),
    *("trajectory", "trajectories", "conversation", "conversations", "session", "sessions", "history", "transcript"),
    *("log", "logs", "loglines", "trace", "response", "output"),
)
"""Keys under which exports hold what would be a recording by itself."""


def read_recording(content: Content) -> tuple[str, Reading]:
    """Find the one format that a file has, and read it.

    Args:
        content: What stands in the file.

    Returns:
        The name of the format, and what was read.

    Raises:
        EvalSetError: No format fits or more than one does, or the file breaks the format.
    """
    with looks_once():
        if wrapped := _wrapped(content):
            chosen, inner, note = wrapped
            reading = read_as(chosen, inner)
            return chosen.name, replace(reading, notes=(note, *reading.notes))
        found = choose(content)
        return found.name if found else SHAPE, read_as(found, content)


def _wrapped(content: Content) -> tuple[Format, Content, str] | None:
    """Look for a recording under one of the usual keys of an object that has no known form itself."""
    value = content.value
    if not isinstance(value, dict) or not value.keys() & set(_WRAPPERS) or _candidates(content):
        return None
    fitting = [
        (known, key)
        for key in _WRAPPERS
        if isinstance(value.get(key), list | dict)
        for known in known_formats()
        if _fits(known, value[key])
    ]
    if len(fitting) != 1:
        return None
    ((chosen, key),) = fitting
    inner = replace(content, documents=(Document(content.file, "", value[key]),))
    return chosen, inner, f"{content.file}: only what stands under {key!r} is read"


def choose(content: Content) -> Format | Shape | None:
    """Find the one format or shape that a file has.

    Args:
        content: What stands in the file.

    Returns:
        The format or the shape; ``None`` stands for records that are threads of the native shape.

    Raises:
        EvalSetError: None fits or more than one does.
    """
    found = _candidates(content)
    if len(found) != 1:
        raise EvalSetError([_none_or_many(content, [one.name if one else SHAPE for one in found])])
    return found[0]


def _candidates(content: Content) -> list[Format | Shape | None]:
    """List the formats and shapes that a file has; ``None`` stands for records that are threads of the native shape."""
    value = content.value
    shape = None if content.has_records else next((shape for shape in SHAPES if not shape.rule_out(value)), None)
    native_lines = are_native_lines(value) and content.has_records
    own = [*([shape] if shape else []), *([None] if native_lines else [])]
    return [*own, *(known for known in known_formats() if _fits(known, value))]


def read_as(chosen: Format | Shape | None, content: Content) -> Reading:
    """Read what stands in a file.

    Args:
        chosen: The format or the shape that it has, as `choose` gives it.
        content: What stands in the file.

    Returns:
        What was read.

    Raises:
        EvalSetError: The file breaks the format.
    """
    if chosen is None:
        return _read_native_lines(content)
    return _read_shape(chosen, content) if isinstance(chosen, Shape) else _read(chosen, content)


def _fits(known: Format, value: Any) -> bool:
    try:
        return known.matches(value)
    except Exception as wrong:
        raise ConfigurationError(f"the format {known.name!r} fails to recognise files: {wrong!r}") from wrong


def known_formats() -> tuple[Format, ...]:
    """List the formats of this package and those that other packages add by entry points.

    Raises:
        ConfigurationError: A package adds something that is no format, or one whose name is taken.
    """
    formats = {known.name: known for known in FORMATS}
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            added = entry.load()
        except Exception as wrong:
            raise ConfigurationError(f"the format {entry.name!r} ({entry.value}) cannot be loaded: {wrong}") from wrong
        if not (isinstance(getattr(added, "name", None), str) and callable(getattr(added, "matches", None))):
            raise ConfigurationError(f"the format {entry.name!r} ({entry.value}) has no name, matches and read")
        if added.name in formats:
            raise ConfigurationError(f"the format {entry.name!r} ({entry.value}): the name {added.name!r} is taken")
        formats[added.name] = added
    return tuple(formats.values())


def _none_or_many(content: Content, names: list[str]) -> Problem:
    if names:
        hint = "tell the makers of these formats; a file may have one only"
        return Problem(
            content.file, None, None, "", "a file of one format", f"one that {' and '.join(names)} fit", hint
        )
    known = ", ".join((*(shape.name for shape in SHAPES), *(known.name for known in known_formats())))
    value = content.value
    found = f"records, the first one is {describe(value[0])}" if content.has_records else describe(value)
    hint = f"`trajectory formats` tells how each is recognised; known are {known}"
    return Problem(content.file, 1, 1, "", "a recording of a known format", found, hint)


def are_native_lines(value: Any) -> bool:
    """Tell whether records are threads of the native shape."""
    return isinstance(value, list) and all(isinstance(record, dict) and "traces" in record for record in value)


def _read_native_lines(content: Content) -> Reading:
    """Read the records, and report the problems of all of them together."""
    threads, notes, problems = [], list[str](), list[Problem]()
    for document in content.documents:
        try:
            threads.append(read_thread(document))
        except EvalSetError as wrong:
            problems += wrong.problems
        else:
            notes += thread_notes(document.value, f"{document.file}:{document.line}")
    if problems:
        raise EvalSetError(problems)
    return Reading(tuple(threads), tuple(notes))


def _read_shape(shape: Shape, content: Content) -> Reading:
    eval_set = shape.read(content.documents[0])
    return Reading(eval_set.threads, eval_set.notes)


def _read(chosen: Format, content: Content) -> Reading:
    try:
        reading = chosen.read(content.value)
    except (AttributeError, LookupError, TypeError, ValueError) as wrong:
        text = f"{type(wrong).__name__}: {wrong}" if isinstance(wrong, AttributeError | LookupError) else str(wrong)
        expected = f"a recording of the format {chosen.name}"
        raise EvalSetError([Problem(content.file, None, None, "", expected, f"one that breaks it: {text}")]) from wrong
    notes = tuple(f"{content.file}: {note}" for note in reading.notes)
    return Reading(reading.threads, notes, reading.incomplete)
