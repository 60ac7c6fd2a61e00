"""``trajectory report``: a run that was written into a file, in the form that somebody needs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from trajectory.cli.run_options import CODES, print_report, write_report
from trajectory.errors import ConfigurationError
from trajectory.report.facts import standing
from trajectory.report.forms import FORMS, form_of, render
from trajectory.report.terminal import terminal_report
from trajectory.report.text import count
from trajectory.runs import load_run
from trajectory.runs.comparison import compare

if TYPE_CHECKING:
    from trajectory.runs import RunFile
    from trajectory.runs.comparison import Comparison


@click.command("report")
@click.argument("run", metavar="RUN")
@click.option(
    "-f", "--format", "form", type=click.Choice([*FORMS]), help="The form; else as the suffix of -o says, else text."
)
@click.option("-o", "--output", metavar="FILE", help="Write the report into this file.")
@click.option("--compare", "baseline", metavar="BASELINE", help="Also say what changed since this run.")
@click.option("--color/--no-color", default=None, help="Colours or none; without this, on a terminal.")
def command(run: str, form: str | None, output: str | None, baseline: str | None, *, color: bool | None) -> int:
    """Report a run that was written with --results; of one that was interrupted, what it had come to.

    Nothing recorded acts in any form: no markup, no escape code, no command of a CI service. Exit codes: 0 every gate
    passed, 1 a gate failed, 2 bad input, 3 the run halted, is not complete or had too many errors.

    \b
    Examples:
      trajectory report run.json
      trajectory report run.json -o report.xml
      trajectory report run.json -f markdown --compare last-good.json
    """
    found = load_run(run)
    comparison = compare(found, load_run(baseline)) if baseline else None
    chosen = form or _form_of(output)
    if output is not None:
        write_report(output, render(found, chosen, comparison))
        click.echo(f"{output}: {chosen}, {count(len(found.threads), 'thread')}: {standing(found)}")
    else:
        _print(found, chosen, comparison, color=color)
    return CODES[standing(found)]


def _form_of(output: str | None) -> str:
    if output is None:
        return "text"
    form = form_of(output)
    if form is None:
        suffixes = ", ".join(one.suffix for one in FORMS.values() if one.suffix)
        raise ConfigurationError(f"-o {output}: expected a name that ends in {suffixes}, or a form named by --format")
    return form


def _print(run: RunFile, form: str, comparison: Comparison | None, *, color: bool | None) -> None:
    if form == "text":
        on = color if color is not None else sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print_report(terminal_report(run, comparison, colour=on), colour=on)
    else:
        print_report(render(run, form, comparison))
