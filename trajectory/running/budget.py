"""Budgets: what a run may take, added up turn by turn (outcomes, section 5)."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.conversation import Trace
    from trajectory.prices import Prices


class Budget:
    """What a run may take, and what it has taken so far; shared by all threads that run at once.

    Attributes:
        usd: The most US dollars; ``None`` for any.
        tokens: The most tokens of models; ``None`` for any.
        seconds: The most seconds from the beginning of the run; ``None`` for any.
        uncounted_turns: How many turns did not say what a budget that is set counts.
        live_turns: How many turns called live tools where the recording had no answer.
        halted: Why something was not begun; empty when nothing was halted.
        is_set: Whether anything is limited.
    """

    def __init__(
        self,
        *,
        usd: float | None = None,
        tokens: float | None = None,
        seconds: float | None = None,
        prices: Prices | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._prices = prices
        self.usd = usd
        self.tokens = tokens
        self.seconds = seconds
        self.is_set = any(limit is not None for limit in (usd, tokens, seconds))
        self.uncounted_turns = 0
        self.live_turns = 0
        self.halted = ""
        self._clock = clock
        self._begun = clock()
        self._spent_usd = 0.0
        self._spent_tokens = 0
        self._threads = 0
        self._lock = threading.Lock()

    def charge(self, trace: Trace) -> Trace:
        """Add what a turn took, as the agent reports it.

        Returns:
            The turn, with what it cost where the prices tell and the agent does not.
        """
        trace = self._priced(trace)
        usage = trace.usage
        tokens, cost = (None, None) if usage is None else (usage.tokens, usage.cost_usd)
        missing = (self.tokens is not None and tokens is None) or (self.usd is not None and cost is None)
        with self._lock:
            self._spent_tokens += tokens or 0
            self._spent_usd += cost or 0.0
            self.uncounted_turns += missing
        return trace

    def went_live(self) -> None:
        """Count a turn that called live tools where the recording had no answer."""
        with self._lock:
            self.live_turns += 1

    def _priced(self, trace: Trace) -> Trace:
        usage = trace.usage
        if self._prices is None or usage is None or usage.cost_usd is not None:
            return trace
        cost = self._prices.cost(usage, trace.models or ())
        if cost is None:
            return trace
        return trace.model_copy(update={"usage": replace(usage, cost_usd=cost, cost_complete=usage.tokens_complete)})

    @property
    def spent_tokens(self) -> int:
        """How many tokens the turns so far have taken, as far as they said so."""
        return self._spent_tokens

    @property
    def spent_usd(self) -> float:
        """How many US dollars the turns so far have cost, as far as that is known."""
        return self._spent_usd

    def thread_ended(self) -> None:
        """Count a thread that came to its end."""
        with self._lock:
            self._threads += 1

    def halt(self) -> str:
        """Say why no further turn may start, to be asked right before one would; empty while one may.

        Returns:
            Such as ``the run halted on its budget (spent 1,204 of 1,000 tokens after 3 threads)``.
        """
        if not self.is_set:
            return ""
        elapsed = self._clock() - self._begun
        with self._lock:
            spent = [
                (self.usd, self._spent_usd, f"{self._spent_usd:.4g} of {self.usd or 0:.4g} USD"),
                (self.tokens, self._spent_tokens, f"{self._spent_tokens:,} of {self.tokens or 0:,.0f} tokens"),
                (self.seconds, elapsed, f"{elapsed:.1f} of {self.seconds or 0:g} seconds"),
            ]
            over = [words for limit, amount, words in spent if limit is not None and amount >= limit]
            after = f"{self._threads} thread{'s' * (self._threads != 1)}"
            if over:
                self.halted = f"the run halted on its budget (spent {', '.join(over)} after {after})"
            return self.halted if over else ""
