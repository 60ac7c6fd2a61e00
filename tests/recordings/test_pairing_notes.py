"""A result without a call and a call without a result are facts to report, not to drop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from pathlib import Path


def call(*names: str) -> dict[str, Any]:
    made = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(identity: str, **keys: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": "ok", **keys}


def notes(folder: Path, *messages: dict[str, Any]) -> list[str]:
    file = folder / "talk.json"
    file.write_text(json.dumps([{"role": "user", "content": "hi"}, *messages]), "utf-8")
    return [note.removeprefix(f"{file}: ") for note in load_recordings(file).notes]


def test_nothing_to_report(tmp_path: Path) -> None:
    assert notes(tmp_path, call("f", "g"), result("g"), result("f")) == []
    assert notes(tmp_path, call("f", "g")) == []  # this recording keeps no results


def test_a_result_without_a_call(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "again"}
    assert notes(tmp_path, call("f"), result("f"), turn, result("f", name="f"), result("x")) == [
        "thread talk, turn 2: a result of f belongs to no call",
        "thread talk, turn 2: a result belongs to no call",
    ]


def test_a_call_without_a_result(tmp_path: Path) -> None:
    assert notes(tmp_path, call("f", "g"), result("f")) == ["thread talk, turn 1: the call of g has no result"]


def test_of_many_the_first_are_named(tmp_path: Path) -> None:
    found = notes(tmp_path, call("f"), result("f"), *(result(str(number)) for number in range(8)))
    assert found[4:] == [
        "thread talk, turn 1: a result belongs to no call",
        "3 further notes of this kind were left out",
    ]
