"""The published JSON Schema of the native shape, for editors and validators."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

from trajectory.chosen_rules import rules_schema
from trajectory.rules import rule_names

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject


def eval_set_schema() -> JsonObject:
    """Return the JSON Schema (2020-12) of eval-set files.

    Returns:
        The schema, with every rule that can be named here, also those of other distributions. It says all that JSON
        Schema can say; that ids differ and that dates exist only a reader can tell.
    """
    text = resources.files("trajectory.evalset").joinpath("evalset.schema.json").read_text("utf-8")
    schema: JsonObject = json.loads(text)
    schema["$defs"]["rules"] = rules_schema(rule_names())
    return schema
