"""The native shape: ``id``, ``name``, ``description`` and ``threads``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import ValidationError

from trajectory.conversation import TRUSTED_JSON, ConversationThread, Record
from trajectory.errors import EvalSetError, nearest
from trajectory.evalset.detection import lacks
from trajectory.evalset.document import Finding
from trajectory.evalset.matchers import report_on_matchers
from trajectory.evalset.model import EvalSet, Origin, effective_threads
from trajectory.evalset.words import findings_of, keys_of
from trajectory.json_values import describe, shorten
from trajectory.settings import EVAL_SET_KEYS, THREAD_KEYS, SettingsError, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.evalset.document import Document
    from trajectory.json_values import JsonObject, JsonValue

SHAPE: Final = "native"

_EXTENSIONS: Final = frozenset({"evaluation", "tags", "initial_state", "expected_final_state", "failed_calls"})
"""The keys that this project adds to the format: a misspelt one would silently have no effect."""
_AnyRecord = TypeVar("_AnyRecord", bound=Record)


def rule_out(value: JsonValue) -> str:
    """Say what keeps a document from being an eval set of this shape; empty when it is one."""
    return lacks(value, "threads")


def read_eval_set(document: Document) -> EvalSet:
    """Read an eval set in the native shape.

    Args:
        document: A document whose root is an object with ``threads``.

    Returns:
        The eval set.

    Raises:
        EvalSetError: The document breaks the format.
    """
    root = document.value
    threads = root["threads"] if isinstance(root["threads"], list) else []
    findings = [*_settings_findings(root, "", EVAL_SET_KEYS), *_repeated_ids(threads)]
    for index, thread in enumerate(threads):
        findings += _settings_findings(thread, f"/threads/{index}", THREAD_KEYS)
    value = {**root, "threads": [_described(thread) for thread in threads]} if threads else root
    made = _validated(document, EvalSet, value, findings)
    in_force = ((f"/threads/{index}", thread) for index, thread in enumerate(effective_threads(made)))
    matchers = report_on_matchers(document.text, in_force)
    _refuse(document, matchers.findings)
    notes = [*_eval_set_notes(document), *(f"{document.file}: {note}" for note in matchers.notes)]
    return made.read_from(Origin(document.file, SHAPE, tuple(notes)))


def read_thread(document: Document) -> ConversationThread:
    """Read one conversation thread that is a document of its own.

    Args:
        document: The document.

    Returns:
        The thread.

    Raises:
        EvalSetError: The document breaks the format.
    """
    value = document.value
    if isinstance(value, dict) and "threads" in value and "traces" not in value:
        hint = "each line of a .jsonl file is one thread; an eval set is a file of its own"
        finding = Finding("", "a conversation thread", "a whole eval set", hint)
        _refuse(document, [finding])
    findings = _settings_findings(value, "", THREAD_KEYS)
    made = _validated(document, ConversationThread, _described(value), findings)
    _refuse(document, report_on_matchers(document.text, [("", made)]).findings)
    return made


def thread_notes(thread: JsonValue, place: str) -> Iterator[str]:
    """Say what a reader wants known about a thread that it accepts.

    Args:
        thread: The thread as it stands in the file.
        place: Where that is.

    Yields:
        The notes, each with its place.
    """
    if "description" not in thread and not isinstance(thread.get("name"), str):
        yield f"{place}: no 'description', read as empty"
    yield from _misspelt(thread, place, ConversationThread)


def _eval_set_notes(document: Document) -> Iterator[str]:
    for key in ("name", "description"):
        if key not in document.value:
            yield f"{document.file}: no {key!r}, read as empty"
    yield from _misspelt(document.value, document.file, EvalSet)
    for index, thread in enumerate(document.value["threads"]):
        yield from thread_notes(thread, f"{document.file}: /threads/{index}")


def _misspelt(value: JsonObject, place: str, record: type[Record]) -> Iterator[str]:
    """Notice keys that an open record tolerates but that were most likely meant to have an effect."""
    for key in value:
        meant = _extension_meant(key, record)
        if meant is not None and meant not in value:
            yield f"{place}: the key {shorten(repr(key))} has no effect; did you mean {meant!r}?"


@lru_cache(maxsize=1024)
def _extension_meant(key: str, record: type[Record]) -> str | None:
    keys = keys_of(record)
    return None if key in keys else nearest(key, set(keys) & _EXTENSIONS)


def _described(thread: JsonValue) -> JsonValue:
    """Give a thread of an older file the description that stands there as its name."""
    if not isinstance(thread, dict) or "description" in thread or not isinstance(thread.get("name"), str):
        return thread
    return {**thread, "description": thread["name"]}


def _settings_findings(value: JsonValue, base: str, keys: Iterable[str]) -> list[Finding]:
    stated = value.get("evaluation") if isinstance(value, dict) else None
    if not isinstance(stated, dict):
        return []
    try:
        read_settings(stated, keys=keys, source=base)
    except SettingsError as wrong:
        return [Finding(f"{base}/evaluation{pointer}", *words) for pointer, *words in wrong.problems]
    return []


def _repeated_ids(threads: list[JsonValue]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for index, thread in enumerate(threads):
        name = thread.get("id") if isinstance(thread, dict) else None
        if not isinstance(name, str):
            continue
        pointer = f"/threads/{index}/id"
        if name in first:
            yield Finding(pointer, "an id that no other thread has", describe(name), first=first[name])
        first.setdefault(name, pointer)


def _validated(
    document: Document, record: type[_AnyRecord], value: JsonValue, findings: Iterable[Finding]
) -> _AnyRecord:
    found = list(findings)
    try:
        made = record.model_validate(value, by_alias=True, by_name=False, context=TRUSTED_JSON)
    except ValidationError as invalid:
        found += findings_of(invalid, value, record)
    else:
        _refuse(document, found)
        return made
    raise EvalSetError(document.problems(found))


def _refuse(document: Document, findings: Sequence[Finding]) -> None:
    if findings:
        raise EvalSetError(document.problems(findings))
