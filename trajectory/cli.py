"""The command line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from trajectory._version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The words after the command; those of the process when left out.

    Returns:
        The exit code: 0 when every file could be read, 2 for bad input (outcomes, section 6).
    """
    parser = argparse.ArgumentParser(prog="trajectory", description="Check what AI agents do.")
    parser.add_argument("--version", action="version", version=f"trajectory {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    validate = commands.add_parser("validate", help="say what is wrong with eval sets, and where")
    validate.add_argument("files", nargs="+", metavar="FILE", help="an eval set")
    options = parser.parse_args(arguments)
    return _validate(options.files)


def _validate(files: Sequence[str]) -> int:
    from trajectory.errors import ConfigurationError
    from trajectory.evalset import load_eval_set

    code = 0
    for file in files:
        try:
            eval_set = load_eval_set(file)
        except ConfigurationError as problem:
            print(problem, file=sys.stderr)
            code = 2
        else:
            turns = sum(len(thread.traces) for thread in eval_set.threads)
            print(f"{file}: {eval_set.shape}, {_count(len(eval_set.threads), 'thread')}, {_count(turns, 'turn')}")
            for note in eval_set.notes:
                print(f"  note: {note}")
    return code


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


if __name__ == "__main__":
    sys.exit(main())
