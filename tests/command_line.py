"""A folder in which a user types commands, and small recordings to use there."""

from __future__ import annotations

import json
import textwrap
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import tests.sets
from tests.sets import Turn, call
from trajectory.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pytest

TIMES = frozenset({"started", "ended", "seconds", "spent", "made_by", "duration", "command"})
"""What is never the same in two runs."""


def turn(number: int) -> Turn:
    """One turn that makes one call."""
    return f"add {number} 1", [call("add", a=number, b=1)]


def good(*numbers: int) -> list[Turn]:
    """Turns as they should be."""
    return [turn(number) for number in numbers]


def bad(number: int) -> list[Turn]:
    """One turn with another argument than it should have."""
    return [(f"add {number} 1", [call("add", a=number, b=2)])]


class Said(NamedTuple):
    """What a command ended with, and what it said."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """All that was said, without the line breaks that the width of a terminal makes."""
        return " ".join(f"{self.out}\n{self.err}".split())


class Desk:
    """Where a user works."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        monkeypatch.chdir(folder)

    def write(self, name: str, text: str | bytes) -> Path:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())
        return target

    def eval_set(self, threads: Any, name: str = "x.evalset.json", **keys: Any) -> Path:
        return self.write(name, tests.sets.eval_set_text(threads, **keys))

    def lines(self, threads: Any, name: str = "run.jsonl", *, end: str = "") -> Path:
        """Write recorded threads of the native shape, one a line."""
        return self.write(name, lines_of(tests.sets.eval_set(threads)["threads"]) + end)

    def run(self, *words: str) -> Said:
        """Type a command."""
        self._capsys.readouterr()
        code = main(words)
        said = self._capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Said(code, said.out, said.err)

    def report(self, *words: str) -> tuple[Said, Any]:
        """Type a command that also writes a JSON report; give that without times."""
        said = self.run(*words, "--report", "report.json")
        return said, without(TIMES, json.loads((self.folder / "report.json").read_text("utf-8")))


def lines_of(records: Iterable[Any]) -> str:
    """Write JSON Lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def openai(identity: str, turns: Sequence[Turn]) -> dict[str, Any]:
    """Write a thread as messages of OpenAI."""
    messages: list[dict[str, Any]] = []
    for number, (query, calls) in enumerate(turns):
        asked = [
            {
                "id": f"c{number}-{nth}",
                "type": "function",
                "function": {"name": one["name"], "arguments": json.dumps(one["arguments"])},
            }
            for nth, one in enumerate(calls)
        ]
        messages.append({"role": "user", "content": query})
        if asked:
            messages.append({"role": "assistant", "content": None, "tool_calls": asked})
            messages += [{"role": "tool", "tool_call_id": one["id"], "content": "ok"} for one in asked]
        messages.append({"role": "assistant", "content": f"answer to {query}"})
    return {"id": identity, "messages": messages}


def without(keys: frozenset[str], document: Any) -> Any:
    """Take keys out of a document at every depth."""
    if isinstance(document, dict):
        return {key: without(keys, value) for key, value in document.items() if key not in keys}
    return [without(keys, value) for value in document] if isinstance(document, list) else document


def untimed(out: str) -> list[str]:
    """Give the lines of a report for the terminal, but for those that tell times."""
    return [line for line in out.splitlines() if not line.startswith(("  started ", "spent: "))]


def outcomes(report: Mapping[str, Any]) -> dict[str, str]:
    """Give what each thread of a JSON report came to."""
    return {thread["id"]: thread["outcome"] for thread in report["threads"]}


def journal_lines(file: Path) -> int:
    """Count what a run that goes on has written so far."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)
