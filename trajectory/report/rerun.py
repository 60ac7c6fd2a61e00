"""The command that runs just the failing threads of a run again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable
from trajectory.node_names import node_name
from trajectory.setting_options import SETTING_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajectory.runs import RunFile, ThreadEntry

_THREADS_NAMED: Final = 5
_COLLECTED: Final = ".evalset.json"
_SWITCHES: Final = frozenset({"--allow-unmatched", *(one.flag for one in SETTING_OPTIONS if not one.metavar)})


def rerun_command(run: RunFile, failing: Sequence[ThreadEntry]) -> str:
    """Word the command that runs threads again.

    Args:
        run: The run.
        failing: The threads.

    Returns:
        The command for a shell; empty where nobody typed the command of the run, or a thread's id cannot be typed.
    """
    if not run.command or not failing:
        return ""
    again = _again_by_pytest(run, failing) if run.command[0] == "pytest" else _again(run, failing)
    return " ".join(shlex.quote(word) for word in again) if all(printable(word) == word for word in again) else ""


def _again(run: RunFile, failing: Sequence[ThreadEntry]) -> list[str]:
    return [*run.command, *(word for entry in failing for word in ("--thread", entry.id))]


def _again_by_pytest(run: RunFile, failing: Sequence[ThreadEntry]) -> list[str]:
    """Name the items of the threads where the files alone were collected; else pytest knows what failed last."""
    options, positional = _without_eval_sets(run.command[1:])
    few = len(failing) <= _THREADS_NAMED
    if not few or positional or not all(one.path.endswith(_COLLECTED) for one in run.eval_sets):
        return [*run.command, "--lf"]
    return ["pytest", *options, *(f"{entry.eval_set}::{node_name(entry.id)}" for entry in failing)]


def _without_eval_sets(words: Sequence[str]) -> tuple[list[str], bool]:
    """Leave out which eval sets were named, and tell whether anything but options was."""
    options: list[str] = []
    positional, rest = False, iter(words)
    for word in rest:
        if not word.startswith("--"):
            positional = True
        values = [] if word in _SWITCHES or not word.startswith("--") else [next(rest, "")]
        options += [] if word == "--evalset" else [word, *values]
    return options, positional
