"""An interrupt can come between any two steps; what a thread came to is not lost by it."""

from __future__ import annotations

import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import call, conversation
from trajectory import EvalSet, load_run, run_eval_set
from trajectory.running import Interrupts
from trajectory.runs import Journal, content_hash

if TYPE_CHECKING:
    from pathlib import Path

    from trajectory import ConversationThread
    from trajectory.runs import ThreadEntry

SET = EvalSet(
    id="s", threads=(conversation("a", [("add", [call("add")])]), conversation("b", [("add", [call("add")])]))
)


def agent(query: str) -> dict[str, Any]:
    return {"output": "done", "tool_calls": [{"name": query, "arguments": {}}]}


@pytest.mark.parametrize("before", [True, False])
def test_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, before: bool) -> None:
    monkeypatch.chdir(tmp_path)
    add, interrupted = Journal.add, list[str]()

    def interrupt(self: Journal, entry: ThreadEntry, line: str = "") -> None:
        if not before:
            add(self, entry, line)
        if not interrupted:
            interrupted.append(entry.id)
            signal.raise_signal(signal.SIGINT)
        if before:
            add(self, entry, line)

    monkeypatch.setattr(Journal, "add", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_eval_set(SET, agent, results="run.json")
    kept = load_run("run.json")
    assert ([entry.id for entry in kept.threads], kept.complete) == (["a"], False)


@pytest.mark.parametrize("swallowed", [True, False])
def test_one_that_somebody_swallows_or_turns_into_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, swallowed: bool
) -> None:
    """As pydantic does, when it hits the middle of one of its callbacks."""
    monkeypatch.chdir(tmp_path)

    def hit(thread: ConversationThread) -> str:
        if thread.id == "b":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt as interrupt:
                if not swallowed:
                    raise ValueError from interrupt
        return content_hash(thread)

    monkeypatch.setattr("trajectory.runs.building.content_hash", hit)
    with pytest.raises(KeyboardInterrupt):
        run_eval_set(SET, agent, results="run.json")
    kept = load_run("run.json")
    assert ([entry.id for entry in kept.threads], kept.complete) == (["a"], False)


def test_while_it_is_written_and_another_has_finished_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    add, done = Journal.add, Counter[str]()

    def interrupt(self: Journal, entry: ThreadEntry, line: str = "") -> None:
        add(self, entry, line)
        if entry.id == "a" and not done["interrupted"]:
            done["interrupted"] += 1
            until = time.monotonic() + 10
            while done["checked"] < len(SET.threads) and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.1)  # from the end of the work until the result stands ready
            signal.raise_signal(signal.SIGINT)

    def count(thread: ConversationThread) -> str:
        done["checked"] += 1
        return content_hash(thread)

    monkeypatch.setattr(Journal, "add", interrupt)
    monkeypatch.setattr("trajectory.runs.building.content_hash", count)
    with pytest.raises(KeyboardInterrupt):
        run_eval_set(SET, agent, results="run.json", concurrency=2)
    kept = load_run("run.json")
    assert ([entry.id for entry in kept.threads], kept.complete) == (["a", "b"], False)


def test_who_has_taken_over_ctrl_c_keeps_it() -> None:
    heard = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
        assert (heard, interrupts.came) == ([signal.SIGINT], False)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_exceptions_pass_and_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="x"), Interrupts():
        raise ValueError("x")
    assert signal.getsignal(signal.SIGINT) is before
