"""Walk through a document of a foreign shape: every value knows its pointer, and what is wrong is noted in passing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic.alias_generators import to_camel

from trajectory.errors import did_you_mean
from trajectory.evalset.document import Finding
from trajectory.json_values import describe, escape_token, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.json_values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class Cursor:
    """A value in a document.

    A method that does not find what it was asked for notes a finding and gives something empty, so that reading goes on
    and all problems of a file are found together.

    Attributes:
        value: The value.
        pointer: Its JSON Pointer.
        findings: What was found to be wrong; shared by all cursors into one document.
    """

    value: JsonValue
    pointer: str = ""
    findings: list[Finding] = field(default_factory=list)

    def wrong(self, expected: str, hint: str = "") -> None:
        """Note that this value is not what it should be."""
        self.findings.append(Finding(self.pointer, expected, describe(self.value), hint))

    def get(self, key: str) -> Cursor | None:
        """Go to the value of a key, in either spelling: ``snake_case`` or ``camelCase``.

        Returns:
            The value; ``None`` when there is no such key, or it holds ``null``.
        """
        if isinstance(self.value, dict):
            for spelling in (key, to_camel(key)):
                if self.value.get(spelling) is not None:
                    return self._child(spelling, self.value[spelling])
        return None

    def need(self, key: str) -> Cursor:
        """Go to the value of a key that has to be there; an empty value when it is not."""
        found = self.get(key)
        if found is not None:
            return found
        self.wrong(f"the key {key!r}" if isinstance(self.value, dict) else "an object")
        return Cursor(None, self.pointer)  # what is wrong with nothing needs no second finding

    def items(self) -> list[Cursor]:
        """Give the items of an array."""
        if isinstance(self.value, list):
            return [self._child(index, item) for index, item in enumerate(self.value)]
        self.wrong("an array")
        return []

    def text(self) -> str:
        """Give a string."""
        if isinstance(self.value, str):
            return self.value
        self.wrong("a string")
        return ""

    def object(self) -> JsonObject:
        """Give an object."""
        if isinstance(self.value, dict):
            return self.value
        self.wrong("an object")
        return {}

    def allow(self, keys: Iterable[str], record: str) -> None:
        """Note every key that is none of these, in either spelling."""
        known = {spelling for key in keys for spelling in (key, to_camel(key))}
        for key in self.object():
            if key not in known:
                hint = did_you_mean(key, keys) or f"it has {', '.join(keys)}"
                found = f"the unknown key {shorten(repr(key))}"
                self.findings.append(Finding(self._child(key, None).pointer, f"a key of {record}", found, hint))

    def _child(self, step: str | int, value: JsonValue) -> Cursor:
        return Cursor(value, f"{self.pointer}/{escape_token(step)}", self.findings)
