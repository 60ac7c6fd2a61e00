"""Recordings as a stream, as a whole, and in several processes: the same comes of them."""

from __future__ import annotations

import gzip
import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

import pytest

from tests.command_line import (
    TIMES,
    Desk,
    bad,
    good,
    journal_lines,
    lines_of,
    openai,
    outcomes,
    untimed,
    wait_for,
    without,
)
from tests.sets import eval_set
from trajectory import ConversationThread
from trajectory.recordings import atif_writing
from trajectory.runs import JOURNAL_SUFFIX, load_run
from trajectory.suite import recorded_work, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.sets import Turn

    Record = dict[str, Any]

CHECK = ("check", "x.evalset.json")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)


def native(identity: str, turns: Sequence[Turn]) -> Record:
    record: Record = eval_set({identity: turns})["threads"][0]
    return record


def atif(identity: str, turns: Sequence[Turn]) -> Record:
    return dict(atif_writing.atif_trajectory(ConversationThread.model_validate(native(identity, turns))))


ASKED = {f"t{number:02}": good(number, number + 100) for number in range(30)}
RECORDED = {
    **dict(reversed(ASKED.items())),
    "t03": [*bad(3), *good(103)],
    "t05": good(5),
    "t07": good(7, 107, 207),
    "t09": good(9, 77),
    "stray": good(999),
}
del RECORDED["t11"]


@pytest.mark.parametrize("form", [native, openai, atif])
def test_the_same_threads_come_to_the_same(desk: Desk, form: Callable[[str, Sequence[Turn]], Record]) -> None:
    desk.eval_set(ASKED)
    records = {name: form(name, turns) for name, turns in RECORDED.items()}
    desk.write("streamed.jsonl", lines_of(records.values()))
    desk.write("whole.jsonl.gz", gzip.compress(lines_of(records.values()).encode()))
    for name, record in records.items():
        one_file = eval_set([record]) if form is native else record
        desk.write(f"folder-of-them/{name}.json", json.dumps(one_file))
    found = []
    for file in ("streamed.jsonl", "whole.jsonl.gz", "folder-of-them"):  # names of one length, or lines break elsewhere
        assert isinstance(sources.open_source(file), sources.Lines) is (file == "streamed.jsonl")
        said, report = desk.report(*CHECK, file)
        assert said.code == 3
        found.append((untimed(said.out.replace(file, "FILE")), json.loads(json.dumps(report).replace(file, "FILE"))))
    assert found[0][1] == found[1][1]
    assert found[0][1] == found[2][1]
    assert found[0][0][1:] == found[1][0][1:] == found[2][0][1:]
    came_to = outcomes(found[0][1])
    assert {name: outcome for name, outcome in came_to.items() if outcome != "passed"} == {
        "t03": "failed",
        "t05": "error",
        "t07": "failed",
        "t09": "error",
        "t11": "error",
    }


# ------------------------------------------------------------------------------------------------- in several processes


def both(desk: Desk, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[tuple[int, Any, Any], ...]:
    """Check in one process and in two, in small pieces; give what each said and wrote."""
    monkeypatch.setattr(sources, "_CHUNK_BYTES", 2000)
    found = []
    for jobs in ("1", "2"):
        said = desk.run(*CHECK, *words, "--jobs", jobs, "--results", f"{jobs}.json", "--report", f"{jobs}.md")
        results = json.loads((desk.folder / f"{jobs}.json").read_text("utf-8"))
        kept = without(TIMES - {"command"} | {"session_id"}, results)
        found.append((said.code, untimed(said.out), kept))
    return tuple(found)


@pytest.mark.parametrize(
    ("recorded", "words", "code"),
    [
        (lines_of(native(*one) for one in RECORDED.items()) + '{"id": "cut', (), 3),
        (lines_of(openai(f"r{name}", turns) for name, turns in RECORDED.items()), ("--pair-by", "query"), 3),
        (lines_of({"messages": openai(*one)["messages"]} for one in ASKED.items()), ("--pair-by", "order"), 0),
    ],
    ids=["by id, with errors and notes", "by query", "by order, without ids"],
)
def test_two_processes_come_to_the_same_as_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, recorded: str, words: Sequence[str], code: int
) -> None:
    desk.eval_set(ASKED)
    desk.write("run.jsonl", recorded)
    one, two = both(desk, monkeypatch, "run.jsonl", *words)
    assert one == two
    assert one[0] == code
    if code and not words:  # also where passing threads are not kept as a whole
        for jobs in ("1", "2"):
            said = desk.run(*CHECK, "run.jsonl", "--jobs", jobs)
            assert (said.code, untimed(said.out)) == one[:2]


def test_several_files_in_two_processes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.eval_set(ASKED)
    names = list(ASKED)
    desk.lines({name: ASKED[name] for name in names[:20]}, "first.jsonl")
    desk.write("second.json", json.dumps(openai("none", ASKED[names[20]])))
    for name in names[21:]:
        desk.write(f"rest/{name}.json", json.dumps(openai(name, ASKED[name])))
    one, two = both(desk, monkeypatch, "first.jsonl", "second.json", "rest")
    assert one == two
    assert one[0] == 0


DYING = """
import os
from trajectory.suite import recorded_work

def work(source, piece, wanted):
    if b'"t09"' in piece[0][1] or b'"t08"' in piece[0][1]:
        os._exit(1)
    return recorded_work._DESK[0].work(source, piece, wanted)
"""


def test_a_process_that_dies_is_never_green(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed as by the system when memory is short; what was done before is kept."""
    desk.write("dying.py", DYING)
    monkeypatch.syspath_prepend(desk.folder)
    monkeypatch.setattr(recorded_work, "_work", importlib.import_module("dying").work)
    monkeypatch.setattr(sources, "_CHUNK_BYTES", 2000)
    desk.eval_set(ASKED)
    desk.lines(ASKED)
    words = ("--jobs", "2", "--min-pass-rate", "0", "--max-errors", "100", "--results", "run.json")
    said, report = desk.report(*CHECK, "run.jsonl", *words)
    assert said.code == 3
    assert "!!! a process that checked threads died" in said.out
    assert report["standing"] == "not evaluated"
    kept = load_run(desk.folder / "run.json")
    assert not kept.complete
    assert 0 < len(kept.threads) < 10


@pytest.mark.parametrize(("file", "jobs"), [("run.jsonl.gz", "1"), ("run.jsonl", "2")])
def test_what_was_checked_before_an_interrupt_is_kept(desk: Desk, file: str, jobs: str) -> None:
    """As a terminal does it: every process of the group is interrupted."""
    threads = {f"t{number}": good(number) for number in range(2000)}
    desk.eval_set(threads)
    recorded = b"".join(wide(*thread, 4_000) for thread in threads.items())
    desk.write(file, gzip.compress(recorded, 1) if file.endswith("gz") else recorded)
    words = [sys.executable, "-m", "trajectory.cli", *CHECK, file, "--jobs", jobs, "--results", "run.json"]
    with subprocess.Popen(
        words, cwd=desk.folder, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True
    ) as process:
        wait_for(lambda: journal_lines(desk.folder / f"run.json{JOURNAL_SUFFIX}") > 1)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert err == "interrupted\n"
    assert "the run is not complete" in out
    kept = load_run(desk.folder / "run.json")
    assert not kept.complete
    assert 0 < len(kept.threads) < len(threads)
    assert kept.threads[0].runs[0].turns[0].query == "add 0 1"
    assert desk.run("report", "run.json").code == 3


def wide(identity: str, turns: Sequence[Turn], size: int = 10_000) -> bytes:
    """Write a recorded thread with a long answer, so that not many of them are a piece."""
    thread = native(identity, turns)
    thread["traces"][0]["output"]["content"] = "x" * size
    return lines_of([thread]).encode()


def test_jobs_are_refused_where_a_judge_is_asked(desk: Desk) -> None:
    desk.eval_set(ASKED)
    desk.lines(ASKED)
    desk.write("my_judge.py", "def judge(prompt):\n    return '{}'\n")
    said = desk.run(*CHECK, "run.jsonl", "--rule", "helpfulness", "--judge", "my_judge:judge", "--jobs", "2")
    assert (said.code, said.out) == (2, "")
    assert "--jobs: rules that ask an LLM judge are checked in one process; leave it out" in said.err


# ------------------------------------------------------------------------------------------------------ in bounded memory


MEASURED = r"""
import re, sys
from pathlib import Path
from trajectory.cli import main

code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())  # of this program, not of who started it
print(int(peak[1]) // 1024, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the memory of a process on Linux alone")
def test_a_stream_is_not_held_in_memory(desk: Desk) -> None:
    """Thirty megabytes are checked, in a process of its own for its peak is measured."""
    desk.eval_set({f"t{number}": good(number) for number in range(300)})
    with (desk.folder / "run.jsonl").open("wb") as stream:
        stream.writelines(wide(f"t{number}", good(number), 100_000) for number in range(300))
    words = [sys.executable, "-c", MEASURED, *CHECK, "run.jsonl", "--results", "run.json"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, cwd=desk.folder)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stderr) < 100  # megabytes
    assert len(load_run(desk.folder / "run.json").threads) == 300
