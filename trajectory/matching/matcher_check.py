"""Check the matchers of expected calls ahead, before any agent is called: a wrong schema is a wrong file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import did_you_mean
from trajectory.json_values import describe, shorten
from trajectory.matching.ignored_paths import join_pointer
from trajectory.matching.prepared import Preparation
from trajectory.matching.schemas import MATCHER_KEY, format_checker, is_matcher, matcher_accepts, validator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.conversation import ToolCall
    from trajectory.json_values import JsonObject, JsonValue
    from trajectory.settings import ArgumentPolicy

_ANNOTATIONS: Final = frozenset(
    [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$schema",
        "$vocabulary",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "else",
        "examples",
        "maxContains",
        "minContains",
        "readOnly",
        "then",
        "title",
        "writeOnly",
    ]
)
"""Keywords of Draft 2020-12 that check nothing by themselves."""

_LIMITS: Final = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


@dataclass(frozen=True, slots=True)
class MatcherFinding:
    """Something that is wrong with a matcher, or suspicious.

    Attributes:
        call_index: The place of the call in its trajectory, from 0.
        pointer: The JSON Pointer inside the arguments of the call.
        message: What is wrong.
        wrong: The matcher cannot be carried out; otherwise it can, and means something else than it seems to.
    """

    call_index: int
    pointer: str
    message: str
    wrong: bool


def check_matchers(calls: Iterable[ToolCall], arguments: ArgumentPolicy) -> tuple[MatcherFinding, ...]:
    """Check every matcher in the arguments of expected calls.

    Args:
        calls: The expected calls of one trace.
        arguments: The argument policy; where it does not turn matchers on, nothing is one.

    Returns:
        Schemas that are wrong, refer to other documents or state a format that cannot be checked here; and, as
        warnings, those that accept everything or nothing, and keywords that mean nothing.
    """
    preparation = Preparation(arguments)
    prepared = [preparation.prepare(call) for call in calls]
    return tuple(
        MatcherFinding(index, join_pointer(steps), message, wrong)
        for index, call in enumerate(prepared)
        if call.rules.policy.matchers and isinstance(call.arguments, dict)
        for steps, message, wrong in _in_arguments(call.arguments)
    )


_Finding = tuple[tuple[object, ...], str, bool]


def _in_arguments(arguments: JsonObject) -> Iterator[_Finding]:
    pending: list[tuple[tuple[object, ...], JsonValue]] = [((), arguments)]
    for steps, value in pending:  # grows while it is walked
        if is_matcher(value):
            inside = (*steps, MATCHER_KEY)
            yield from ((inside + place, message, wrong) for place, message, wrong in check_schema(value[MATCHER_KEY]))
        elif isinstance(value, dict):
            if MATCHER_KEY in value:
                yield steps, f"a matcher is an object with the one key {MATCHER_KEY}, found {describe(value)}", True
            pending += [((*steps, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            pending += [((*steps, index), item) for index, item in enumerate(value)]


def check_schema(schema: JsonValue) -> Iterator[_Finding]:
    """Check a JSON Schema (Draft 2020-12).

    Args:
        schema: The schema.

    Yields:
        The steps to what is wrong or suspicious, what that is, and whether the schema cannot be carried out.
    """
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - costly, and rarely needed

    try:
        validator(schema)
    except SchemaError as problem:
        yield tuple(problem.absolute_path), f"no JSON Schema: {shorten(problem.message, 200)}", True
        return
    except (ValueError, RecursionError) as problem:
        yield (), f"the schema cannot be read: {problem}", True
        return
    found = [*_in_keywords(schema)]
    yield from found
    if not any(wrong for *_, wrong in found):
        yield from (((), message, False) for message in _suspicions(schema))


def _in_keywords(schema: JsonValue) -> Iterator[_Finding]:
    """Look at the keywords of a schema and of all schemas inside it."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - costly, and rarely needed
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - likewise

    known = _ANNOTATIONS | Draft202012Validator.VALIDATORS.keys()
    pending = [schema]
    for part in pending:  # grows while it is walked
        if isinstance(part, dict):
            yield from (((), message, True) for message in _impracticable(part, schema))
            for keyword in sorted(part.keys() - known):
                hint = did_you_mean(keyword, known)
                yield (), f"the keyword {keyword!r} means nothing{f' ({hint})' if hint else ''}", False
            pending += DRAFT202012.subresources_of(part)


def _impracticable(part: JsonObject, schema: JsonValue) -> Iterator[str]:
    stated = part.get("format")
    if isinstance(stated, str) and stated not in format_checker().checkers:
        yield f"the format {stated!r} cannot be checked here"
    for keyword in ("$ref", "$dynamicRef"):
        reference = part.get(keyword)
        if isinstance(reference, str) and not _resolves(reference, schema):
            yield f"the reference {reference!r} leads nowhere (references stay inside the schema)"


def _resolves(reference: str, schema: JsonValue) -> bool:
    from referencing import Registry, Resource  # noqa: PLC0415 - costly, and rarely needed
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - likewise
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - likewise

    registry: Registry[Any] = Registry()
    resolver = registry.resolver_with_root(Resource.from_contents(schema, default_specification=DRAFT202012))
    try:
        resolver.lookup(reference)
    except Unresolvable:
        return False
    return True


def _suspicions(schema: JsonValue) -> Iterator[str]:
    if schema is True or schema == {}:
        yield "the matcher accepts everything"
    elif _accepts_nothing(schema):
        yield "the matcher accepts nothing"


def _accepts_nothing(schema: JsonValue) -> bool:
    """Tell whether a schema contradicts itself in one of the ways that people manage to."""
    if not isinstance(schema, dict):
        return schema is False
    if any(low in schema and high in schema and schema[low] > schema[high] for low, high in _LIMITS):
        return True
    if schema.get("not", False) in (True, {}) or schema.get("type") == []:
        return True
    if "enum" in schema:
        return not any(_accepts(schema, value) for value in schema["enum"])
    return "const" in schema and not _accepts(schema, schema["const"])


def _accepts(schema: JsonValue, value: JsonValue) -> bool:
    return matcher_accepts({MATCHER_KEY: schema}, value)
