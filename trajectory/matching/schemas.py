"""Matchers: JSON Schemas (Draft 2020-12) that stand in expected arguments where a literal value could stand.

A matcher is an object with the one key ``$jsonSchema``. Schemas are compiled once and never reach for the network.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import EvaluationError
from trajectory.json_values import shorten
from trajectory.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import ValidationError

    from trajectory.json_values import JsonValue

MATCHER_KEY: Final = "$jsonSchema"


def is_matcher(value: JsonValue) -> bool:
    """Tell whether a JSON value has the form of a matcher."""
    return isinstance(value, dict) and len(value) == 1 and MATCHER_KEY in value


def matcher_accepts(matcher: JsonValue, actual: JsonValue) -> bool:
    """Tell whether an actual value validates against a matcher's schema.

    Args:
        matcher: The matcher.
        actual: The actual value.

    Returns:
        Whether it validates; a schema that cannot be carried out accepts nothing.
    """
    try:
        return is_valid(matcher[MATCHER_KEY], actual)
    except EvaluationError:
        return False


def is_valid(schema: JsonValue, value: JsonValue) -> bool:
    """Tell whether a value is valid by a schema.

    Args:
        schema: The schema.
        value: The value.

    Returns:
        Whether it is; by a schema that cannot be carried out nothing is.

    Raises:
        EvaluationError: A pattern of the schema takes too long on a text of the value.
    """
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - costly, and rarely needed
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - likewise

    try:
        return bool(validator(schema).is_valid(value))
    except (SchemaError, Unresolvable, RecursionError, ValueError):
        return False


def validator(schema: JsonValue) -> Draft202012Validator:
    """Compile a schema, or find it compiled already.

    Args:
        schema: The schema.

    Returns:
        A validator that checks formats and resolves references inside the schema only.

    Raises:
        jsonschema.SchemaError: The schema is wrong.
        ValueError: It holds an integer too long to be written.
    """
    return _compiled(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=1024)
def _compiled(schema_text: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - costly, and rarely needed
    from jsonschema.validators import extend  # noqa: PLC0415 - likewise
    from referencing import Registry  # noqa: PLC0415 - likewise

    schema = json.loads(schema_text)
    formats = format_checker()
    Draft202012Validator.check_schema(schema, format_checker=formats)
    registry: Registry[Any] = Registry()
    timed: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
    compiled: Draft202012Validator = timed(schema, registry=registry, format_checker=formats)
    return compiled


def _pattern(validator: Any, pattern: str, instance: JsonValue, _: JsonValue) -> Iterator[ValidationError]:
    """Hold a text to a pattern, and the pattern to the time that one may take."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - costly, and rarely needed

    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


@lru_cache(maxsize=1)
def format_checker() -> FormatChecker:
    """Make the checker of formats: those that jsonschema can check here, and ``date-time``, which it often cannot."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - costly, and rarely needed
    from pydantic import TypeAdapter  # noqa: PLC0415 - likewise

    from trajectory.conversation import Time  # noqa: PLC0415 - likewise

    times: TypeAdapter[Any] = TypeAdapter(Time)
    checker = FormatChecker(formats=())
    checker.checkers = dict(Draft202012Validator.FORMAT_CHECKER.checkers)
    checker.checks("date-time", raises=ValueError)(
        lambda value: not isinstance(value, str) or bool(times.validate_python(value))
    )
    return checker


def why_not(matcher: JsonValue, actual: JsonValue) -> str:
    """Say in a few words why an actual value does not validate against a matcher's schema.

    Args:
        matcher: The matcher.
        actual: The actual value, which it does not accept.

    Returns:
        The rule that is broken and where, or why the schema cannot be carried out.
    """
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - costly, and rarely needed

    try:
        worst = best_match(validator(matcher[MATCHER_KEY]).iter_errors(actual))
    except Exception as problem:  # noqa: BLE001 - whatever keeps a schema from working is the reason
        return f"the schema cannot be carried out: {type(problem).__name__}"
    if worst is None:
        return ""
    if worst.validator is None:
        return "nothing is accepted here"
    place = "".join(f"/{step}" for step in worst.absolute_path)
    rule = shorten(json.dumps({worst.validator: worst.validator_value}, ensure_ascii=False))
    return f"breaks {rule}{' at ' + place if place else ''}"
