"""A whole run offline: 1,000 threads of 5 turns of 3 calls, checked against a recording of themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.workloads import plain_run
from trajectory import load_eval_set, load_recordings
from trajectory.evaluations import Outcome, judge
from trajectory.replay import RecordedRun, replay
from trajectory.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.conftest import Comparison

THREADS, TURNS, CALLS = 1000, 5, 3
BOTH_FILES = "json.loads of both files"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("run")
    paths = folder / "x.evalset.json", folder / "recorded.json"
    for path in paths:
        path.write_text(plain_run(THREADS, TURNS, CALLS), "utf-8")
    return paths


def parse(files: tuple[Path, Path]) -> None:
    for path in files:
        json.loads(path.read_bytes())


def run_in_process(files: tuple[Path, Path]) -> None:
    settings = Settings()
    recorded = RecordedRun(load_recordings(files[1]).threads)
    for thread in load_eval_set(files[0]).threads:
        result = judge(replay(recorded, thread, turn_timeout=settings.turn_timeout), settings)
        assert result.outcome is Outcome.PASSED


def run_pytest(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_in_process(compare: Comparison, files: tuple[Path, Path]) -> None:
    compare(
        "load, replay and judge 1,000 threads",
        lambda: run_in_process(files),
        reference=BOTH_FILES,
        against=lambda: parse(files),
        at_most=12,
    )


def test_pytest(compare: Comparison, files: tuple[Path, Path]) -> None:
    compare(
        "pytest --evalset --recorded, 1,000 threads",
        lambda: run_pytest(files[0].parent, "--evalset", files[0].name, "--recorded", files[1].name),
        reference=BOTH_FILES,
        against=lambda: parse(files),
        at_most=40,
        rounds=3,
    )


def test_pytest_against_plain_tests(compare: Comparison, files: tuple[Path, Path], tmp_path: Path) -> None:
    source = f"import pytest\n@pytest.mark.parametrize('n', range({THREADS}))\ndef test(n):\n    pass\n"
    (tmp_path / "test_nothing.py").write_text(source, "utf-8")
    compare(
        "pytest --evalset --recorded, 1,000 threads",
        lambda: run_pytest(files[0].parent, "--evalset", files[0].name, "--recorded", files[1].name),
        reference="1,000 tests that do nothing",
        against=lambda: run_pytest(tmp_path, "."),
        at_most=5,
        rounds=3,
    )
