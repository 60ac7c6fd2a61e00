"""Code blocks are real: JSON loads, Python runs, the options of commands and ini files exist."""

from __future__ import annotations

import configparser
import importlib
import inspect
import re
import shlex
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.pages import PAGES, ROOT, Block, blocks
from tests.sets import conversation
from trajectory import load_eval_set
from trajectory.cli.main import _COMMANDS
from trajectory.pytest_plugin.options import JUDGE_KEYS
from trajectory.replay import as_agent, replay
from trajectory.setting_options import SETTING_OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

INI_OPTIONS = {option.ini for option in SETTING_OPTIONS} | {"trajectory_agent", "trajectory_collect_evalsets"}
INI_OPTIONS |= {"trajectory_compare", "trajectory_fail_on"}
INI_OPTIONS |= {"trajectory_judge_cache", "trajectory_judge", "trajectory_prices", "trajectory_results"}
INI_OPTIONS |= {"trajectory_judge_", *(f"trajectory_judge_{key}" for key in JUDGE_KEYS)}
COMMAND_OPTIONS = {
    name
    for module in _COMMANDS.values()
    for parameter in importlib.import_module(module).command.params
    for name in (*parameter.opts, *parameter.secondary_opts)
}
ELSEWHERE = {"--version", "--reruns", *COMMAND_OPTIONS}  # of the command line, and of a plugin that may be switched off
SIGNATURES = [block for block in blocks("python") if block.text.rstrip().endswith("...")]
PROGRAMS = [block for block in blocks("python") if block not in SIGNATURES]
AGENTS = [block for block in PROGRAMS if "give-your-agent" in block.page and "my_agent" not in block.text]
COMMANDS = [block for block in blocks("console", "sh") if re.search(r"\bpytest\b", block.text)]


def _place(block: Block) -> str:
    return block.place


def _run(block: Block, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run an example in the repository, where a reader's own agent is in the module that examples import it from."""
    module = ModuleType("my_agent")
    vars(module)["MyAgent"] = object
    monkeypatch.setitem(sys.modules, "my_agent", module)
    monkeypatch.chdir(ROOT)
    namespace: dict[str, Any] = {"__name__": "example"}
    exec(compile(block.text, block.place, "exec"), namespace)  # noqa: S102 - our own examples
    return namespace


@pytest.mark.parametrize("block", blocks("json"), ids=_place)
def test_json_is_an_eval_set_that_loads(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "example.evalset.json"
    file.write_text(block.text, encoding="utf-8")
    assert load_eval_set(file).shape == "native"


@pytest.mark.parametrize("block", SIGNATURES, ids=_place)
def test_signatures_compile(block: Block) -> None:
    compile(block.text, block.place, "exec")


@pytest.mark.parametrize("block", PROGRAMS, ids=_place)
def test_programs_run(block: Block, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in _run(block, monkeypatch).items():
        if name.startswith("test_") and list(inspect.signature(value).parameters) == ["tmp_path"]:
            value(tmp_path)


@pytest.mark.parametrize("block", AGENTS, ids=_place)
def test_every_form_of_agent_shown_is_one(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _run(block, monkeypatch)
    agent = next(shown[name] for name in ("make_agent", "agent", "Agent") if name in shown)
    replayed = replay(as_agent(agent), conversation("a", [("hello", []), ("again", [])]), turn_timeout=10)
    assert [turn.failure for turn in replayed.turns] == [None, None]


@pytest.mark.parametrize("block", blocks("ini"), ids=_place)
def test_ini_options_exist(block: Block) -> None:
    ini = configparser.ConfigParser()
    ini.read_string(block.text)
    assert set(ini["pytest"]) <= INI_OPTIONS


@pytest.mark.parametrize("block", COMMANDS, ids=_place)
def test_options_of_commands_exist(block: Block, pytestconfig: pytest.Config) -> None:
    lines = [line for line in block.text.splitlines() if line.startswith("$ ") or block.language == "sh"]
    for line in lines:
        for command in re.findall(r"(?:^\$ |&& |^)\S*\bpytest (.*)", line):
            _, unknown = pytestconfig._parser.parse_known_and_unknown_args(shlex.split(command))
            assert set(unknown) <= {"-n", "2", "auto"}  # of pytest-xdist, which may be switched off


def test_names_in_running_text_exist(pytestconfig: pytest.Config) -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert set(re.findall(r"\btrajectory_[a-z0-9_]+", text)) <= {*INI_OPTIONS, "trajectory_agent"}
    known = {name for group in pytestconfig._parser._groups for option in group.options for name in option.names()}
    assert {f"--{word}" for word in re.findall(r"`--([a-z][a-z0-9-]+)", text)} - known <= ELSEWHERE
