"""``trajectory convert``: any readable file to an eval set, or to trajectories of ATIF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trajectory.cli.main import ExitCode
from trajectory.cli.reading import read_source
from trajectory.errors import ConfigurationError
from trajectory.evalset import SHAPES, eval_set_of, losses, save_eval_set
from trajectory.recordings import save_recordings
from trajectory.recordings.atif_writing import FORMATS, atif_losses

if TYPE_CHECKING:
    from trajectory.cli.reading import Source
    from trajectory.conversation import ConversationThread


@click.command("convert")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", required=True, metavar="OUT", help="The file to write.")
@click.option("--to", "target", type=click.Choice([*SHAPES, *FORMATS]), default="native", help="What to write.")
@click.option("--select", multiple=True, metavar="THREAD", help="Only this thread; may be repeated.")
@click.option("--force", is_flag=True, help="Replace OUT if it is there, and leave out what cannot be carried over.")
def command(source: str, output: str, target: str, select: tuple[str, ...], *, force: bool) -> int:
    """Convert an eval set or a recording to an eval set of the native shape, of Google ADK, or to ATIF.

    What cannot be carried over is listed; then nothing is written unless --force is given. Exit codes: 0 written whole,
    1 not written, or written with losses, 2 bad input.

    \b
    Examples:
      trajectory convert traces.jsonl -o good.evalset.json
      trajectory convert good.evalset.json -o adk.evalset.json --to adk
    """
    found = read_source(source)
    threads = tuple(found.thread(name) for name in select) if select else found.threads
    if Path(output).exists() and not force:
        raise ConfigurationError(f"{output} is there already (--force replaces it)")
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    lost = _convert(found, threads, output, target, force=force)
    for loss in lost:
        click.echo(f"not carried over: {loss}", err=True)
    if lost and not force:
        click.echo(f"{output} was not written (--force writes it without that)", err=True)
        return ExitCode.FAILED
    click.echo(f"{output}: {target}, {len(threads)} thread{'s' * (len(threads) != 1)}")
    return ExitCode.FAILED if lost else ExitCode.PASSED


def _convert(
    found: Source, threads: tuple[ConversationThread, ...], output: str, target: str, *, force: bool
) -> tuple[str, ...]:
    if target in FORMATS:
        lost = tuple(atif_losses(threads))
        if force or not lost:
            save_recordings(threads, output, target, allow_loss=True)
        return lost
    if found.eval_set is not None:
        eval_set = found.eval_set.model_copy(update={"threads": threads})
    else:
        eval_set = eval_set_of(threads, id=Path(found.name).name.partition(".")[0])
    lost = losses(eval_set, target)
    if force or not lost:
        save_eval_set(eval_set, output, target, allow_loss=True)
    return lost
