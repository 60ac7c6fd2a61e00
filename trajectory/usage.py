"""What models took: tokens and money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Usage:
    """What models took; ``None`` for what is not known.

    Attributes:
        input_tokens: Tokens given to the models, those read from or written to a cache included.
        output_tokens: Tokens that they made, those of their thoughts included.
        cached_tokens: How many of the input tokens were read from a cache.
        cost_usd: What it cost in US dollars, as it was recorded.
        tokens_complete: Whether every request is counted. If not, the tokens are the least that it can have been.
        cost_complete: Likewise for the cost.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    tokens_complete: bool = True
    cost_complete: bool = True

    @property
    def tokens(self) -> int | None:
        """All tokens, if those of the input and of the output are known."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    @classmethod
    def total(cls, parts: Iterable[Usage | None]) -> Usage | None:
        """Sum up what several requests took.

        Args:
            parts: What each took; ``None`` where nothing is known of one.

        Returns:
            The sum, marked as incomplete where something is not known of a request; ``None`` when nothing is of any.
        """
        every = [part or _NOTHING for part in parts]
        if all(part == _NOTHING for part in every):
            return None
        cost = _sum(part.cost_usd for part in every)
        return cls(
            input_tokens=_sum(part.input_tokens for part in every),
            output_tokens=_sum(part.output_tokens for part in every),
            cached_tokens=_sum(part.cached_tokens for part in every),
            cost_usd=None if cost is None else float(cost),
            tokens_complete=all(part.tokens is not None and part.tokens_complete for part in every),
            cost_complete=all(part.cost_usd is not None and part.cost_complete for part in every),
        )


_NOTHING: Final = Usage()


def _sum(numbers: Iterable[float | None]) -> Any:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
