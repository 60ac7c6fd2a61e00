"""Where values stand in a JSON text, and what keeps the text from being JSON that can be trusted.

The standard parser is fast but knows no places, so this scan runs only when something is already known to be wrong. It is
iterative (nesting costs no stack), linear, and holds the open containers and what was asked for.
"""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from trajectory.json_values import MAX_DEPTH, escape_token, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING_START: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_TO_BRACKET: Final = re.compile(r'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<double>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)")
_NOT_FINITE: Final = re.compile(r"-?(?:Infinity|NaN)")
_CONSTANT: Final = re.compile(r"true|false|null")
_WORD: Final = re.compile(r"\w+|.", re.DOTALL)

_STEPS_OF_TOO_DEEP: Final = 8
"""What is nested too deep is named by an outer container: the whole pointer could not be read."""

_HINTS: Final = {
    "'": "JSON strings stand in double quotes",
    "True": "JSON writes true",
    "False": "JSON writes false",
    "None": "JSON writes null",
    "/": "JSON has no comments",
    "#": "JSON has no comments",
}

_State: TypeAlias = "Callable[[], _State | None]"
_Wanted: TypeAlias = dict[str | None, Any]
"""A tree of pointer steps; ``None`` leads to the whole pointer that ends here."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that keeps a text from being trusted JSON.

    Attributes:
        pointer: The JSON Pointer of the value, or of the container that was open.
        offset: Where it stands in the text.
        expected: What should have stood there.
        found: What stood there.
        hint: What to do about it.
        first: Where the same key stood before.
    """

    pointer: str
    offset: int
    expected: str
    found: str
    hint: str = ""
    first: int | None = None


@dataclass(slots=True)
class _Container:
    """An open object or array."""

    closing: str
    wanted: _Wanted
    keys: dict[str, int] = field(default_factory=dict)
    step: str | None = None
    index: int = 0


def find_faults(text: str, *, end: str = "the end of the file") -> list[Fault]:
    """Find what keeps a text from being JSON that can be trusted.

    Args:
        text: The text.
        end: What the end of the text is called in messages.

    Returns:
        The faults in the order of the text, up to the first one that ends all understanding.
    """
    scanner = _Scanner(text, end)
    scanner.run()
    return scanner.faults


def find_places(text: str, pointers: Iterable[str]) -> dict[str, int]:
    """Find where values stand in a text that is known to be sound.

    Args:
        text: The text.
        pointers: The JSON Pointers of the values.

    Returns:
        The offsets of those values that the text has.
    """
    scanner = _Scanner(text, wanted=_tree(pointers))
    scanner.run()
    return scanner.places


def _tree(pointers: Iterable[str]) -> _Wanted:
    root: _Wanted = {}
    for pointer in pointers:
        node = root
        for step in pointer.split("/")[1:]:
            node = node.setdefault(step, {})
        node[None] = pointer
    return root


class _Scanner:
    """A state machine: each state reads one thing and returns the next state, or ``None`` at the end."""

    def __init__(self, text: str, end: str = "", wanted: _Wanted | None = None) -> None:
        self.places: dict[str, int] = {}
        self.faults: list[Fault] = []
        self._text = text
        self._end_name = end
        self._wanted = wanted or {}
        self._may_skip = wanted is not None
        self._at = 0
        self._open: list[_Container] = []

    def run(self) -> None:
        state: _State | None = self._value
        while state is not None:
            state = state()

    # ------------------------------------------------------------------------------------------------------- states

    def _value(self) -> _State | None:
        char = self._skip_space()
        wanted = self._wanted_here()
        if None in wanted:
            self.places[wanted[None]] = self._at
        if char in ("{", "[") and self._may_skip and not wanted:
            return self._skip()
        if char == "{":
            return self._enter("}", wanted, self._key)
        if char == "[":
            return self._enter("]", wanted, self._value)
        return self._scalar(char)

    def _enter(self, closing: str, wanted: _Wanted, inside: _State) -> _State | None:
        if len(self._open) == MAX_DEPTH:
            self._fault(self._at, f"at most {MAX_DEPTH} levels of nesting", "one more")
            return None
        self._open.append(_Container(closing, wanted))
        self._at += 1
        if self._skip_space() == closing:
            return self._leave()
        self._open[-1].step = "0" if closing == "]" else None
        return inside

    def _skip(self) -> _State:
        """Skip a container in which nothing is wanted."""
        depth = 0
        while True:
            self._at = self._behind(_TO_BRACKET) + 1
            depth += 1 if self._text[self._at - 1] in "{[" else -1
            if depth == 0:
                return self._after_value if self._open else self._end

    def _leave(self) -> _State:
        self._at += 1
        self._open.pop()
        return self._after_value if self._open else self._end

    def _key(self) -> _State | None:
        if self._skip_space() != '"':
            hint = "no comma follows the last key" if self._text.startswith("}", self._at) else ""
            self._give_up("a key in double quotes", hint)
            return None
        start = self._at
        key = self._string()
        if key is None:
            return None
        container = self._open[-1]
        container.step = key
        if key in container.keys:
            self._fault(
                start, "each key once in an object", f"the key {shorten(repr(key))} again", first=container.keys[key]
            )
        container.keys.setdefault(key, start)
        if self._skip_space() != ":":
            self._give_up("a colon after the key")
            return None
        self._at += 1
        return self._value

    def _after_value(self) -> _State | None:
        container, char = self._open[-1], self._skip_space()
        if char == container.closing:
            return self._leave()
        if char != ",":
            self._give_up(f"a comma or {container.closing!r}")
            return None
        self._at += 1
        if container.closing == "}":
            container.step = None
            return self._key
        container.index += 1
        container.step = str(container.index)
        return self._value

    def _end(self) -> None:
        if self._skip_space():
            self._give_up("nothing after the document", "a file of one document a line is named .jsonl")

    # ------------------------------------------------------------------------------------------------------ scalars

    def _scalar(self, char: str) -> _State | None:
        after = self._after_value if self._open else self._end
        if char == '"':
            return after if self._string() is not None else None
        if found := _CONSTANT.match(self._text, self._at):
            self._at = found.end()
        elif found := _NOT_FINITE.match(self._text, self._at):
            self._fault(self._at, "a number, a string or null", found[0], "JSON has no such number")
            self._at = found.end()
        elif found := _NUMBER.match(self._text, self._at):
            self._check_number(found)
            self._at = found.end()
        else:
            self._give_up("a value", "no comma follows the last item" if char == "]" else "")
            return None
        return after

    def _check_number(self, number: re.Match[str]) -> None:
        limit = sys.get_int_max_str_digits()
        if number["double"]:
            if math.isinf(float(number[0])):
                self._fault(self._at, "a number up to about 1.8e308 (a double)", shorten(number[0]))
        elif limit and len(number[0].lstrip("-")) > limit:
            digits = len(number[0].lstrip("-"))
            self._fault(self._at, f"an integer of at most {limit} digits", f"one of {digits} digits", "use a string")

    def _string(self) -> str | None:
        """Read a string and stand behind it; ``None`` when it has no end."""
        stop = self._behind(_STRING_START)
        if not self._text.startswith('"', stop):
            self._broken_string(stop)
            return None
        raw = self._text[self._at : stop + 1]
        text: str = json.loads(raw) if "\\" in raw else raw[1:-1]
        if "\\u" in raw and (half := _lone_surrogate(text)):
            found, hint = f"half of a surrogate pair, {half}", "a character outside the BMP takes both halves"
            self._fault(self._at, "Unicode text", found, hint)
            text = text.encode("utf-8", "replace").decode()
        self._at = stop + 1
        return text

    def _broken_string(self, stop: int) -> None:
        start, self._at = self._at, stop
        char = self._text[stop : stop + 1]
        if not char:
            self._fault(start, "a closing quote", self._end_name, "the text seems to be cut off")
        elif char == "\\":
            found = shorten(self._text[stop : stop + 2] if self._text[stop + 1 : stop + 2] != "u" else "\\u")
            self._fault(stop, "a JSON escape sequence", found, r"a backslash itself is written \\")
        else:
            hint = "a closing quote is missing, or a line break is not written as \\n"
            self._fault(stop, "no control character inside a string", f"U+{ord(char):04X}", hint)

    # ------------------------------------------------------------------------------------------------------ helpers

    def _skip_space(self) -> str:
        self._at = self._behind(_SPACE)
        return self._text[self._at : self._at + 1]

    def _behind(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        return found.end() if found else self._at

    def _wanted_here(self) -> _Wanted:
        if not self._open:
            return self._wanted
        container = self._open[-1]
        return container.wanted.get(escape_token(container.step), {}) if container.wanted else {}

    def _give_up(self, expected: str, hint: str = "") -> None:
        word = _WORD.match(self._text, self._at)
        if word is None:
            self._fault(self._at, expected, self._end_name, "the text seems to be cut off")
        else:
            self._fault(self._at, expected, shorten(ascii(word[0])), _HINTS.get(word[0], hint))

    def _fault(self, offset: int, expected: str, found: str, hint: str = "", *, first: int | None = None) -> None:
        steps = [container.step for container in self._open if container.step is not None]
        if len(steps) == MAX_DEPTH:
            steps = steps[:_STEPS_OF_TOO_DEEP]
        pointer = "".join("/" + escape_token(step) for step in steps)
        self.faults.append(Fault(pointer, offset, expected, found, hint, first))


def _lone_surrogate(text: str) -> str:
    return next((f"\\u{ord(char):04x}" for char in text if "\ud800" <= char <= "\udfff"), "")


def positions(text: str, offsets: Iterable[int], line: int = 1) -> dict[int, tuple[int, int]]:
    """Turn offsets into lines and columns, both from 1, columns in code points.

    Args:
        text: The text.
        offsets: Offsets into it.
        line: The line on which the text begins.

    Returns:
        Line and column of each offset.
    """
    found: dict[int, tuple[int, int]] = {}
    start, before = 0, 0
    for offset in sorted(set(offsets)):
        line += text.count("\n", before, offset)
        start = max(start, text.rfind("\n", before, offset) + 1)
        found[offset] = line, offset - start + 1
        before = offset
    return found
