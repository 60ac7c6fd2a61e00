"""A JSON document that was read, and the way from a finding about its value back to the place in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trajectory.errors import EvalSetError, Problem
from trajectory.evalset.mistaken import kind_of_text
from trajectory.evalset.parsing import parse
from trajectory.evalset.scan import find_faults, find_places, positions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajectory.evalset.scan import Fault
    from trajectory.json_values import JsonValue


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a value, without its place in the file.

    Attributes:
        pointer: The JSON Pointer of the value.
        expected: What should have stood there.
        found: What stood there.
        hint: What to do about it.
        first: The JSON Pointer of the value that this one repeats, where it does.
    """

    pointer: str
    expected: str
    found: str
    hint: str = ""
    first: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON text from a file, with its value.

    Attributes:
        file: The file as the user named it.
        text: The text: the whole file, or one line of it.
        value: What the text says.
        line: The line of the file on which the text begins, from 1.
    """

    file: str
    text: str
    value: JsonValue
    line: int = 1

    @classmethod
    def read(cls, file: str, text: str, *, line: int = 1, end: str = "the end of the file") -> Document:
        """Read a text.

        Args:
            file: The file as the user named it.
            text: The text.
            line: The line of the file on which the text begins.
            end: What the end of the text is called in messages.

        Returns:
            The document.

        Raises:
            EvalSetError: The text is not JSON that can be trusted.
        """
        try:
            return cls(file, text, parse(text), line)
        except (ValueError, RecursionError):
            faults = find_faults(text, end=end)
            if not faults:  # the text is sound: the caller stands so deep in the stack that none is left for it
                raise
        if line == 1 and (kind := kind_of_text(text)):
            raise EvalSetError([Problem(file, 1, 1, "", "JSON", kind.what, kind.hint)])
        raise EvalSetError(_problems_of_text(file, text, line, faults))

    def problems(self, findings: Sequence[Finding]) -> list[Problem]:
        """Put findings about the value into the order of the file, each with its place."""
        pointers = {finding.pointer for finding in findings}
        pointers |= {finding.first for finding in findings if finding.first is not None}
        offsets = find_places(self.text, {step for pointer in pointers for step in _way_to(pointer)})
        lines = positions(self.text, offsets.values(), self.line)
        places = {pointer: lines[offset] for pointer, offset in offsets.items()}
        # A reader that read a shorthand may point inside of it, where the file has nothing.
        nearest = {pointer: next(step for step in _way_to(pointer) if step in places) for pointer in pointers}
        standing = [replace(finding, pointer=nearest[finding.pointer]) for finding in findings]
        ordered = sorted(standing, key=lambda finding: places[finding.pointer])
        return [self._problem(finding, places) for finding in ordered]

    def _problem(self, finding: Finding, places: Mapping[str, tuple[int, int]]) -> Problem:
        line, column = places[finding.pointer]
        hint = finding.hint if finding.first is None else _first_place(*places[finding.first])
        return Problem(self.file, line, column, finding.pointer, finding.expected, finding.found, hint)


def _way_to(pointer: str) -> list[str]:
    """List a pointer and what contains it, from the inside out."""
    steps = pointer.split("/")
    return ["/".join(steps[:length]) for length in range(len(steps), 0, -1)]


def _problems_of_text(file: str, text: str, line: int, faults: Sequence[Fault]) -> list[Problem]:
    offsets = [offset for fault in faults for offset in (fault.offset, fault.first) if offset is not None]
    places = positions(text, offsets, line)
    return [
        Problem(
            file,
            *places[fault.offset],
            fault.pointer,
            fault.expected,
            fault.found,
            fault.hint if fault.first is None else _first_place(*places[fault.first]),
        )
        for fault in faults
    ]


def _first_place(line: int, column: int) -> str:
    return f"the first one stands at line {line}, column {column}"
