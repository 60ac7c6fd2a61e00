"""What everybody pays who has the package installed, and does not use it in this run."""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.benchmarks.conftest import Ratio, cpu_seconds

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.conftest import Comparison

PAIRS = 40
RUN = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
WITHOUT = ("-p", "no:trajectory")


def seconds_of(folder: Path, *words: str) -> float:
    begun = cpu_seconds()
    subprocess.run([sys.executable, *words], cwd=folder, check=True, capture_output=True)
    return cpu_seconds() - begun


def test_plugin(tmp_path: Path, ratios: list[Ratio]) -> None:
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n", "utf-8")
    seconds_of(tmp_path, *RUN)  # compiles what has to be compiled
    pairs = [(seconds_of(tmp_path, *RUN), seconds_of(tmp_path, *RUN, *WITHOUT)) for _ in range(PAIRS)]
    ratio = Ratio(
        "what the plugin adds to a run without eval sets",
        statistics.median(with_it - without for with_it, without in pairs),
        "that run without the plugin",
        statistics.median(without for _, without in pairs),
        at_most=0.03,  # 10 ms of a third of a second, which the smallest run takes on a machine of its own
    )
    ratios.append(ratio)
    assert ratio.value <= ratio.at_most, ratio.line


def test_command_line(compare: Comparison, tmp_path: Path) -> None:
    compare(
        "trajectory --version",
        lambda: seconds_of(tmp_path, "-m", "trajectory.cli", "--version"),
        reference="python -c pass",
        against=lambda: seconds_of(tmp_path, "-c", "pass"),
        at_most=6,
        rounds=20,
    )
