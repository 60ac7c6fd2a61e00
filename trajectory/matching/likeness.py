"""How much two calls have in common: what decides which call is shown against which."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.json_values import JsonValue
    from trajectory.matching.prepared import PreparedCall

    Trait: TypeAlias = tuple[object, ...]

ALONE: Final = 100
"""What it costs to show a call without a partner."""

_ARGUMENTS_WEIGHT: Final = 100
_NAME_WEIGHT: Final = 100
_NAME_START: Final = 160
"""With nothing else in common, the names of two tools must be more than half alike to be shown against each other."""

_TRAITS_LIMIT: Final = 200
_TEXT_LIMIT: Final = 1_000
_WORDS_LIMIT: Final = 50


def traits(call: PreparedCall) -> frozenset[Trait]:
    """Collect what can be found again in another call: the paths of the arguments, their values and words.

    Args:
        call: The call.

    Returns:
        Some hundred traits at most.
    """
    found: set[Trait] = set()
    pending: list[tuple[Trait, JsonValue]] = [((), call.arguments)]
    for path, value in pending:  # grows while it is walked
        if len(found) >= _TRAITS_LIMIT:
            break
        if isinstance(value, dict):
            pending.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*path, index), item) for index, item in enumerate(value[:_TRAITS_LIMIT]))
        elif path:
            found.update(_traits_of_scalar(path, value))
    return frozenset(found)


def _traits_of_scalar(path: Trait, value: JsonValue) -> Iterator[Trait]:
    yield path
    if isinstance(value, str):
        yield (*path, value)
        for word in value[:_TEXT_LIMIT].split()[:_WORDS_LIMIT]:
            yield (*path, "word", word)
    else:
        yield (*path, isinstance(value, bool), value)


def pairing_cost(expected: PreparedCall, actual: PreparedCall, one: frozenset[Trait], other: frozenset[Trait]) -> int:
    """Say what it costs to show an actual call against an expected one.

    Args:
        expected: The expected call.
        actual: The actual call.
        one: The traits of the expected call.
        other: The traits of the actual call.

    Returns:
        From 0 to twice `ALONE`, at which the two are better shown alone.
    """
    same_name = expected.name == actual.name
    size = len(one) + len(other)
    alike = 2 * len(one & other) / size if size else float(same_name)
    cost = _ARGUMENTS_WEIGHT * (1 - alike)
    if not same_name:
        cost += _NAME_START - _NAME_WEIGHT * _likeness_of_names(expected.name, actual.name)
    return min(round(cost), 2 * ALONE)


@lru_cache(maxsize=4096)
def _likeness_of_names(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:_WORDS_LIMIT], other[:_WORDS_LIMIT], autojunk=False).ratio()
