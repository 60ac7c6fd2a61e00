"""Ask the judge that is in force: once or several times, with answers kept where that is wanted."""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from trajectory.judges.cache import JudgeCache
from trajectory.judges.fencing import Fence
from trajectory.judges.reading import JudgeError, JudgeVerdict, read_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajectory.judges.protocol import Judge
    from trajectory.judges.templates import Template

Aggregate: TypeAlias = Literal["mean", "majority"]
_DATED: Final = re.compile(r"[-@](latest|\d{4}-?\d{2}-?\d{2})$", re.ASCII)
_ANY_NONCE: Final = "any"
"""Stands for the marker where a prompt is hashed, so that an answer is found again though each prompt has its own.

No content has the marker of its prompt, so two prompts that differ in their content still differ then.
"""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a judge came to over all samples.

    Attributes:
        score: The mean of the scores.
        passes: Whether it passes, by the mean or by the majority.
        verdicts: What it said each time.
        notes: What a reader should know: texts that were cut.
    """

    score: float
    passes: bool
    verdicts: tuple[JudgeVerdict, ...]
    notes: tuple[str, ...] = ()

    @property
    def reasoning(self) -> str:
        """The reasoning of the sample whose score is closest to the mean."""
        return min(self.verdicts, key=lambda verdict: abs(verdict.score - self.score)).reasoning


@dataclass(slots=True)
class JudgeInForce:
    """A judge, and how it is asked.

    Attributes:
        judge: The judge.
        identity: What decides its answers beside the prompt: endpoint, model, temperature, seed.
        cache: Where its answers are kept, if they are.
        asked: How many answers came from the judge itself.
        same_model: How many turns it judged that its own model had answered.
    """

    judge: Judge
    identity: Mapping[str, str] = field(default_factory=dict)
    cache: JudgeCache | None = None
    asked: int = 0
    same_model: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def model(self) -> str | None:
        """The model that answers, where that is known."""
        model = getattr(self.judge, "model", None)
        return model if isinstance(model, str) else None

    def decide(  # noqa: PLR0913 - each is part of the question
        self,
        template: Template,
        data: Mapping[str, str],
        trusted: Mapping[str, str],
        *,
        threshold: float,
        samples: int = 1,
        aggregate: Aggregate = "mean",
    ) -> Decision:
        """Ask for a score.

        Args:
            template: The prompt.
            data: The untrusted texts, by their labels.
            trusted: What the user of this package states.
            threshold: The lowest score that passes.
            samples: How often to ask.
            aggregate: ``mean``: the mean must reach the threshold; ``majority``: more than half of the scores must.

        Returns:
            What the judge came to.

        Raises:
            JudgeError: It cannot be reached, or gives no verdict.
        """
        fence = Fence()
        prompt = template.prompt(data, trusted, fence)
        question = prompt.replace(fence.nonce, _ANY_NONCE)
        verdicts = [self._verdict(template, prompt, question, sample) for sample in range(samples)]
        scores, required = [_exactly(verdict.score) for verdict in verdicts], _exactly(threshold)
        score = sum(scores, Fraction()) / samples
        reached = sum(one >= required for one in scores)
        passes = score >= required if aggregate == "mean" else 2 * reached > samples
        notes = tuple(f"{label} was too long and was cut for the judge" for label in fence.cut)
        return Decision(float(score), passes, tuple(verdicts), notes)

    def _verdict(self, template: Template, prompt: str, question: str, sample: int) -> JudgeVerdict:
        if self.cache is None:
            return read_verdict(self._ask(prompt))
        key = JudgeCache.key(
            judge={**self.identity, "model": self.model or ""},
            template=f"{template.name} {template.version}",
            prompt=question,
            sample=sample,
        )
        kept = self.cache.get(key)
        if kept is not None:
            return read_verdict(kept)
        answer = self._ask(prompt)
        verdict = read_verdict(answer)  # what is no verdict is not kept
        self.cache.put(key, answer)
        return verdict

    def _ask(self, prompt: str) -> str:
        with self._lock:
            self.asked += 1
        try:
            return self.judge.ask(prompt)
        except JudgeError:
            raise
        except Exception as problem:
            raise JudgeError(f"the judge cannot be reached: {type(problem).__name__}: {problem}") from problem

    def knows_as_its_own(self, models: Sequence[str]) -> bool:
        """Tell whether the judge's own model answered, and count it."""
        own = self.model
        same = own is not None and _family(own) in map(_family, models)
        with self._lock:
            self.same_model += same
        return same


def _family(model: str) -> str:
    """Take off a model's name what differs between places and days: ``openai/gpt-9-2026-08-06`` is ``gpt-9``."""
    return _DATED.sub("", model.rpartition("/")[2].casefold())


def _exactly(score: float) -> Fraction:
    """Take a score for the decimal fraction that was written, so that the mean of 0.7, 0.8 and 0.9 reaches 0.8."""
    return Fraction(repr(score))


_IN_FORCE: Final[ContextVar[JudgeInForce | None]] = ContextVar("trajectory_judge", default=None)


def judge_in_force() -> JudgeInForce | None:
    """Return the judge that rules ask; ``None`` when none is configured."""
    return _IN_FORCE.get()


def set_judge(judge: JudgeInForce | None) -> JudgeInForce | None:
    """Put a judge in force for this context, and return the one that was.

    Args:
        judge: The judge; ``None`` for none.
    """
    before = _IN_FORCE.get()
    _IN_FORCE.set(judge)
    return before
