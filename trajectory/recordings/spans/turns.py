"""The turns of a conversation: where one ends and the next begins."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajectory.conversation import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.recordings.spans.activity import Activity
    from trajectory.recordings.spans.facts import Exchange, Request, ToolRun
    from trajectory.recordings.spans.span import Span


@dataclass(slots=True)
class Turn:
    """One user turn, as spans tell it.

    Attributes:
        query: What the user said; ``None`` when that is not recorded.
        exchanges: The requests to models, in order; or the runs of agents where no request was recorded.
        tools: The runs of tools, in the order of their beginning.
        requests: What the requests to models took, those of sub-agents among them.
        agents: The runs of agents around all that.
        rest: Spans that are nothing of all that, of the traces in which it happened.
        around: The spans of all that happened in the trace, where the turn is the only one in it.
        complete: Whether every request to a model kept its messages.
        others: What models were told in the name of other users than the one of this turn.
    """

    query: str | None = None
    exchanges: list[tuple[Span, Exchange]] = field(default_factory=list)
    tools: list[tuple[Span, ToolRun]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    agents: list[tuple[Span, Exchange]] = field(default_factory=list)
    rest: list[Span] = field(default_factory=list)
    around: list[Span] = field(default_factory=list)
    complete: bool = True
    others: list[str] = field(default_factory=list)

    @property
    def begin(self) -> int:
        """When the turn began, in nanoseconds."""
        return min(span.start for span in self._spans)

    @property
    def end(self) -> int:
        """When the turn ended, in nanoseconds."""
        return max(span.end or span.start for span in self._spans)

    @property
    def _spans(self) -> list[Span]:
        return [*self.around, *(span for span, _ in (*self.exchanges, *self.tools))]


def turns(activities: Iterable[Activity]) -> list[Turn]:
    """Tell the turns of a conversation apart.

    A trace begins a turn, unless the first request in it goes on where the trace before left off. Inside a trace, a
    request begins a turn when the user said something after all that earlier requests knew of.

    Args:
        activities: What happened, trace by trace.

    Returns:
        The turns.
    """
    found: list[Turn] = []
    for activity in activities:
        found += _Splitter(activity, goes_on=found[-1] if found else None).new_turns()
    return found


class _Splitter:
    """Splits what happened in one trace into turns; the first of them may be the last one of the trace before."""

    def __init__(self, activity: Activity, goes_on: Turn | None) -> None:
        self._activity = activity
        self._goes_on = goes_on
        self._turns: list[Turn] = []
        self._users: list[str] = []

    def new_turns(self) -> list[Turn]:
        """Give the turns that began in this trace; a turn that goes on gets what is its own."""
        for span, exchange in self._exchanges():
            self._add(span, exchange)
        turns = self._turns or [Turn()]
        begins = [turn.begin for turn in turns if turn.exchanges]
        for span, run in self._activity.tools:
            turns[max(bisect(begins, span.start) - 1, 0)].tools.append((span, run))
        for request in self._activity.requests:
            turns[max(bisect(begins, request.start) - 1, 0)].requests.append(request)
        if len(turns) == 1:
            turns[0].agents += self._activity.agents
            turns[0].around += self._activity.spans
        silent = any(not (exchange.said or span.failed) for span, exchange in self._activity.models)
        for turn in turns:
            turn.complete = turn.complete and not silent
            turn.rest += self._activity.rest
        return [turn for turn in turns if turn is not self._goes_on]

    def _exchanges(self) -> list[tuple[Span, Exchange]]:
        """Choose who tells what was said: the requests to models, or where they keep silent the agents."""
        spoken = [(span, exchange) for span, exchange in self._activity.models if exchange.said or span.failed]
        if any(exchange.said for _, exchange in spoken):
            return spoken
        return [
            (span, exchange) for span, exchange in self._activity.agents if exchange.said or exchange.given
        ] or spoken

    def _add(self, span: Span, exchange: Exchange) -> None:
        users = [message.content for message in exchange.given if message.role == "user"]
        more = users[: len(self._users)] == self._users
        if self._begins(exchange, longer=more and len(users) > len(self._users)):
            self._turns.append(Turn(query=users[-1] if users else None))
        elif users and not more:
            self._turns[-1].others.append(users[-1])
        self._users = users if more else self._users
        self._turns[-1].exchanges.append((span, exchange))

    def _begins(self, exchange: Exchange, *, longer: bool) -> bool:
        if self._turns:
            return longer
        asked = not exchange.given or isinstance(exchange.given[-1], UserMessage)
        if not asked and self._goes_on is not None:
            self._turns.append(self._goes_on)
            return False
        return True
