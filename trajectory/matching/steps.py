"""What an explanation consists of: the calls of both sides, paired, and what differs within a pair."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from trajectory.conversation import Arguments, ToolCall


class Absent(Enum):
    """What stands on the side of a difference where there is nothing."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

Side: TypeAlias = "Arguments | Absent | object"
"""One side of a difference: a JSON value, arguments that are no JSON object, or nothing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in the arguments where two calls differ.

    Attributes:
        pointer: The JSON Pointer inside the arguments (of the expected side, where both have the place); ``""`` stands
            for the arguments as a whole.
        expected: What was expected; `ABSENT` for nothing.
        actual: What the agent gave; `ABSENT` for nothing.
        hint: Why the two differ, where that is hard to see; may be empty.
    """

    pointer: str
    expected: Side
    actual: Side
    hint: str = ""


class StepKind(StrEnum):
    """How an expected and an actual call stand to each other."""

    SAME = "same"
    DIFFERS = "differs"
    MISSING = "missing"
    UNEXPECTED = "unexpected"
    OUT_OF_ORDER = "out of order"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of an explanation: an expected call, an actual one, or a pair of both.

    Attributes:
        kind: How the two stand to each other.
        expected: The expected call; ``None`` for a call that was not expected.
        actual: The actual call; ``None`` for a call that was not made.
        expected_index: The place of the expected call in its trajectory, from 0.
        actual_index: The place of the actual call in its trajectory, from 0.
        differences: For a pair that differs, every argument in which it does.
        breach: Whether the match mode minds. It does not mind an extra call under ``SUPERSET``, for example.
    """

    kind: StepKind
    expected: ToolCall | None
    actual: ToolCall | None
    expected_index: int | None
    actual_index: int | None
    differences: tuple[Difference, ...] = ()
    breach: bool = False
