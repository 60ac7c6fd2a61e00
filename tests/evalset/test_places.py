"""Where threads stand in their file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.sets import eval_set_text, thread
from trajectory.evalset.places import thread_places

if TYPE_CHECKING:
    from pathlib import Path

NATIVE = eval_set_text({"a": [("hi", [])], "b": []})


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("x.json", '{"threads": [\n  {"id": "a"},\n {"id": "b", "x": [{"id": "c"}]}\n]}', {"a": (2, 3), "b": (3, 2)}),
        ("x.json", '{"eval_set_id": "s",\n"eval_cases": [{"eval_id": "a"}]}', {"a": (2, 16)}),
        ("x.json", '[\n{"name": "a"}]', {"a": (2, 1)}),
        ("x.jsonl", f"{json.dumps(thread('a', []))}\n\n{json.dumps(thread('b', []))}\n", {"a": (1, 1), "b": (3, 1)}),
        ("x.json", "{", {}),
        ("x.json", "5", {}),
        ("x.json", '{"threads": 5}', {}),
        ("x.json", '{"threads": [5, {"id": 5}]}', {}),
        ("x.jsonl", "{\n", {}),
        ("x.json", "\ufeff{}", {}),
    ],
)
def test_places(tmp_path: Path, name: str, text: str, places: dict[str, tuple[int, int]]) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert thread_places(tmp_path / name) == places


def test_a_native_set(tmp_path: Path) -> None:
    (tmp_path / "x.evalset.json").write_text(NATIVE, encoding="utf-8")
    line, column = thread_places(tmp_path / "x.evalset.json")["b"]
    assert json.loads(NATIVE.splitlines()[line][column:].strip().removesuffix(",").partition(": ")[2]) == "b"


@pytest.mark.parametrize("name", ["nothing.json", ".", "a\0b", ""])
def test_no_file(tmp_path: Path, name: str) -> None:
    assert thread_places(f"{tmp_path}/{name}") == {}
