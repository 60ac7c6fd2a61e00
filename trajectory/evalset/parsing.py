"""Strict JSON at the speed of the standard parser."""

from __future__ import annotations

import gc
import json
import math
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from trajectory.json_texts import read_sound
from trajectory.json_values import MAX_DEPTH, JsonObject, JsonValue

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONE_SURROGATE: Final = re.compile(
    r"(?:[^\\]++|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?!u[dD][89a-fA-F]).)*+\\u", re.DOTALL
)


def parse(text: str) -> JsonValue:
    """Parse a JSON text, and refuse what JSON leaves open.

    Args:
        text: The text.

    Returns:
        Its value.

    Raises:
        ValueError: The text is not JSON; or has a key twice in one object, a number that is not finite or longer than
            Python reads, half of a surrogate pair, or nesting beyond `MAX_DEPTH`.
        RecursionError: It is nested far deeper than that.
    """
    if sound := read_sound(text):
        return sound[0]
    value = json.loads(text, object_pairs_hook=_object, parse_float=_number, parse_constant=_number)
    if _is_too_deep(value):
        raise ValueError("the text is nested too deep")
    if _may_hold_surrogates(text) and _LONE_SURROGATE.match(text):
        raise ValueError("the text holds half of a surrogate pair")
    return value


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def _is_too_deep(value: JsonValue) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [
            item
            for container in level
            for item in (container.values() if type(container) is dict else container)
            if type(item) is dict or type(item) is list
        ]
    return bool(level)


def _may_hold_surrogates(text: str) -> bool:
    return "\\" in text and ("\\ud" in text or "\\uD" in text)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: a bulk load makes only objects that live, and it would search them in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _let_age()
            gc.enable()


def _let_age() -> None:
    """Move every object into the oldest generation: the collector would search the young ones twice to get them there."""
    if not gc.get_freeze_count():  # what somebody has frozen stays frozen
        gc.freeze()
        gc.unfreeze()
