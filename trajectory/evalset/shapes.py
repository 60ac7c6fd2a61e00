"""The shapes that an eval set can have, told apart by what stands in the file.

A further shape is a module with a ``SHAPE``, a way to rule it out and a reader, and one line in `SHAPES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trajectory.errors import EvalSetError
from trajectory.evalset import adk, adk_lists, dataset, native, trpc
from trajectory.evalset.document import Finding
from trajectory.json_values import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.evalset.document import Document
    from trajectory.evalset.model import EvalSet
    from trajectory.json_values import JsonValue


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of eval sets.

    Attributes:
        name: What it is called in messages.
        rule_out: Says what keeps a document from having this shape; the empty string when it has it.
        read: Reads a document that has it.
        has_config: Whether settings may stand in a file beside it.
    """

    name: str
    rule_out: Callable[[JsonValue], str]
    read: Callable[[Document], EvalSet]
    has_config: bool = False


SHAPES: Final = (
    Shape(native.SHAPE, native.rule_out, native.read_eval_set),
    Shape(trpc.SHAPE, trpc.rule_out, trpc.read_trpc),
    Shape(adk.SHAPE, adk.rule_out, adk.read_adk, has_config=True),
    Shape(dataset.SHAPE, dataset.rule_out, dataset.read_dataset),
    Shape(adk_lists.TURNS, adk_lists.rule_out_turns, adk_lists.read_turns, has_config=True),
    Shape(adk_lists.CASES, adk_lists.rule_out_cases, adk_lists.read_cases, has_config=True),
)
"""The first that fits is it."""

RECORDINGS: Final = "recorded runs are given by --recorded, and `trajectory convert` makes eval sets of them"
"""What to do with a file that is no eval set, for it may be a recording."""


def shape_of(document: Document) -> Shape:
    """Tell the shape of an eval set.

    Args:
        document: The document.

    Returns:
        The shape.

    Raises:
        EvalSetError: It has none of them; the message says for each what ruled it out.
    """
    reasons = {shape.name: shape.rule_out(document.value) for shape in SHAPES}
    for shape in SHAPES:
        if not reasons[shape.name]:
            return shape
    hint = "; ".join((*(f"not {name}: {reason}" for name, reason in reasons.items()), RECORDINGS))
    raise EvalSetError(document.problems([Finding("", "an eval set", describe(document.value), hint)]))
