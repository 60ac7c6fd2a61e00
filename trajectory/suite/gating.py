"""What groups of threads must reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True, slots=True)
class GateSource:
    """What the threads of an eval set must reach, and whether they are gated alone.

    Attributes:
        min_pass_rate: The share of threads that must pass.
        max_errors: How many may end without a verdict.
        min_macro_f1: What the F1 of tool calls must be on average; ``None`` for any.
        eval_set: The eval set that states its own rate or F1; empty when these are those of the whole run.
    """

    min_pass_rate: Decimal
    max_errors: int
    min_macro_f1: Decimal | None
    eval_set: str = ""

    def name_of(self, what: str) -> str:
        """Name the group of threads that something is gated over."""
        return f"{what} ({self.eval_set})" if self.eval_set else what
