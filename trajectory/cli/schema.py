"""``trajectory schema``: the JSON Schemas of the files that this package reads and writes."""

from __future__ import annotations

import json

import click

from trajectory.evalset import eval_set_schema
from trajectory.runs import RunFile


@click.command("schema")
@click.argument("what", type=click.Choice(["evalset", "run"]), default="evalset")
def command(what: str) -> None:
    """Print the JSON Schema of eval sets, or of run files, for editors and validators.

    \b
    Examples:
      trajectory schema > evalset.schema.json
      trajectory schema run
    """
    schema = eval_set_schema() if what == "evalset" else RunFile.model_json_schema()
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
