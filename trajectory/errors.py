"""Every exception a caller can meet.

::

    TrajectoryError
    ├── ConfigurationError      something that a user stated is wrong; raised before any agent is called
    │   ├── EvalSetError        an eval set or a recording cannot be read; carries every `Problem` found
    │   └── AgentError          no agent can be made of what was given
    ├── EvaluationError         no verdict could be reached (the agent died, a recording is missing, ...)
    └── TrajectoryMismatch      a verdict: the agent did something else (also an `AssertionError`)
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PROBLEMS_SHOWN = 20
"""How many problems of one file are put into words (eval-set format, reading rules)."""


class TrajectoryError(Exception):
    """The base of everything that this package raises on purpose."""


class ConfigurationError(TrajectoryError):
    """An option, a setting or a file states something that cannot be carried out."""


class AgentError(ConfigurationError):
    """The agent that was named cannot be imported, made or called."""


class EvaluationError(TrajectoryError):
    """No verdict on the agent could be reached."""


class TrajectoryMismatch(TrajectoryError, AssertionError):  # noqa: N818 - a verdict, not an error
    """The agent was evaluated, and it did something else than what was expected."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file, and where.

    Attributes:
        file: The file as the user named it.
        line: The line, from 1; ``None`` where the problem has no place (a missing file).
        column: The column in code points, from 1.
        pointer: The JSON Pointer (RFC 6901) of the value; ``""`` is the whole document.
        expected: What should have stood there.
        found: What stood there.
        hint: What to do about it, where that is known.
    """

    file: str
    line: int | None
    column: int | None
    pointer: str
    expected: str
    found: str
    hint: str = ""

    @property
    def place(self) -> str:
        """The place as ``file:line:column``."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    def __str__(self) -> str:
        pointer = f" {_printable(self.pointer)}" if self.pointer else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.place}:{pointer} expected {self.expected}, found {self.found}{hint}"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class EvalSetError(ConfigurationError):
    """A file cannot be read as what it should be.

    Attributes:
        problems: Everything that was found to be wrong, in the order of the file.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        shown = [str(problem) for problem in self.problems[:PROBLEMS_SHOWN]]
        left = len(self.problems) - len(shown)
        if left:
            shown.append(f"... and {left} more problem{'s' * (left != 1)}")
        return "\n".join(shown)


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Find the candidate that a misspelt word most likely meant.

    Args:
        word: What stood there.
        candidates: What could have stood there.

    Returns:
        The closest candidate, or ``None`` when nothing is close.
    """
    by_fold = {candidate.casefold(): candidate for candidate in candidates}
    found = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Word the nearest right spelling as a hint; empty when nothing is close."""
    guess = nearest(word, candidates)
    return f"did you mean {guess!r}?" if guess else ""
