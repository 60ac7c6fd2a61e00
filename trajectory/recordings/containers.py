"""What a file of recordings holds: one JSON document or many, plain or compressed, whole or cut off.

Agents write their transcripts while they run, so a file may end in the middle of a record. What can be read is kept, what
cannot is noted, and the content says that it is incomplete.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import PROBLEMS_SHOWN, EvalSetError
from trajectory.evalset.document import Document
from trajectory.evalset.files import decode, holds_lines, read_bytes, refuse
from trajectory.evalset.mistaken import kind_of_text
from trajectory.evalset.parsing import parse
from trajectory.json_texts import read_sound
from trajectory.recordings.archives import ZIP, read_archive
from trajectory.recordings.compression import unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

_FRAME: Final = re.compile(r"\s*(data|event|id|retry):")
_END_OF_STREAM: Final = "[DONE]"
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_LONGEST_CUT: Final = 3
"""How many bytes there are at most of a character of UTF-8 that is not whole."""


@dataclass(frozen=True)
class Content:
    """What stands in a file.

    Attributes:
        file: The file as the user named it.
        documents: The JSON documents in it.
        has_records: Whether it is a file of many documents, one record each.
        notes: What could not be read.
        incomplete: Whether anything could not be read.
    """

    file: str
    documents: tuple[Document, ...]
    has_records: bool = False
    notes: tuple[str, ...] = ()
    incomplete: bool = False

    @cached_property
    def value(self) -> Any:
        """What formats look at: the value of the one document, or the list of the records."""
        values = [document.value for document in self.documents]
        return values if self.has_records else values[0]


def read_content(file: str) -> Content:
    """Read a file of recordings.

    Args:
        file: The file as the user named it.

    Returns:
        What stands in it.

    Raises:
        EvalSetError: It cannot be read, is not UTF-8, or nothing in it is JSON that can be trusted.
    """
    data, cut = unpack(file, read_bytes(file))
    if data.startswith(ZIP):
        return Content(file, (read_archive(file, data),))
    text, broken = _decode(file, data)
    if not text or text.isspace():
        refuse(file, "recordings", "nothing but white space" if text else "an empty file")
    text = _without_frames(text)
    notes = [note for note in (cut, broken) if note]
    found = _whole(file, text, notes) or _lines(file, text, notes)
    if found is None and kind_of_text(text) is None:
        found = _concatenated(file, text, notes)
    return found or _refuse(file, text)


def _without_frames(text: str) -> str:
    """Take documents out of server-sent events, as programs save them that listen to an agent; lines keep their numbers."""
    if not _FRAME.match(text):
        return text
    lines = [line.removeprefix("data:").strip() if line.startswith("data:") else "" for line in text.split("\n")]
    return "\n".join("" if line == _END_OF_STREAM else line for line in lines)


def _decode(file: str, data: bytes) -> tuple[str, str]:
    """Decode UTF-8; a file that was cut inside of a character loses this character, and that is noted."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    decoder.decode(data[-_LONGEST_CUT:])
    pending = len(decoder.getstate()[0])
    note = f"{file}: the file ends inside of a character" if pending else ""
    return decode(file, data[: len(data) - pending]), note


def _whole(file: str, text: str, notes: Sequence[str]) -> Content | None:
    if _begins_with_a_document(text):
        return None
    document = _document(file, text, 1)
    if document is None:
        return None
    has_records = holds_lines(re.sub(r"\.(gz|zst)$", "", file)) and isinstance(document.value, dict)
    return Content(file, (document,), has_records, tuple(notes), incomplete=bool(notes))


def _begins_with_a_document(text: str) -> bool:
    """Tell of a text in a short time that its first line is a document, and something else stands behind it."""
    end = text.find("\n")
    return end >= 0 and _after_space(text, end) < len(text) and bool(read_sound(text[:end]))


def _lines(file: str, text: str, notes: Sequence[str]) -> Content | None:
    """Read a record a line; a file of which most lines are none is something else."""
    lines = {number: line for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()}
    found = {number: _document(file, line, number) for number, line in lines.items()}
    kinds = {type(document.value) for document in found.values() if document} & {dict, list}
    kind = dict if dict in kinds else list
    records = [document for document in found.values() if document and isinstance(document.value, kind)]
    unread = [number for number, document in found.items() if not document or not isinstance(document.value, kind)]
    if len(records) < max(1, len(unread)):
        return None
    told = [*notes, *(_unread(file, number, lines[number]) for number in unread[:PROBLEMS_SHOWN])]
    if len(unread) > PROBLEMS_SHOWN:
        told.append(f"{file}: {len(unread) - PROBLEMS_SHOWN} further lines were left out")
    return Content(file, tuple(records), has_records=True, notes=tuple(told), incomplete=bool(told))


def _unread(file: str, number: int, line: str) -> str:
    try:
        Document.read(file, line, line=number, end="the end of the line")
    except EvalSetError as wrong:
        return f"{wrong.problems[0]}; this line was left out"
    return f"{file}:{number}: expected a record, found something else; this line was left out"


def _concatenated(file: str, text: str, notes: Sequence[str]) -> Content | None:
    """Read documents that stand one after the other, each over many lines."""
    decoder = json.JSONDecoder()
    documents: list[Document] = []
    at, line = 0, 1
    while (start := _after_space(text, at)) < len(text):
        line += text.count("\n", at, start)
        try:
            _, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        documents.append(Document.read(file, text[start:end], line=line))
        line += text.count("\n", start, end)
        at = end
    rest = text[start : start + 1]
    if len(documents) < 2 and rest not in ("{", "["):  # noqa: PLR2004 - one document and rubbish is a broken document
        return None
    if rest and documents:
        notes = [*notes, f"{file}:{line}: what stands from here on is no JSON document; it was left out"]
    return Content(file, tuple(documents), True, tuple(notes), bool(notes)) if documents else None  # noqa: FBT003


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _document(file: str, text: str, line: int) -> Document | None:
    try:
        return Document(file, text, parse(text), line)
    except (ValueError, RecursionError):
        return None


def _refuse(file: str, text: str) -> Content:
    if not holds_lines(file) or kind_of_text(text):
        return Content(file, (Document.read(file, text),))
    number, line = next((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return Content(file, (Document.read(file, line, line=number, end="the end of the line"),))
