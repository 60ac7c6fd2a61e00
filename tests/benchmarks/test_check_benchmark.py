"""Checking recorded runs against an eval set, against the standard parser on the same bytes; and the memory that takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.benchmarks.recordings import ANSWER, openai_line, turns
from tests.benchmarks.test_startup_benchmark import seconds_of
from trajectory.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.conftest import Comparison

MEGABYTES = int(os.environ.get("TRAJECTORY_BENCHMARK_MEGABYTES", "10"))
STREAM_MEGABYTES = int(os.environ.get("TRAJECTORY_BENCHMARK_STREAM_MEGABYTES", "200"))
MEMORY = 300_000_000
USUAL, LONG = 8, 40  # times what a tool gives back in the short conversations
TIMES = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:01Z"}
MEASURED = r"""
import re, sys
from pathlib import Path
from trajectory.cli import main
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())  # of this program, not of who started it
print(int(peak[1]) * 1024, file=sys.stderr)
sys.exit(code)
"""


def eval_set_of(count: int) -> dict[str, Any]:
    """Make the eval set of so many conversations: what the user said, the calls, the answers."""
    threads = []
    for number in range(count):
        traces = [
            {
                "id": f"{number}-{place}",
                "userMessage": {"role": "user", "content": asked},
                "iterations": [],
                "toolCalls": calls,
                "output": {"role": "assistant", "content": ANSWER},
                "tools": [],
                **TIMES,
            }
            for place, (asked, calls) in enumerate(turns(number))
        ]
        threads.append({"id": f"thread-{number}", "name": "", "description": "", "traces": traces})
    return {"id": "orders", "name": "orders", "description": "", "threads": threads}


def write(folder: Path, megabytes: int, *, results: int = 1) -> int:
    """Write recorded conversations until so many bytes are full, and their eval set; tell how many there are."""
    size, count = megabytes * 1_000_000, 0
    with (folder / "run.jsonl").open("w", encoding="utf-8") as stream:
        while size > 0:
            line = openai_line(count)
            if results > 1:
                line = json.dumps(_lengthened(json.loads(line), results))
            size -= stream.write(line + "\n")
            count += 1
    (folder / "orders.evalset.json").write_text(json.dumps(eval_set_of(count)), "utf-8")
    return count


def _lengthened(record: dict[str, Any], results: int) -> dict[str, Any]:
    for message in record["messages"]:
        if message["role"] == "tool":
            message["content"] *= results
    return record


@pytest.mark.parametrize("texts", [("short texts", 1, 25), ("tool results of 8 kB", USUAL, 9)], ids=["short", "usual"])
def test_check(
    compare: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: tuple[str, int, float]
) -> None:
    monkeypatch.chdir(tmp_path)
    kind, results, limit = texts
    write(tmp_path, MEGABYTES, results=results)
    lines = (tmp_path / "run.jsonl").read_bytes().splitlines()
    compare(
        f"check {MEGABYTES} MB of recorded threads, {kind}",
        lambda: main(["check", "orders.evalset.json", "run.jsonl"]),
        reference="json.loads of the same lines",
        against=lambda: [json.loads(line) for line in lines],
        at_most=limit,
        rounds=3,
    )


def test_check_of_one_thread(compare: Comparison, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(openai_line(0) + "\n", "utf-8")
    (tmp_path / "orders.evalset.json").write_text(json.dumps(eval_set_of(1)), "utf-8")
    words = ("-m", "trajectory.cli", "check", "orders.evalset.json", "run.jsonl")
    compare(
        "trajectory check of one thread",
        lambda: seconds_of(tmp_path, *words),
        reference="python -c pass",
        against=lambda: seconds_of(tmp_path, "-c", "pass"),
        at_most=60,
        rounds=10,
    )


def test_the_memory_of_a_stream_is_bounded(tmp_path: Path) -> None:
    """How much a check takes depends on the eval set, not on the size of the recording."""
    write(tmp_path, STREAM_MEGABYTES, results=LONG)
    words = ["check", "orders.evalset.json", "run.jsonl"]
    done = subprocess.run([sys.executable, "-c", MEASURED, *words], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()
    peak = int(done.stderr.split()[-1])
    print(f"check of {STREAM_MEGABYTES} MB: {peak / 1e6:.0f} MB at most")  # noqa: T201 - what is measured
    assert peak < MEMORY
