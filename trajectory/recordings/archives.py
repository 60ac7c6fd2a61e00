"""Logs of Inspect AI in its own format, ``.eval``: a zip file with a header and a file for each sample."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from typing import Any, Final

from trajectory.evalset.document import Document
from trajectory.evalset.files import decode, refuse
from trajectory.json_values import describe
from trajectory.recordings.compression import most_bytes, refuse_trap, unpack

ZIP: Final = b"PK\x03\x04"
_HEADER: Final = "header.json"
_JOURNAL: Final = "_journal/start.json"
_SAMPLE: Final = re.compile(r"samples/.*\.json")
_ZSTANDARD: Final = 93
_DAMAGES: Final = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, struct.error)
_LOCAL_HEADER: Final = struct.Struct("<26xHH")


def read_archive(file: str, data: bytes) -> Document:
    """Read such a log as one document, which says what the JSON form of the log says.

    Args:
        file: The file as the user named it.
        data: Its bytes.

    Returns:
        The log.

    Raises:
        EvalSetError: It is damaged, is no log, or a library is missing that reads it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _log(file, data, archive)
    except (*_DAMAGES, NotImplementedError) as problem:
        refuse(file, "a zip file that can be read", f"one that cannot ({problem})")


def _log(file: str, data: bytes, archive: zipfile.ZipFile) -> Document:
    members = {member.filename: member for member in archive.infolist()}
    name = next((name for name in (_HEADER, _JOURNAL) if name in members), None)
    if name is None:
        refuse(file, "a log of Inspect AI", "a zip file without header.json", "unpack it and name a file inside it")
    samples = sorted(filter(_SAMPLE.fullmatch, members), key=_by_number)
    values = [_value(file, data, archive, members[one]) for one in (name, *samples)]
    # The header is written last: without it the run was broken off.
    status = {} if name == _HEADER else {"status": "started"}
    if not isinstance(values[0], dict):
        refuse(f"{file}/{name}", "an object", describe(values[0]))
    return Document(file, "", {**values[0], **status, "samples": values[1:]})


def _value(file: str, data: bytes, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    name = f"{file}/{member.filename}"
    if member.compress_type != _ZSTANDARD:
        with archive.open(member) as stream:
            unpacked = stream.read(most_bytes(len(data)) + 1)
        if len(unpacked) > most_bytes(len(data)):
            refuse_trap(name, len(data))
        return Document.read(name, decode(name, unpacked)).value
    lengths = _LOCAL_HEADER.unpack_from(data, member.header_offset)
    start = member.header_offset + _LOCAL_HEADER.size + sum(lengths)
    unpacked, _ = unpack(file, data[start : start + member.compress_size])
    return Document.read(name, decode(name, unpacked)).value


def _by_number(name: str) -> list[tuple[int, str]]:
    """Sample 10 comes after sample 2."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]
