"""Compressed recordings: members one after the other, cut off, and traps that unpack to more than memory holds."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.errors import EvalSetError
from trajectory.recordings import compression
from trajectory.recordings.archives import read_archive
from trajectory.recordings.compression import unpack

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = bytes(range(256)) * 100


def zstandard(data: bytes) -> bytes:
    library: Any = pytest.importorskip("zstandard")
    packed: bytes = library.compress(data)
    return packed


PACKERS = pytest.mark.parametrize("pack", [gzip.compress, zstandard])


@PACKERS
@pytest.mark.parametrize("parts", [1, 2, 50])
def test_members_one_after_the_other(pack: Callable[[bytes], bytes], parts: int) -> None:
    assert unpack("a", pack(TEXT) * parts) == (TEXT * parts, "")


@PACKERS
def test_what_was_cut_off(pack: Callable[[bytes], bytes]) -> None:
    whole = pack(TEXT)
    unpacked, note = unpack("a", whole + whole[:-5])
    assert (unpacked[: len(TEXT)], note) == (TEXT, "a: the compressed file was cut off")
    assert TEXT.startswith(unpacked[len(TEXT) :])


@PACKERS
def test_a_trap_is_refused_before_it_fills_the_memory(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "_LEAST", 100_000)
    trap = pack(b"\0" * 100_000_000)
    message = (
        rf"a: expected a compressed file of recordings, found one of {len(trap):,} bytes that unpacks to more than"
    )
    with pytest.raises(EvalSetError, match=message):
        unpack("a", trap)


def test_a_trap_in_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_LEAST", 100_000)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 100_000_000)
    with pytest.raises(EvalSetError, match=r"header\.json: expected a compressed file of recordings"):
        read_archive("a.eval", written.getvalue())


def test_what_is_well_compressed_is_no_trap() -> None:
    sound = b'{"role": "user"}\n' * 100_000
    assert unpack("a", gzip.compress(sound)) == (sound, "")
