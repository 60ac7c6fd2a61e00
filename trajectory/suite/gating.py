"""What groups of threads must reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajectory.evaluations import rules_label
from trajectory.settings import merge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal
    from pathlib import Path

    from trajectory.settings import Settings
    from trajectory.suite.loading import LoadedEvalSet


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


def gate_source(loaded: LoadedEvalSet, command_line: Settings, ini: Settings) -> GateSource:
    """Tell what the threads of an eval set must reach.

    A rate or an F1 from the command line, the ini file, or by default is one floor over the run. An eval set that states
    its own is gated alone.
    """
    settings = merge(command_line, loaded.stated, ini)
    own = loaded.stated.model_fields_set - command_line.model_fields_set
    shown = loaded.shown if own & {"min_pass_rate", "min_macro_f1"} else ""
    return GateSource(settings.min_pass_rate, settings.max_errors, settings.min_macro_f1, shown)


def gate_names(eval_sets: Sequence[LoadedEvalSet], command_line: Settings, ini: Settings) -> dict[Path, str]:
    """Name for each eval set what it is gated together with, by the rules in force there."""
    sources = {loaded.path: gate_source(loaded, command_line, ini) for loaded in eval_sets}
    rules: dict[str, dict[str, None]] = {}
    for loaded in eval_sets:
        of_gate = rules.setdefault(sources[loaded.path].eval_set, {})
        of_gate.update(dict.fromkeys(loaded.rules_for(command_line, ini)))
    return {path: gate.name_of(rules_label(tuple(rules[gate.eval_set]))) for path, gate in sources.items()}
