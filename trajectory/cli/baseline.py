"""``trajectory baseline``: accept a run as what later runs are compared with, and look at what was accepted."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trajectory.cli.main import ExitCode
from trajectory.errors import ConfigurationError
from trajectory.evaluations import Outcome
from trajectory.json_values import printable, shorten
from trajectory.runs import load_run, save_run
from trajectory.runs.baselines import accept, load_baseline
from trajectory.runs.comparison import Change, compare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.runs import RunFile

_LISTED: Final = 20
_SAID: Final = (
    Change.NEWLY_FAILING,
    Change.NEWLY_PASSING,
    Change.FLAKY,
    Change.NO_VERDICT,
    Change.NOT_COMPARABLE,
    Change.NEW,
    Change.NOT_RUN,
    Change.REMOVED,
)


@click.group("baseline")
def command() -> None:
    """Accept a run as what later runs are compared with, and look at what was accepted.

    \b
    Examples:
      pytest --evalset sample.evalset.json --results run.json
      trajectory baseline accept run.json -o baseline.json
      pytest --evalset sample.evalset.json --compare baseline.json --fail-on regression
    """


@command.command("accept")
@click.argument("run", metavar="RUN")
@click.option("-o", "--output", required=True, metavar="BASELINE", help="The baseline to write, or to replace.")
@click.option("--force", is_flag=True, help="Replace a baseline of other eval sets, or of which threads would be lost.")
def accept_command(run: str, output: str, *, force: bool) -> int:
    """Accept RUN, a file that --results wrote, as the baseline.

    This is the only thing that changes a baseline. A run that was halted or cut short, or has threads without a verdict,
    is refused; threads that fail are accepted as failing, and named. Exit codes: 0 written, 1 refused, 2 bad input.
    """
    found = load_run(run)
    try:
        baseline = accept(found, source=Path(run).name, moment=datetime.now(UTC).isoformat(timespec="seconds"))
    except ConfigurationError as refused:
        click.echo(str(refused), err=True)
        return ExitCode.FAILED
    if Path(output).exists():
        lost = _changes(found, load_baseline(output), output)
        if lost and not force:
            click.echo(f"{output} was not replaced: {lost} (--force replaces it all the same)", err=True)
            return ExitCode.FAILED
    try:
        save_run(baseline, output)
    except OSError as problem:
        raise ConfigurationError(f"{output}: cannot be written: {problem.strerror}") from None
    for line in _summary(baseline, output):
        click.echo(line)
    return ExitCode.PASSED


def _changes(run: RunFile, before: RunFile, output: str) -> str:
    """Tell what becomes of the baseline that is replaced; return why it should not be."""
    comparison = compare(run, before)
    click.echo(f"compared with {output}, accepted {_accepted(before)}:")
    for change in _SAID:
        names = [one.id for one in comparison.of(change)]
        if names:
            click.echo(f"  {change}: {_names(names)}")
    if comparison.problems:
        return "; ".join(comparison.problems)
    missing = comparison.of(Change.NOT_RUN)
    return f"{len(missing)} of its threads were not run" if missing else ""


@command.command("show")
@click.argument("baseline", metavar="BASELINE")
def show_command(baseline: str) -> None:
    """Say what BASELINE holds: when it was accepted, of which agent, and what its threads came to."""
    run = load_baseline(baseline)
    for line in _summary(run, baseline):
        click.echo(line)


def _summary(run: RunFile, name: str) -> Iterator[str]:
    counts = Counter(entry.outcome for entry in run.threads)
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])
    yield f"{name}: {printable(run.agent)}, accepted {_accepted(run)}"
    yield f"  run {run.started}, {', '.join(f'{what} {version}' for what, version in run.made_by.items())}"
    for eval_set in run.eval_sets:
        yield f"  {printable(eval_set.path)}: {eval_set.threads} of {len(eval_set.thread_ids)} threads"
    yield f"  {told}"
    failing = [entry.id for entry in run.threads if entry.outcome is Outcome.FAILED]
    if failing:
        yield f"  accepted as failing: {_names(failing)}"


def _accepted(run: RunFile) -> str:
    return f"{run.accepted.at} from {printable(run.accepted.source)}" if run.accepted else "never"


def _names(names: list[str]) -> str:
    left = len(names) - _LISTED
    return ", ".join(shorten(printable(name)) for name in names[:_LISTED]) + (f" and {left} more" if left > 0 else "")
