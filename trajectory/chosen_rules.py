"""The rules that a source of settings states: as JSON, as a text on a command line, and the schema of what may stand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_origin

from pydantic import ValidationError

from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.invalid import SettingProblem, listing, moved, setting_problem
from trajectory.json_values import JsonObject, JsonValue, describe, escape_token
from trajectory.rules import find_rule, rule_names, summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.rules import Rule, RuleSettings

_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """A rule that is in force, with its settings."""

    name: str
    settings: RuleSettings


def read_rules(stated: object) -> tuple[tuple[ChosenRule, ...], list[SettingProblem]]:
    """Read the rules that a source of settings states.

    Args:
        stated: A list; each item is a name, ``{name: settings}``, or a `ChosenRule`.

    Returns:
        The rules, and everything that is wrong with them, with JSON Pointers inside the list.
    """
    if not isinstance(stated, list | tuple) or not stated:
        return (), [("", "a list of at least one rule", describe(stated), "")]
    chosen: list[ChosenRule] = []
    problems: list[SettingProblem] = []
    for index, item in enumerate(stated):
        made, wrong = _read_rule(item)
        if made is not None and any(made.name == other.name for other in chosen):
            wrong = [("", "each rule once", f"the rule {made.name!r} again", "")]
        chosen += [made] if made is not None else []
        problems += moved(f"/{index}", wrong)
    return tuple(chosen), problems


def _read_rule(item: object) -> tuple[ChosenRule | None, list[SettingProblem]]:
    match item:
        case ChosenRule():
            return item, []
        case str():
            return _chosen(item, {}, pointer="")
        case dict() if len(item) == 1 and isinstance(name := next(iter(item)), str):
            return _chosen(name, item[name], pointer=f"/{escape_token(name)}")
        case _:
            return None, [("", "the name of a rule, or an object with one name and the settings", describe(item), "")]


def _chosen(name: str, stated: object, *, pointer: str) -> tuple[ChosenRule | None, list[SettingProblem]]:
    found = find_rule(name)
    if found is None:
        names = rule_names()
        hint = did_you_mean(name, names) or listing(names)
        return None, [(pointer, "the name of a rule", f"the unknown rule {name!r}", hint)]
    if not isinstance(stated, dict):
        return None, [(pointer, f"an object with the settings of {name}", describe(stated), "")]
    try:
        return ChosenRule(name, found.settings.model_validate(stated)), []
    except ValidationError as invalid:
        # A list whose only items are wrong is called too short as well.
        every = invalid.errors()
        errors = [error for error in every if error["type"] != "too_short" or not error["input"]] or every
        problems = [setting_problem(error, lambda location: _keys_at(found.settings, location)) for error in errors]
        return None, moved(pointer, problems)


def _keys_at(settings: type[RuleSettings], location: tuple[str | int, ...]) -> Iterable[str]:
    """List the keys that could have stood at the end of a location; of models inside of the settings, all of them."""
    if len(location) == 1:
        return settings.model_fields
    inner = settings.model_json_schema().get("$defs", {}).values()
    return dict.fromkeys(key for definition in inner for key in definition.get("properties", ()))


def read_rule_text(text: str) -> JsonValue:
    """Read a rule as it stands on a command line or in an ini file: ``NAME`` or ``NAME:KEY=VALUE,...``.

    A value is JSON (so that a list, or a text with a comma, can be written), or else the bare text up to the next comma.
    Where a setting is a text, a bare value is taken as it stands; where it is a list, one bare value is a list of one.

    Args:
        text: The text.

    Returns:
        The rule in the form that an eval set states it in; `read_rules` says whether there is such a rule.

    Raises:
        ConfigurationError: The text does not have that form, or states a key twice.
    """
    name, colon, rest = text.strip().partition(":")
    if not colon:
        return name.strip()
    found = find_rule(name.strip())
    fields = found.settings.model_fields if found is not None else {}
    stated: dict[str, JsonValue] = {}
    while rest.strip():
        key, equals, rest = rest.partition("=")
        if not equals or not key.strip():
            raise ConfigurationError(
                f"rule {text!r}: expected NAME:KEY=VALUE,..., found {key.strip()!r} without a value"
            )
        if key.strip() in stated:
            raise ConfigurationError(f"rule {text!r}: the setting {key.strip()!r} is stated twice")
        field = fields.get(key.strip())
        stated[key.strip()], rest = _read_value(rest, None if field is None else field.annotation)
    return {name.strip(): stated}


def _read_value(text: str, kind: Any) -> tuple[JsonValue, str]:
    """Read the value that a text begins with, and return what follows the comma after it."""
    if text.lstrip().startswith(('"', "[", "{")):
        try:
            value, end = _DECODER.raw_decode(text.lstrip())
        except ValueError:
            pass
        else:
            after, _, rest = text.lstrip()[end:].partition(",")
            if not after.strip():
                return value, rest
    bare, _, rest = text.partition(",")
    return _bare_value(bare.strip(), kind), rest


def _bare_value(text: str, kind: Any) -> JsonValue:
    if kind is str:
        return text
    if get_origin(kind) is tuple:
        return [text]
    try:
        return json.loads(text)
    except ValueError:
        return text


def rules_schema(names: Iterable[str]) -> JsonObject:
    """Write the JSON Schema of what a source of settings may state as its rules.

    Args:
        names: The rules that it is to know.

    Returns:
        The schema.
    """
    known = [found for name in names if (found := find_rule(name)) is not None]
    with_settings = {found.name: _settings_schema(found) for found in known}
    return {
        "description": "The rules that the agent is held to: names, or objects with one name and its settings.",
        "type": "array",
        "minItems": 1,
        "items": {
            "anyOf": [
                {"enum": [found.name for found in known if not found.needs_settings]},
                {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": False,
                    "properties": with_settings,
                },
            ]
        },
    }


def _settings_schema(found: Rule) -> JsonObject:
    schema = found.settings.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema["description"] = summary(found)
    return _inlined(schema, definitions)


def _inlined(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    """Copy a part of a schema with its definitions in place, and without the titles, which only repeat the keys."""
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    copy: JsonObject = {}
    for key, value in schema.items():
        if key == "properties":
            copy[key] = {name: _inlined(part, definitions) for name, part in value.items()}
        elif key != "title":
            parts = value if isinstance(value, list) else [value]
            made = [_inlined(part, definitions) if isinstance(part, dict) else part for part in parts]
            copy[key] = made if isinstance(value, list) else made[0]
    return copy
