"""The baseline that a run is compared with, and what that means for its gates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.runs.baselines import load_baseline, regression_reasons
from trajectory.runs.comparison import Comparison, compare

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from trajectory.gate import Gate
    from trajectory.runs import RunFile

FAIL_ON: Final = ("any", "regression")


@dataclass(frozen=True, slots=True)
class BaselineInPlay:
    """The baseline of a run.

    Attributes:
        name: The file, as messages call it.
        run: What was accepted.
        fail_on: ``any``: the gates decide as ever, and what changed is said. ``regression``: threads may fail that failed
            before, and one that fails newly keeps the run from passing.
    """

    name: str
    run: RunFile
    fail_on: str

    @classmethod
    def of(
        cls,
        path: str | os.PathLike[str] | None,
        fail_on: str | None,
        *,
        names: tuple[str, str] = ("--compare", "--fail-on"),
    ) -> BaselineInPlay | None:
        """Load the baseline that is named, if one is.

        Args:
            path: The file.
            fail_on: What keeps the run from passing; ``any`` when left out.
            names: What messages call the two.

        Raises:
            ConfigurationError: It cannot be read, was never accepted, or there is no such thing to fail on.
        """
        if fail_on is not None and fail_on not in FAIL_ON:
            hint = did_you_mean(fail_on, FAIL_ON)
            raise ConfigurationError(
                f"{names[1]}: expected one of {', '.join(FAIL_ON)}, found {fail_on!r}{f' ({hint})' if hint else ''}"
            )
        if path is None:
            if fail_on == "regression":
                raise ConfigurationError(f"{names[1]} regression: name the baseline by {names[0]} BASELINE")
            return None
        return cls(str(path), load_baseline(path), fail_on or "any")

    @property
    def decides(self) -> bool:
        """Whether the run is held to the baseline instead of its rates."""
        return self.fail_on == "regression"

    def compare(self, run: RunFile) -> Comparison:
        """Compare a run with it."""
        return compare(run, self.run)

    def gate(self, gate: Gate) -> Gate:
        """Ask of a run what the baseline asks, where that decides."""
        return replace(gate, regressions_only=True) if self.decides else gate

    def reasons(self, comparison: Comparison, threads: Collection[str]) -> list[str]:
        """Say what keeps these threads from passing because of the baseline."""
        return regression_reasons(comparison, threads) if self.decides else []
