"""What the installed plugin imports in the runs of people who do not use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import trajectory
from tests.sets import call, eval_set_text

LISTING = """
import json, sys

def pytest_unconfigure():
    with open("modules.json", "w", encoding="utf-8") as stream:
        json.dump(list(sys.modules), stream)
"""

LIGHT = {
    "trajectory",
    "trajectory.ambient",
    "trajectory.pytest_plugin",
    "trajectory.pytest_plugin.hooks",
    "trajectory.pytest_plugin.hookspecs",
    "trajectory.pytest_plugin.options",
    "trajectory.setting_options",
}
HEAVY = {"asyncio", "concurrent", "email", "http", "importlib.metadata", "multiprocessing", "ssl", "unittest", "urllib"}

AS_INSTALLED = ("-p", "trajectory")
"""By its entry point, and no other plugin beside it: another one may import pydantic itself."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that has nothing to do with agents, except that an eval set lies in it."""
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n", "utf-8")
    (tmp_path / "listing.py").write_text(LISTING, "utf-8")
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n", "utf-8")
    (tmp_path / "x.evalset.json").write_text(eval_set_text({"a": [("hi", [call("search")])]}), "utf-8")
    return tmp_path


def modules_of(project: Path, *words: str, alone: bool = True) -> set[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(trajectory.__file__).parent.parent)}
    if alone:
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words, "-p", "listing"]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr
    return set(json.loads((project / "modules.json").read_text("utf-8")))


@pytest.mark.parametrize("words", [(), ("--strict-markers", "--strict-config"), ("--collect-only",), ("--fixtures",)])
def test_a_run_without_eval_sets_imports_next_to_nothing(project: Path, words: tuple[str, ...]) -> None:
    added = modules_of(project, *AS_INSTALLED, *words) - modules_of(project, *words)
    assert {module for module in added if module.partition(".")[0] not in sys.stdlib_module_names} == LIGHT
    assert not {module for module in added if {module, module.partition(".")[0]} & HEAVY}


def test_it_is_the_same_beside_all_other_plugins(project: Path) -> None:
    added = modules_of(project, alone=False) - modules_of(project, "-p", "no:trajectory", alone=False)
    assert {module for module in added if module.partition(".")[0] not in sys.stdlib_module_names} == LIGHT


def test_an_eval_set_in_play_brings_in_the_rest(project: Path) -> None:
    words = ("--evalset", "x.evalset.json", "--recorded", "x.evalset.json")
    assert modules_of(project, *AS_INSTALLED, *words) >= {"pydantic", "trajectory.conversation", "trajectory.matching"}
