"""The commands, each in a module of its own that is imported when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

import click

from trajectory._version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMANDS: Final = {
    "baseline": "trajectory.cli.baseline",
    "calibrate": "trajectory.cli.calibrate",
    "check": "trajectory.cli.check",
    "convert": "trajectory.cli.convert",
    "diff": "trajectory.cli.diff",
    "formats": "trajectory.cli.formats",
    "report": "trajectory.cli.report",
    "run": "trajectory.cli.run",
    "schema": "trajectory.cli.schema",
    "show": "trajectory.cli.show",
    "validate": "trajectory.cli.validate",
}


class ExitCode(IntEnum):
    """What the process ends with (outcomes, section 6)."""

    PASSED = 0
    FAILED = 1
    BAD_INPUT = 2
    NOT_EVALUATED = 3


class _Commands(click.Group):
    """Imports a command when it is called, so that the others cost nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(_COMMANDS[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from trajectory.errors import did_you_mean

        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            hint = did_you_mean(args[0], _COMMANDS) if args else ""
            if not hint:
                raise
            raise click.UsageError(f"{problem.message} {hint[0].upper()}{hint[1:]}", ctx) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Completion: eval "$(_TRAJECTORY_COMPLETE=bash_source trajectory)" (or zsh_source, fish_source).',
)
@click.version_option(__version__, prog_name="trajectory", message="%(prog)s %(version)s")
def cli() -> None:
    """Check what AI agents do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The words after the command; those of the process when left out.

    Returns:
        The exit code (outcomes, section 6).
    """
    from trajectory.errors import ConfigurationError

    try:
        result: Any = cli.main(
            args=None if arguments is None else list(arguments), prog_name="trajectory", standalone_mode=False
        )
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as problem:
        problem.show()
        return ExitCode.BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return ExitCode.NOT_EVALUATED
    except ConfigurationError as problem:
        print(problem, file=sys.stderr)
        return ExitCode.BAD_INPUT
    except OSError as problem:
        if problem.filename is not None:  # files are dealt with where they are named; what is left is the output
            raise
        print(f"what is to be said cannot be written: {problem.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python fails to write the rest at its end
        return ExitCode.NOT_EVALUATED
    return int(result or 0)
