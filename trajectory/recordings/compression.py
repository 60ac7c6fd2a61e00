"""Compressed files, told by their first bytes."""

from __future__ import annotations

import importlib
import zlib
from typing import Any, Final

from trajectory.evalset.files import refuse

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_LIBRARIES: Final = ("compression.zstd", "backports.zstd", "zstandard")
_WITH_GZIP_HEADER: Final = 31


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


def _unpack(file: str, data: bytes, start: Any, error: type[Exception]) -> tuple[bytes, str]:
    """Unpack members one after the other; of one that was cut off, what is there."""
    found: list[bytes] = []
    while data:
        member = start()
        try:
            found.append(member.decompress(data))
        except error as problem:
            refuse(file, "a compressed file that is whole", f"a damaged one ({problem})")
        if not member.eof:
            return b"".join(found), f"{file}: the compressed file was cut off"
        data = member.unused_data
    return b"".join(found), ""


def _zstd(file: str) -> Any:
    for name in _ZSTD_LIBRARIES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return refuse(
        file, "a file that can be unpacked", "one compressed with Zstandard", "pip install zstandard reads it"
    )


def _zstd_decompressor(library: Any) -> Any:
    decompressor = library.ZstdDecompressor()
    return decompressor.decompressobj() if hasattr(decompressor, "decompressobj") else decompressor
