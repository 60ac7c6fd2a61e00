"""Loading an eval set of 20 MB against the standard parser on the same bytes: the goal is under four times its time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.evalset.documents import TIME, eval_set_document, thread_document, trace_document
from trajectory.evalset import load_eval_set

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTES = 20


def recorded_turn() -> dict[str, Any]:
    """A turn as editors record it: most of the text stands in the histories of the iterations."""
    call = {"name": "search", "arguments": {"query": "tool trajectories", "limit": 10, "score": 0.5}}
    asks = {"role": "assistant", "content": None, "toolCalls": [call]}
    answer = {"role": "function", "name": "search", "content": "nothing of that kind " * 5}
    history = [{"role": "system", "content": "You search. " * 20}, {"role": "user", "content": "hi"}, asks, answer]
    rounds = [
        {"history": history * length, "output": asks, "startTime": TIME, "endTime": [1_785_574_802, 0.25]}
        for length in (1, 2, 3)
    ]
    tool = {"name": "search", "description": "Searches", "parametersSchema": {"type": "object", "properties": {}}}
    return trace_document(iterations=rounds, toolCalls=[call] * 3, tools=[tool] * 4)


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    traces = [recorded_turn() for _ in range(4)]
    size = len(json.dumps(thread_document("", *traces), indent=2))
    threads = (thread_document(str(number), *traces) for number in range(MEGABYTES * 1_000_000 // size))
    path = tmp_path_factory.mktemp("large") / "large.evalset.json"
    path.write_text(json.dumps(eval_set_document(*threads), indent=2), "utf-8")
    return path


@pytest.mark.benchmark(group="load 20 MB")
def test_standard_parser(benchmark: Any, large_file: Path) -> None:
    data = large_file.read_bytes()
    benchmark.pedantic(json.loads, args=(data,), rounds=5)


@pytest.mark.benchmark(group="load 20 MB")
def test_load_eval_set(benchmark: Any, large_file: Path) -> None:
    benchmark.pedantic(load_eval_set, args=(large_file,), rounds=5)
