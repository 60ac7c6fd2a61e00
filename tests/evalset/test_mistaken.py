"""Files that are no JSON at all: the error says what they are, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trajectory.errors import EvalSetError
from trajectory.evalset import load_eval_set
from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from pathlib import Path

KINDS: dict[str, tuple[bytes, str]] = {
    "parquet": (b"PAR1\x15\xff", "a Parquet file (write its rows as JSON, one a line"),
    "arrow": (b"ARROW1\0\0", "an Arrow file (write its rows"),
    "sqlite": (b"SQLite format 3\0\x10", "a SQLite database (write its rows"),
    "pdf": (b"%PDF-1.7\n\xff", "a PDF file (name the file"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a pointer of Git LFS instead of the file"),
    "html": (b"\n<!DOCTYPE html>\n<html></html>", "what looks like HTML or XML (a page may have been saved"),
    "yaml": (b"threads:\n  - id: a\n", "what looks like YAML (write it as JSON)"),
    "yaml list": (b"- id: a\n", "what looks like YAML"),
    "yaml document": (b"---\nid: a\n", "what looks like YAML"),
    "csv": (b"id,query\n1,hello\n", "what looks like CSV (write its rows"),
    "log": (b'2026-08-01T10:00:00Z INFO {"role": "user"}\n', "lines of a log, which begin with a time"),
    "log in brackets": (b'[2026-08-01 10:00:00] {"role": "user"}\n', "lines of a log"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".evalset.json"])
def test_a_file_of_another_kind(tmp_path: Path, kind: str, suffix: str) -> None:
    file = tmp_path / f"run{suffix}"
    content, words = KINDS[kind]
    file.write_bytes(content)
    with pytest.raises(EvalSetError) as refused:
        (load_eval_set if suffix == ".evalset.json" else load_recordings)(file)
    assert words in str(refused.value)
    assert "expected JSON" in str(refused.value)


@pytest.mark.parametrize("magic", [b"PK\x03\x04", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"])
def test_an_eval_set_that_is_packed(tmp_path: Path, magic: bytes) -> None:
    file = tmp_path / "set.evalset.json"
    file.write_bytes(magic)
    with pytest.raises(EvalSetError, match="unpack it first"):
        load_eval_set(file)


def test_events_that_a_server_sent(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    started = '{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}'
    called = '{"type": "TOOL_CALL_START", "toolCallId": "1", "toolCallName": "f"}'
    file.write_text(f"event: message\ndata: {started}\n\n: still here\ndata: {called}\n\ndata: [DONE]\n", "utf-8")
    (thread,) = load_recordings(file).threads
    assert [call.name for trace in thread.traces for call in trace.trajectory] == ["f"]
