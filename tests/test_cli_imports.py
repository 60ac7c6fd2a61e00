"""What checking and running load: no test runner, and nothing that only some need."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.command_line import Desk, good

if TYPE_CHECKING:
    from pathlib import Path

LOADED = """
import json, sys
from trajectory.cli import main

code = main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
AGENT = """
def agent(query):
    _, a, b = query.split()
    return {"output": "done", "tool_calls": [{"name": "add", "arguments": {"a": int(a), "b": int(b)}}]}
"""
NEVER = {
    "_pytest",
    "httpx",
    "jinja2",
    "langchain_core",
    "numpy",
    "pytest",
    "scipy",
    "trajectory.judges.http",
    "trajectory.pytest_plugin",
    "trajectory.replay.adapters.endpoint",
}


@pytest.mark.parametrize(
    "words",
    [("check", "x.evalset.json", "run.jsonl"), ("run", "x.evalset.json", "--agent", "mine:agent")],
    ids=["check", "run"],
)
def test_no_test_runner_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    desk = Desk(tmp_path, monkeypatch, capsys)
    desk.eval_set({"a": good(1)})
    desk.lines({"a": good(1)})
    desk.write("mine.py", AGENT)
    ended = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    loaded = json.loads(ended.stderr)
    assert "trajectory.suite.engine" in loaded
    assert not NEVER & set(loaded)
