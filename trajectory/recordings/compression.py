"""Compressed files, told by their first bytes."""

from __future__ import annotations

import importlib
import zlib
from typing import Any, Final, NoReturn

from trajectory.evalset.files import refuse

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_LIBRARIES: Final = ("compression.zstd", "backports.zstd", "zstandard")
_WITH_GZIP_HEADER: Final = 31
_STEP: Final = 4096
"""Bytes to unpack at once: even of a trap not much comes out at a time."""
_RATIO: Final = 200
_LEAST: Final = 64 * 1024 * 1024


def unpack(file: str, data: bytes) -> tuple[bytes, str]:
    """Unpack what is compressed with gzip or Zstandard; anything else is given back as it is.

    Args:
        file: The file as the user named it.
        data: Its bytes.

    Returns:
        The bytes, and a note when the end of the file is missing.

    Raises:
        EvalSetError: It is damaged, or a library is missing that reads it.
    """
    if data.startswith(_GZIP):
        return _unpack(file, data, lambda: zlib.decompressobj(_WITH_GZIP_HEADER), zlib.error)
    if data.startswith(_ZSTD):
        library = _zstd(file)
        error = getattr(library, "ZstdError", Exception)
        return _unpack(file, data, lambda: _zstd_decompressor(library), error)
    return data, ""


def most_bytes(packed: int) -> int:
    """Give how many bytes so many may unpack to; what unpacks to more is taken for a trap, not for recordings."""
    return max(_LEAST, _RATIO * packed)


def refuse_trap(file: str, packed: int) -> NoReturn:
    """Refuse what unpacks to more than that.

    Raises:
        EvalSetError: Always.
    """
    found = f"one of {packed:,} bytes that unpacks to more than {most_bytes(packed):,}"
    refuse(file, "a compressed file of recordings", found, "if it is sound, unpack it and name what was in it")


def _unpack(file: str, data: bytes, start: Any, error: type[Exception]) -> tuple[bytes, str]:
    """Unpack members one after the other; of one that was cut off, what is there."""
    found: list[bytes] = []
    left, at, member = most_bytes(len(data)), 0, start()
    while at < len(data):
        member = start() if member.eof else member
        try:
            found.append(member.decompress(data[at : at + _STEP]))
        except error as problem:
            refuse(file, "a compressed file that is whole", f"a damaged one ({problem})")
        left -= len(found[-1])
        if left < 0:
            refuse_trap(file, len(data))
        at += _STEP if not member.eof else len(data[at : at + _STEP]) - len(member.unused_data)
    return b"".join(found), "" if member.eof else f"{file}: the compressed file was cut off"


def _zstd(file: str) -> Any:
    for name in _ZSTD_LIBRARIES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return refuse(
        file,
        "a file that can be unpacked",
        "one compressed with Zstandard",
        "pip install 'pytest-trajectory[zstd]' reads it",
    )


def _zstd_decompressor(library: Any) -> Any:
    decompressor = library.ZstdDecompressor()
    return decompressor.decompressobj() if hasattr(decompressor, "decompressobj") else decompressor
