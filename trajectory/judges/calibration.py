"""How far a judge agrees with people: to be known before it gates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Rating:
    """One answer that people labelled and the judge scored.

    Attributes:
        label: Whether people let it pass.
        passes: Whether the judge does.
        score: The judge's score.
        length: How many characters the answer has.
    """

    label: bool
    passes: bool
    score: float
    length: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a judge's verdicts relate to people's labels.

    Attributes:
        ratings: The answers that were labelled and judged.
        errors: Why others could not be judged.
    """

    ratings: tuple[Rating, ...]
    errors: tuple[str, ...] = ()

    @property
    def agreement(self) -> float | None:
        """The share of answers on which the judge and people agree; ``None`` where nothing was judged."""
        return _share([rating.label == rating.passes for rating in self.ratings])

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond chance, 1 at best; ``None`` where people gave only one label."""
        observed, number = self.agreement, len(self.ratings)
        if observed is None:
            return None
        labelled = sum(rating.label for rating in self.ratings) / number
        passed = sum(rating.passes for rating in self.ratings) / number
        if labelled in {0, 1}:
            return None
        chance = labelled * passed + (1 - labelled) * (1 - passed)
        return (observed - chance) / (1 - chance)

    @property
    def false_pass_rate(self) -> float | None:
        """The share of the answers that people fail which the judge lets pass: what a gate would miss."""
        return _share([rating.passes for rating in self.ratings if not rating.label])

    @property
    def false_fail_rate(self) -> float | None:
        """The share of the answers that people let pass which the judge fails."""
        return _share([not rating.passes for rating in self.ratings if rating.label])

    @property
    def length_bias(self) -> float | None:
        """How scores go with the length of answers among those of one label: a correlation from -1 to 1.

        Pearson's coefficient of score and logarithm of length, each taken from its mean within the label, so that good
        answers may be longer. ``None`` where scores or lengths do not vary.
        """
        pairs = [pair for label in (True, False) for pair in self._centred(label)]
        products = sum(score * length for score, length in pairs)
        scores, lengths = (math.fsum(pair[side] ** 2 for pair in pairs) for side in (0, 1))
        return products / math.sqrt(scores * lengths) if scores > 0 and lengths > 0 else None

    def _centred(self, label: bool) -> list[tuple[float, float]]:  # noqa: FBT001 - one of two groups
        own = [(rating.score, math.log1p(rating.length)) for rating in self.ratings if rating.label is label]
        if not own:
            return []
        means = [math.fsum(pair[side] for pair in own) / len(own) for side in (0, 1)]
        return [(score - means[0], length - means[1]) for score, length in own]


def _share(verdicts: Sequence[bool]) -> float | None:
    return sum(verdicts) / len(verdicts) if verdicts else None
