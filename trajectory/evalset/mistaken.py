"""Files that are something else than JSON, told by how they begin: what they are, and what to do."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_ROWS: Final = "write its rows as JSON, one a line, into a file named .jsonl"


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        what: What it is.
        hint: What to do about it.
    """

    what: str
    hint: str


_BY_BYTES: Final = (
    (b"PAR1", Kind("a Parquet file", _ROWS)),
    (b"ARROW1", Kind("an Arrow file", _ROWS)),
    (b"SQLite format 3\0", Kind("a SQLite database", _ROWS)),
    (b"%PDF-", Kind("a PDF file", "name the file that holds the data")),
    (b"PK\x03\x04", Kind("a ZIP archive", "unpack it first")),
    (b"\x1f\x8b", Kind("a file that is compressed with gzip", "unpack it first")),
    (b"\x28\xb5\x2f\xfd", Kind("a file that is compressed with Zstandard", "unpack it first")),
)
_BY_TEXT: Final = (
    (
        r"version https://git-lfs",
        Kind("a pointer of Git LFS instead of the file", "fetch the file with `git lfs pull`"),
    ),
    (r"<[!?A-Za-z]", Kind("what looks like HTML or XML", "a page may have been saved instead of the data")),
    (
        r"[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d",
        Kind("lines of a log, which begin with a time", "keep of each line only the JSON document"),
    ),
    (r"(data|event|id|retry):", Kind("server-sent events", "keep of each line only what follows 'data:'")),
    (r"---\s*\n|-\s+\S|[A-Za-z_][\w -]*:(\s|$)", Kind("what looks like YAML", "write it as JSON")),
    (r'[^{}\[\]"\n]*[,;\t][^{}\[\]\n]*(\n|$)', Kind("what looks like CSV", _ROWS)),
)
_TEXTS: Final = tuple((re.compile(rf"\s*({pattern})"), kind) for pattern, kind in _BY_TEXT)
_LONGEST: Final = 4096


def kind_of_bytes(data: bytes) -> Kind | None:
    """Tell what kind of binary file begins so; ``None`` when none that is known does."""
    return next((kind for magic, kind in _BY_BYTES if data.startswith(magic)), None)


def kind_of_text(text: str) -> Kind | None:
    """Tell what kind of text that is no JSON begins so; ``None`` when none that is known does."""
    return next((kind for pattern, kind in _TEXTS if pattern.match(text[:_LONGEST])), None)
