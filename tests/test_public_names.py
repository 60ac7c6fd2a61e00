"""What the package hands out, and what importing it costs."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import trajectory

HEAVY = ("pydantic", "jsonschema", "deepdiff", "asyncio", "trajectory.conversation", "trajectory.settings")


@pytest.mark.parametrize("name", trajectory.__all__)
def test_every_name_resolves(name: str) -> None:
    home = importlib.import_module(f"trajectory.{trajectory._HOMES[name]}")
    assert getattr(trajectory, name) is getattr(home, name)


def test_the_lists_of_names_agree() -> None:
    assert set(trajectory.__all__) == set(trajectory._HOMES)
    assert len(set(trajectory.__all__)) == len(trajectory.__all__)
    assert set(trajectory.__all__) <= set(dir(trajectory))


def test_type_checkers_see_the_same_names_at_the_same_homes() -> None:
    tree = ast.parse(Path(trajectory.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    seen = {
        alias.name: str(node.module).removeprefix("trajectory.")
        for node in imports
        if node.module != "__future__"
        for alias in node.names
    }
    assert seen == trajectory._HOMES


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'trajectory' has no attribute 'no_such_name'"):
        trajectory.no_such_name  # noqa: B018 - the access is the test


@pytest.mark.parametrize("module", ["trajectory", "trajectory.cli"])
def test_importing_it_is_light(module: str) -> None:
    look = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_plugins_entry_point_is_light() -> None:
    look = (
        "import pytest, sys; before = set(sys.modules); import trajectory.pytest_plugin.hooks; "
        f"print([name for name in {HEAVY!r} if name in sys.modules and name not in before])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
