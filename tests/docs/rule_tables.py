"""Write the tables of settings on the page on rules, from the models that the rules read their settings with.

``python -m tests.docs.rule_tables`` brings the page up to date.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from tests.docs.pages import ROOT
from trajectory.chosen_rules import rules_schema
from trajectory.described import descriptions
from trajectory.rules import find_rule

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

PAGE: Final = ROOT / "docs" / "reference" / "rules.md"
SECTION: Final = re.compile(r"^### (\w+)\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
_TABLE: Final = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_HEAD: Final = "| setting | type | default | meaning |\n|---|---|---|---|\n"


def settings_table(name: str) -> str:
    """Write the table of a rule's settings; nothing for a rule that has none."""
    found = find_rule(name)
    if found is None or not found.settings.model_fields:
        return ""
    (schema,) = rules_schema([name])["items"]["anyOf"][1]["properties"].values()
    rows = (
        f"| `{key}` | {_kind(schema['properties'][key])} | {_default(field)} | {descriptions(found.settings)[key]} |\n"
        for key, field in found.settings.model_fields.items()
    )
    return _HEAD + "".join(rows)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "none, must be stated"
    return "none" if field.default in (None, ()) else f"`{json.dumps(field.default)}`"


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"] if part.get("type") != "null")
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    kinds = {"string": "text", "boolean": "`true`, `false`", "object": "object", "array": "list", None: "any"}
    match schema.get("type"):
        case "integer" | "number" as number:
            return f"{'whole number' if number == 'integer' else 'number'}{_bounds(schema)}"
        case "array" if "prefixItems" in schema:
            return "[" + ", ".join(map(_kind, schema["prefixItems"])) + "]"
        case "array":
            item = _kind(schema["items"])
            return f"list of {'texts' if item == 'text' else item}{', not empty' * bool(schema.get('minItems'))}"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object: names to {_kind(schema['additionalProperties'])}s"
        case other:
            return kinds[other]


def _bounds(schema: dict[str, Any]) -> str:
    low, high, above = (schema.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
    if low is not None and high is not None:
        return f", {low:g} to {high:g}"
    if low is not None:
        return f", {low:g} or more"
    return f" above {above:g}" if above is not None else ""


def up_to_date(page: str) -> str:
    """Put the table of every rule on the page in the place of the one that stands there."""
    return SECTION.sub(_section, page)


def _section(section: re.Match[str]) -> str:
    table = settings_table(section[1])
    return _TABLE.sub(lambda _: table, section[0], count=1) if table else section[0]


if __name__ == "__main__":
    PAGE.write_text(up_to_date(PAGE.read_text("utf-8")), "utf-8")
