"""Files as text: UTF-8 and nothing else, or an error that says where it is not."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from trajectory.errors import EvalSetError, Problem, did_you_mean
from trajectory.evalset.document import Document
from trajectory.evalset.mistaken import kind_of_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM: Final = b"\xef\xbb\xbf"
_WIDE_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
_LINES_SUFFIX: Final = ".jsonl"


def file_name(path: str | os.PathLike[str]) -> str:
    """Give the name of a file as the user wrote it."""
    return os.fsdecode(path)


def holds_lines(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file holds one JSON document a line."""
    return Path(file_name(path)).suffix.lower() == _LINES_SUFFIX


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read a file that holds one JSON document.

    Args:
        path: The file.

    Returns:
        The document.

    Raises:
        EvalSetError: The file cannot be read, is not UTF-8, or is not JSON that can be trusted.
    """
    file = file_name(path)
    text = decode(file, read_bytes(file))
    if not text.strip():
        refuse(file, "a JSON document", "nothing but white space" if text else "an empty file")
    return Document.read(file, text)


def read_bytes(file: str) -> bytes:
    """Read a file as it is.

    Args:
        file: The file as the user named it.

    Returns:
        Its bytes.

    Raises:
        EvalSetError: The file cannot be read.
    """
    with _readable(file):
        return Path(file).read_bytes()


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Read a file line by line, in bounded memory.

    Args:
        path: The file.

    Yields:
        The number of each line that is not blank, from 1, and its bytes.

    Raises:
        EvalSetError: The file cannot be read.
    """
    file = file_name(path)
    with _readable(file), Path(file).open("rb") as stream:
        for number, data in enumerate(stream, 1):
            if data.strip():
                yield number, data


def refuse(file: str, expected: str, found: str, hint: str = "") -> NoReturn:
    """Refuse a file as a whole.

    Raises:
        EvalSetError: Always.
    """
    raise EvalSetError([Problem(file, None, None, "", expected, found, hint)]) from None


@contextmanager
def _readable(file: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        refuse(file, "a file", "nothing of that name", _similar_file(file))
    except IsADirectoryError:
        refuse(file, "a file", "a directory", "name a file inside it")
    except PermissionError:
        refuse(file, "a file that can be read", "one that may not be read", "its permissions forbid it")
    except OSError as problem:
        refuse(file, "a file that can be read", problem.strerror or str(problem))
    except ValueError:
        refuse(ascii(file), "the name of a file", "one that no file can have")


def _similar_file(file: str) -> str:
    path = Path(file)
    try:
        return did_you_mean(path.name, os.listdir(path.parent))  # noqa: PTH208 - only the names
    except OSError:
        return f"there is no directory {str(path.parent)!r}"


def decode(file: str, data: bytes, line: int = 1) -> str:
    """Decode a file, or a line of it, as UTF-8.

    Args:
        file: The file as the user named it.
        data: The bytes.
        line: The line on which they begin.

    Returns:
        The text, without a byte-order mark.

    Raises:
        EvalSetError: The bytes are not UTF-8, or those of a kind of file that is no text.
    """
    if line == 1:
        if kind := kind_of_bytes(data):
            refuse(file, "JSON text", kind.what, kind.hint)
        if data.startswith(_WIDE_BOMS) or b"\0" in data[:4]:
            refuse(file, "UTF-8 text", "what looks like UTF-16 or UTF-32", "save the file as UTF-8")
        data = data.removeprefix(_BOM)
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        _refuse_byte(file, data, problem.start, line)


def _refuse_byte(file: str, data: bytes, start: int, line: int) -> NoReturn:
    before = data[:start].decode()
    column = len(before) - before.rfind("\n")
    place = line + before.count("\n"), column
    problem = Problem(file, *place, "", "UTF-8 text", f"the byte 0x{data[start]:02X}", "save the file as UTF-8")
    raise EvalSetError([problem]) from None
