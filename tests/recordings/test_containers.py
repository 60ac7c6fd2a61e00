"""What a file may hold, and what happens when it does not hold all of it."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.errors import EvalSetError
from trajectory.recordings import load_recordings
from trajectory.recordings.containers import read_content

if TYPE_CHECKING:
    from pathlib import Path

FIRST: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hellö"}]}
SECOND: dict[str, Any] = {"messages": [{"role": "user", "content": "bye"}]}
LINES = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in (FIRST, SECOND))
PRETTY = "\n".join(json.dumps(record, indent=1) for record in (FIRST, SECOND))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "run.jsonl"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (json.dumps(FIRST), [FIRST]),
        (LINES, [FIRST, SECOND]),
        (LINES.replace("\n", "\r\n\r\n"), [FIRST, SECOND]),
        ("\ufeff" + LINES, [FIRST, SECOND]),
        (PRETTY, [FIRST, SECOND]),
        (json.dumps([FIRST, SECOND]), [FIRST, SECOND]),
        (json.dumps(FIRST["messages"], indent=1), FIRST["messages"]),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_can_be_read_whole(file: Path, data: str, value: Any, packed: bool) -> None:  # noqa: FBT001 - parametrized
    name = "run.jsonl.gz" if packed else "run.jsonl"
    (file.parent / name).write_bytes(gzip.compress(data.encode()) if packed else data.encode())
    content = read_content(name)
    assert (content.value, content.notes, content.incomplete) == (value, (), False)


def test_a_file_of_one_document_is_no_list(file: Path) -> None:
    (file.parent / "run.json").write_text(json.dumps(FIRST), "utf-8")
    assert read_content("run.json").value == FIRST


def test_packed_members_one_after_the_other(file: Path) -> None:
    first, second = LINES.encode().splitlines(keepends=True)
    file.write_bytes(gzip.compress(first) + gzip.compress(second))
    assert read_content("run.jsonl").value == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (
            LINES[:-10].encode(),
            "run.jsonl:2:42: /messages/0/content expected a value, found the end of the line (the text seems to be cut off); this line was left out",
        ),
        (b"oops\n" + LINES.encode(), "run.jsonl:1:1: expected a value, found 'oops'; this line was left out"),
        (b"5\n" + LINES.encode(), "run.jsonl:1: expected a record, found something else; this line was left out"),
        (b"[1]\n" + LINES.encode(), "run.jsonl:1: expected a record, found something else; this line was left out"),
        (
            LINES.encode() + b'{"a": NaN}',
            "run.jsonl:3:7: /a expected a number, a string or null, found NaN (JSON has no such number); this line was left out",
        ),
        (
            PRETTY.encode() + b'\n{"messages": [',
            "run.jsonl:21: what stands from here on is no JSON document; it was left out",
        ),
        (LINES.encode() + "\u20ac".encode()[:2], "run.jsonl: the file ends inside of a character"),
        (gzip.compress((LINES * 50).encode())[:-20], "run.jsonl: the compressed file was cut off"),
    ],
)
def test_what_cannot_be_read_is_noted_and_the_rest_is_kept(file: Path, data: bytes, note: str) -> None:
    file.write_bytes(data)
    content = read_content("run.jsonl")
    assert content.value[-1] in (FIRST, SECOND)
    assert note in content.notes
    assert content.incomplete


def test_recordings_say_that_they_are_incomplete(file: Path) -> None:
    file.write_text(LINES[:-10], "utf-8")
    recordings = load_recordings("run.jsonl")
    assert recordings.incomplete
    assert [thread.id for thread in recordings.threads] == ["run"]
    assert "this line was left out" in recordings.notes[0]


def test_many_lines_that_cannot_be_read_do_not_flood(file: Path) -> None:
    file.write_text("oops\n" * 25 + LINES * 20, "utf-8")
    notes = read_content("run.jsonl").notes
    assert (len(notes), notes[-1]) == (21, "run.jsonl: 5 further lines were left out")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.json", b"", "a.json: expected recordings, found an empty file"),
        ("a.json", b" \n", "a.json: expected recordings, found nothing but white space"),
        ("a.json", b'{"a": 1', "a.json:1:8: /a expected a comma or '}', found the end of the file (the text seems to be cut off)"),
        ("a.json", b'{"a": 1} x', "a.json:1:10: expected nothing after the document, found 'x' (a file of one document a line is named .jsonl)"),
        ("a.json", b'{"a": 1, "a": 2}', "a.json:1:10: /a expected each key once in an object, found the key 'a' again (the first one stands at line 1, column 2)"),
        ("a.jsonl", b"\noops\noops", "a.jsonl:2:1: expected a value, found 'oops'"),
        ("a.json", b"\xff\xfe{\0", "a.json: expected UTF-8 text, found what looks like UTF-16 or UTF-32 (save the file as UTF-8)"),
        ("a.json", b'"\xe9"', "a.json:1:2: expected UTF-8 text, found the byte 0xE9 (save the file as UTF-8)"),
        ("a.json.gz", b"\x1f\x8bxxxxxxxxxxxxxx", "a.json.gz: expected a compressed file that is whole, found a damaged one"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_at_all(file: Path, name: str, data: bytes, message: str) -> None:
    (file.parent / name).write_bytes(data)
    with pytest.raises(EvalSetError) as caught:
        read_content(name)
    assert str(caught.value).startswith(message)


def test_zstandard_needs_a_library(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajectory.recordings.compression._ZSTD_LIBRARIES", ("no_such_library",))
    file.write_bytes(b"\x28\xb5\x2f\xfdxxxx")
    with pytest.raises(
        EvalSetError, match=r"compressed with Zstandard \(pip install 'pytest-trajectory\[zstd\]' reads it\)"
    ):
        read_content("run.jsonl")


def test_zstandard(file: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    file.write_bytes(zstandard.compress(LINES.encode()))
    assert read_content("run.jsonl").value == [FIRST, SECOND]
