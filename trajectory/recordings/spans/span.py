"""One span, whatever container it stood in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trajectory.json_texts import read_sound
from trajectory.json_values import describe

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened during a span.

    Attributes:
        name: What it is called.
        attributes: What is known of it.
    """

    name: str
    attributes: JsonObject


@dataclass(frozen=True, slots=True)
class Span:
    """A span with decoded attributes.

    Attributes:
        trace_id: The trace it belongs to.
        span_id: Its own id.
        parent_id: The span in which it began; ``None`` for a root.
        name: What it is called.
        start: When it began, in nanoseconds since 1970.
        end: When it ended, likewise; ``None`` when it was written before it ended.
        attributes: What is known of it.
        events: What happened in it, in order.
        failed: Whether its status says so.
        status: What its status says about the failure.
        scope: The instrumentation that wrote it; empty where the container does not keep that.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: int
    end: int | None
    attributes: JsonObject
    events: tuple[SpanEvent, ...] = ()
    failed: bool = False
    status: str = ""
    scope: str = ""

    @property
    def failure(self) -> str | None:
        """The words in which the span failed; ``None`` when it did not."""
        raised = next((event.attributes for event in self.events if event.name == "exception"), {})
        if not (self.failed or "error.type" in self.attributes):
            return None
        said = (raised.get("exception.message"), self.status, raised.get("exception.type"))
        return next((str(text) for text in said if text), None) or str(self.attributes.get("error.type", "failed"))

    def text(self, *keys: str) -> str | None:
        """Give the first of these attributes that holds a text with something in it."""
        for key in keys:
            if isinstance(value := self.attributes.get(key), str) and value:
                return value
        return None

    def json(self, key: str) -> JsonValue:
        """Give an attribute; where it holds the text of a JSON array or object, that."""
        return decoded(self.attributes.get(key))


def decoded(value: JsonValue) -> JsonValue:
    """Decode the text of a JSON array or object; everything else stays what it is, as a text with a key twice does."""
    if not (isinstance(value, str) and value.lstrip()[:1] in ("{", "[")):
        return value
    if sound := read_sound(value):
        return sound[0]
    try:
        return _DECODER.decode(value)
    except (ValueError, RecursionError):
        return value


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)


def as_text(value: JsonValue) -> str:
    """Write a value as text; a text stays as it is."""
    return value if isinstance(value, str) else _ENCODER.encode(value)


def an_object(value: JsonValue) -> JsonObject:
    """Give an object; for anything else an empty one, so that what is said in passing may be missing or wrong."""
    return value if isinstance(value, dict) else {}


def objects(value: JsonValue) -> list[JsonObject]:
    """Give the objects in an array; for anything else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def need_objects(value: JsonValue, what: str) -> list[JsonObject]:
    """Give the objects in an array; none for null.

    Raises:
        TypeError: It is no array, or something else stands in it.
    """
    wrong = next((item for item in value if not isinstance(item, dict)), None) if isinstance(value, list) else value
    if wrong is not None or (isinstance(value, list) and None in value):
        raise TypeError(f"expected {what} as an array of objects, found {describe(wrong)}")
    return value or []


def need(value: JsonValue, key: str, place: str) -> str:
    """Give the text that has to stand under a key.

    Raises:
        TypeError: Something else stands there.
    """
    if not isinstance(value, dict):
        raise TypeError(f"{place}: expected a span, found {describe(value)}")
    if not (isinstance(found := value.get(key), str) and found):
        raise TypeError(f"{place}: expected a text under {key!r}, found {describe(found)}")
    return found


def unflattened(attributes: JsonObject, prefix: str) -> JsonValue:
    """Rebuild the value that was spread over attributes: ``p.0.role``, ``p.0.calls.1.id`` become a list of objects.

    Args:
        attributes: The attributes.
        prefix: What their keys begin with, without the dot behind it.

    Returns:
        The value; objects all of whose keys are numbers become lists in the order of the numbers, gaps or not. ``None``
        when no attribute begins so.
    """
    root: JsonObject = {}
    for key, value in attributes.items():
        if not key.startswith(prefix + "."):
            continue
        node = root
        *way, last = key[len(prefix) + 1 :].split(".")
        for step in way:
            child = node.get(step)
            node[step] = child if isinstance(child, dict) else {}
            node = node[step]
        if not isinstance(node.get(last), dict):
            node[last] = value
    return _listed(root) if root else attributes.get(prefix)


def _listed(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    if value and all(key.isdecimal() for key in value):
        return [_listed(value[key]) for key in sorted(value, key=int)]
    return {key: _listed(item) for key, item in value.items()}
