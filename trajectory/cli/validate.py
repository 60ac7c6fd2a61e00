"""``trajectory validate``: what is wrong with eval sets, and where."""

from __future__ import annotations

import click

from trajectory.cli.main import ExitCode
from trajectory.errors import ConfigurationError, EvalSetError, Problem
from trajectory.evalset import load_eval_set
from trajectory.workflow_commands import annotation


@click.command("validate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github"]),
    default="text",
    help="How problems are written: as text, or as annotations of GitHub Actions.",
)
def command(files: tuple[str, ...], form: str) -> int:
    """Say what is wrong with eval sets, and where.

    Every problem is named with its line and column, its JSON Pointer, what was expected, what stood there, and what to
    do. The exit code is 0 when all files can be read, and 2 otherwise.

    \b
    Examples:
      trajectory validate sample.evalset.json
      trajectory validate --format github evalsets/*.evalset.json
    """
    code = ExitCode.PASSED
    for file in files:
        try:
            eval_set = load_eval_set(file)
        except ConfigurationError as problem:
            _report(problem, file, form)
            code = ExitCode.BAD_INPUT
        else:
            turns = sum(len(thread.traces) for thread in eval_set.threads)
            click.echo(f"{file}: {eval_set.shape}, {_count(len(eval_set.threads), 'thread')}, {_count(turns, 'turn')}")
            for note in eval_set.notes:
                click.echo(f"  note: {note}")
    return code


def _report(problem: ConfigurationError, file: str, form: str) -> None:
    if form == "text":
        click.echo(problem, err=True)
        return
    problems = (
        problem.problems if isinstance(problem, EvalSetError) else [Problem(file, None, None, "", "", str(problem))]
    )
    for one in problems:
        click.echo(annotation("error", str(one), file=one.file, line=one.line, column=one.column))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
