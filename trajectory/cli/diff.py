"""``trajectory diff``: two recordings of the same threads side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajectory.cli.main import ExitCode
from trajectory.cli.reading import read_source
from trajectory.cli.run_options import declared
from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.report.diff_forms import DIFF_FORMS
from trajectory.runs import FORMAT, load_run
from trajectory.runs.diffing import How, RunsDiff, diff
from trajectory.runs.sides import conversations_in_run, conversations_of
from trajectory.setting_options import SETTING_OPTIONS, read_options
from trajectory.suite import PairBy
from trajectory.suite.pairing import Key, pair

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.runs.sides import Conversation

_ASKED = ("arguments", "ignore_path", "tolerance", "case_insensitive", "ignore_tool")
_OPTIONS = [option for option in SETTING_OPTIONS if option.dest in _ASKED]


def _with_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = declared(option)(command)
    return command


@click.command("diff")
@click.argument("first", metavar="RUN_A")
@click.argument("second", metavar="RUN_B")
@click.option("--thread", "threads", metavar="ID", multiple=True, help="Only this thread of RUN_A; may be repeated.")
@click.option(
    "--pair-by",
    metavar="WAY",
    help="How threads find their partners: id, query or order; without this by id, and what is left by query.",
)
@_with_options
@click.option("-f", "--format", "form", type=click.Choice([*DIFF_FORMS]), default="text", help="The form.")
@click.option("--full", is_flag=True, help="Also show turns that are the same, and texts whole.")
def command(first: str, second: str, *, threads: tuple[str, ...], form: str, full: bool, **given: Any) -> int:
    """Show two recordings of the same threads side by side: where they part, and where they meet again.

    RUN_A and RUN_B are recordings in any known format, eval sets, or run files that --results wrote; of these, what the
    agent did. What was not recorded is never guessed. Exit codes are those of diff: 0 the same but for times and costs,
    1 something differs, 2 bad input.

    \b
    Examples:
      trajectory diff monday.jsonl tuesday.jsonl
      trajectory diff sample.evalset.json recorded.jsonl --thread order-two-lamps --full
      trajectory diff last-good.json run.json --ignore-path /request_id --format markdown
    """
    stated = [
        (
            option,
            ([*value] or None) if option.repeatable else value if option.metavar else option.switch if value else None,
        )
        for option in _OPTIONS
        for value in [given[option.dest]]
    ]
    settings = read_options(stated, by_flag=True)
    how = How(settings.arguments, settings.ignore_tools)
    found = _side_by_side(first, second, PairBy.parse(given["pair_by"]), threads, how)
    click.echo(DIFF_FORMS[form](found, full=full), nl=False)
    return ExitCode.PASSED if found.same else ExitCode.FAILED


def _side_by_side(first: str, second: str, by: PairBy | None, threads: Sequence[str], how: How) -> RunsDiff:
    (ones, notes), (others, other_notes) = _read(first), _read(second)
    if not (ones or others):
        raise ConfigurationError(f"{first} and {second}: neither has a thread, so there is nothing to compare")
    keys, other_keys = _keys(ones), _keys(others)
    pairing = pair(keys, other_keys, by)
    partners = {asked: recorded for recorded, asked in pairing.partners.items()}
    chosen = _chosen(ones, threads, first)
    pairs = [(one, others[partners[place]]) for place, one in enumerate(ones) if place in partners and one.id in chosen]
    return RunsDiff(
        first,
        second,
        tuple(diff(one, other, how) for one, other in pairs),
        tuple(one.id for place, one in enumerate(ones) if place not in partners and one.id in chosen),
        () if threads else tuple(key.id for place, key in enumerate(other_keys) if place not in pairing.partners),
        (*notes, *other_notes, *pairing.notes(keys, other_keys)),
    )


def _read(name: str) -> tuple[list[Conversation], tuple[str, ...]]:
    """Read what the agent did, and what the reader had to say."""
    if _is_run_file(name):
        return conversations_in_run(load_run(name)), ()
    source = read_source(name)
    return conversations_of(source.threads), source.notes


def _is_run_file(name: str) -> bool:
    """Look at the beginning of a file: what format it is of comes first in a run file."""
    try:
        with Path(name).open("rb") as stream:
            begin = stream.read(200)
    except OSError:
        return False
    return b'"format"' in begin and json.dumps(FORMAT).encode() in begin


def _keys(conversations: Sequence[Conversation]) -> list[Key]:
    return [Key.of_queries(one.id, [turn.query for turn in one.turns]) for one in conversations]


def _chosen(ones: Sequence[Conversation], threads: Sequence[str], name: str) -> set[str]:
    known = {one.id for one in ones}
    for identity in threads:
        if identity not in known:
            hint = did_you_mean(identity, known)
            raise ConfigurationError(f"{name} has no thread {identity!r}{f' ({hint})' if hint else ''}")
    return set(threads) or known
