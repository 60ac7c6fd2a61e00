"""What pydantic found wrong with settings, in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from trajectory.errors import did_you_mean
from trajectory.json_values import describe, escape_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SettingProblem: TypeAlias = tuple[str, str, str, str]
"""The JSON Pointer inside the source, what was expected, what stood there, and a hint."""

_EXPECTED: Final = {
    "dict_type": "an object",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "model_type": "an object",
    "string_too_short": "a text that is not empty",
    "too_short": "at least one item",
    "tuple_type": "an array",
}


def setting_problem(error: Any, keys_at: Callable[[tuple[str | int, ...]], Iterable[str]]) -> SettingProblem:
    """Put one error of pydantic into our words.

    Args:
        error: The error, as pydantic details it.
        keys_at: Lists the keys that could have stood at the end of a location.

    Returns:
        The problem.
    """
    location, found = error["loc"], describe(error["input"])
    pointer = "".join("/" + escape_token(step) for step in location)
    match error["type"]:
        case "extra_forbidden":
            hint = key_hint(location[-1], keys_at(location))
            return pointer, "a settings key", f"the unknown key {location[-1]!r}", hint
        case "missing":
            parent = "".join("/" + escape_token(step) for step in location[:-1])
            key = location[-1]
            what = f"{key + 1} items" if isinstance(key, int) else f"the setting {key!r}, which has no default"
            return parent, what, found, ""
        case "enum" | "literal_error":
            words = [word.strip(" '") for word in error["ctx"]["expected"].replace(" or ", ",").split(",")]
            hint = did_you_mean(error["input"], words) if isinstance(error["input"], str) else ""
            return pointer, "one of " + ", ".join(words), found, hint
        case "policy_name" | "json_pointer":
            context = error["ctx"]
            return pointer, error["msg"].removeprefix("expected ").removesuffix(context["note"]), found, context["hint"]
        case "rate" | "tolerance" | "setting":
            return pointer, error["msg"].removeprefix("expected "), found, ""
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            return pointer, error["msg"].replace("Input should be", "a number"), found, ""
        case kind if kind in _EXPECTED:
            return pointer, _EXPECTED[kind], found, ""
        case _:
            return pointer, error["msg"].removeprefix("Input should be ").partition(",")[0].lower(), found, ""


def moved(base: str, problems: Iterable[SettingProblem]) -> list[SettingProblem]:
    """Move problems to where the value that has them stands."""
    return [(base + pointer, expected, found, hint) for pointer, expected, found, hint in problems]


def key_hint(key: str, keys: Iterable[str]) -> str:
    """Name the key that was most likely meant, or else all that there are."""
    keys = tuple(keys)
    return did_you_mean(key, keys) or listing(keys)


def listing(words: Iterable[str]) -> str:
    """List what there is."""
    return "there are " + (", ".join(words) or "none")
