"""``trajectory formats``: what can be read, and how each is recognised."""

from __future__ import annotations

import re
import textwrap

import click

from trajectory.recordings.detection import known_formats
from trajectory.recordings.formats.about import ABOUT

_WIDTH = 78


@click.command("formats")
def command() -> None:
    """List the formats of recordings that can be read, how each is recognised, and what it does not record.

    \b
    Examples:
      trajectory formats
    """
    for name in ("native", *(known.name for known in known_formats())):
        click.echo(name)
        about = ABOUT.get(name)
        if about is None:
            click.echo("  offered by another distribution")
            continue
        for label, text in (("", about.what), ("by: ", about.recognised), ("without: ", about.not_recorded)):
            plain = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text).replace("`", "")
            click.echo(textwrap.fill(label + plain, _WIDTH, initial_indent="  ", subsequent_indent="    "))
