"""Loading recordings, a line for each conversation or for each span, against the standard parser on the same lines."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.recordings import openai_line, otlp_lines
from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tests.benchmarks.conftest import Comparison

MEGABYTES = int(os.environ.get("TRAJECTORY_BENCHMARK_MEGABYTES", "10"))


def openai_messages(number: int) -> list[str]:
    return [openai_line(number)]


def otlp_spans(number: int) -> list[str]:
    return list(otlp_lines(number))


def filled(write: Callable[[int], Iterable[str]], size: int) -> Iterator[str]:
    """Write conversations until so many bytes are full."""
    number = 0
    while size > 0:
        for line in write(number):
            size -= len(line)
            yield line
        number += 1


@pytest.mark.parametrize(("write", "at_most"), [(openai_messages, 12), (otlp_spans, 12)])
def test_load_recordings(
    compare: Comparison, tmp_path: Path, write: Callable[[int], Iterable[str]], at_most: float
) -> None:
    path = tmp_path / "run.jsonl"
    lines = list(filled(write, MEGABYTES * 1_000_000))
    path.write_text("\n".join(lines), "utf-8")
    compare(
        f"load {MEGABYTES} MB of {write.__name__}".replace("_", " "),
        lambda: load_recordings(path),
        reference="json.loads of the same lines",
        against=lambda: [json.loads(line) for line in lines],
        at_most=at_most,
        rounds=3,
    )
