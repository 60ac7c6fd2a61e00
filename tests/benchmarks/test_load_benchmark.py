"""Loading an eval set of 20 MB against the standard parser on the same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.workloads import plain_run, recorded_thread
from tests.evalset.documents import eval_set_document
from trajectory import load_eval_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.benchmarks.conftest import Comparison

SIZE = 20_000_000
"""Bytes."""


def of_editors() -> str:
    """Files in which every round repeats the conversation so far: few records, long texts."""
    size = len(json.dumps(recorded_thread(""), indent=2))
    threads = (recorded_thread(str(number)) for number in range(SIZE // size))
    return json.dumps(eval_set_document(*threads), indent=2)


def of_calls() -> str:
    """Files that consist of tool calls: as many records to a megabyte as there can be."""
    return plain_run(SIZE // len(plain_run(1, 5, 3)), 5, 3)


@pytest.mark.parametrize("written", [of_editors, of_calls])
def test_load(compare: Comparison, tmp_path: Path, written: Callable[[], str]) -> None:
    path = tmp_path / "large.evalset.json"
    path.write_text(written(), "utf-8")
    data = path.read_bytes()
    compare(
        f"load 20 MB {written.__name__}".replace("_", " "),
        lambda: load_eval_set(path),
        reference="json.loads of the same bytes",
        against=lambda: json.loads(data),
        at_most=4,
    )
