"""What happened in the traces of a file: requests to models, runs of tools and of agents, per conversation."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeAlias

from trajectory.conversation import AssistantMessage
from trajectory.recordings.spans.adk import Adk
from trajectory.recordings.spans.adot import Adot
from trajectory.recordings.spans.facts import Dialect, Exchange, Request, ToolRun
from trajectory.recordings.spans.genai import GenAi
from trajectory.recordings.spans.langsmith import LangSmith
from trajectory.recordings.spans.openinference import OpenInference
from trajectory.recordings.spans.openllmetry import Indexed, Traceloop
from trajectory.recordings.spans.usage import completed, model_of, usage_of
from trajectory.recordings.spans.vercel import VercelAi

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajectory.recordings.spans.forest import Forest
    from trajectory.recordings.spans.span import Span

DIALECTS: Final[tuple[type[Dialect], ...]] = (LangSmith, Adot, OpenInference, Adk, Traceloop, Indexed, VercelAi, GenAi)
"""The first that a span speaks is it."""

Fact: TypeAlias = Exchange | ToolRun


@dataclass(slots=True)
class Activity:
    """What happened in one trace for one conversation, each list in the order of beginning.

    Attributes:
        conversation: The id of the conversation; ``None`` where none is recorded.
        models: The requests to models.
        agents: The runs of agents as a whole.
        tools: The runs of tools.
        requests: What the requests to models took, those of sub-agents among them.
        rest: The spans of the trace that are nothing of all that.
        inner: The names of the tools that sub-agents called; these calls are not the conversation's own.
        unfinished: The names of the spans that were written before they ended, and not again.
    """

    conversation: str | None
    models: list[tuple[Span, Exchange]] = field(default_factory=list)
    agents: list[tuple[Span, Exchange]] = field(default_factory=list)
    tools: list[tuple[Span, ToolRun]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    rest: Sequence[Span] = ()
    inner: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """The spans of all that."""
        return [span for span, _ in (*self.models, *self.agents, *self.tools)]

    @property
    def tells(self) -> bool:
        """Whether anything happened of which something is recorded."""
        told = any(exchange.said or exchange.given for _, exchange in self.agents)
        return bool(told or self.models or self.tools)


def activities(forest: Forest) -> Iterator[tuple[tuple[Span, ...], list[Activity]]]:
    """Read every trace.

    Args:
        forest: The spans.

    Yields:
        The spans of each trace, and what happened in it for each conversation; nothing for none.
    """
    dialects = tuple(kind() for kind in DIALECTS)
    for trace in forest.traces:
        yield trace, list(_Trace(forest, trace, dialects).activities())


class _Trace:
    """One trace: every span in the dialect that it speaks."""

    def __init__(self, forest: Forest, trace: tuple[Span, ...], dialects: Sequence[Dialect]) -> None:
        self._forest = forest
        self._dialects = dialects
        self._trace = trace
        self._models: dict[str, Exchange] = {}
        self._agents: dict[str, Exchange] = {}
        self._tools: dict[str, ToolRun] = {}
        for span in trace:
            self._read(span)

    def _read(self, span: Span) -> None:
        dialect = next((dialect for dialect in self._dialects if dialect.speaks(span)), None)
        if dialect is None:
            return
        agent = self._forest.agent(span)
        if (run := dialect.tool_run(span)) is not None:
            self._tools[span.span_id] = run if agent is None else replace(run, agent=agent)
        elif (exchange := dialect.model_call(span)) is not None:
            said = _at_once(exchange)
            self._models[span.span_id] = said if agent is None else replace(said, agent=agent)
        elif (exchange := dialect.agent_run(span)) is not None:
            self._agents[span.span_id] = exchange

    def activities(self) -> Iterator[Activity]:
        """Give what happened, apart for each conversation."""
        found: dict[str | None, Activity] = {}
        known = {name for span in self._trace if (name := self._forest.conversation(span))}
        only = next(iter(known)) if len(known) == 1 else None
        rest = [span for span in self._trace if not self._holds_fact(span)]
        for span in self._trace:
            if not self._holds_fact(span):
                continue
            name = self._forest.conversation(span) or only
            self._add(span, found.setdefault(name, Activity(name, rest=rest)))
        yield from (activity for activity in found.values() if activity.tells)

    def _holds_fact(self, span: Span) -> bool:
        name = span.span_id
        return name in self._models or name in self._tools or name in self._agents

    def _add(self, span: Span, activity: Activity) -> None:
        run = self._tools.get(span.span_id)
        activity.unfinished += [span.name] if span.end is None else []
        if span.span_id in self._models and span.span_id not in self._echoes:
            activity.requests.append(self._request(span))
        if self._is_inside_tool(span):
            activity.inner += [run.name] if run else []
        elif run is not None:
            activity.tools.append((span, run))
        elif (agent := self._agents.get(span.span_id)) is not None:
            activity.agents.append((span, agent if self._tells(span) else Exchange()))
        elif span.span_id not in self._echoes:
            activity.models.append((span, self._models[span.span_id]))

    def _request(self, span: Span) -> Request:
        """Give what a request took; what its span leaves open is taken from further records of the same request."""
        others = self._repeats(span)
        usage = completed(usage_of(span), [usage_of(other) for other in others])
        return Request(span.start, usage, model_of([span, *others]))

    def _repeats(self, span: Span) -> list[Span]:
        """Give the spans that record a request once more: alone inside of it, or around it and nothing else."""
        found = {span.span_id: span}
        place = span
        while len(inner := self._inside.get(place.span_id, [])) == 1 and inner[0].span_id not in found:
            place = found[inner[0].span_id] = inner[0]
        place = span
        while (outer := self._around.get(place.span_id)) and outer.span_id not in found:
            if len(self._inside[outer.span_id]) > 1:
                break
            place = found[outer.span_id] = outer
        return list(found.values())[1:]

    @cached_property
    def _around(self) -> dict[str, Span]:
        """The request to a model right around each of the others."""
        around = self._forest.above(lambda place: place if place.span_id in self._models else None)
        found = {span.span_id: around(span) for span in self._trace if span.span_id in self._models}
        return {name: place for name, place in found.items() if place}

    @cached_property
    def _inside(self) -> dict[str, list[Span]]:
        """The requests to models right inside of each of the others."""
        found: dict[str, list[Span]] = {}
        for span in self._trace:
            if (around := self._around.get(span.span_id)) is not None:
                found.setdefault(around.span_id, []).append(span)
        return found

    @cached_property
    def _tells(self) -> Callable[[Span], bool]:
        """Tell whether no agent around an agent tells what was said; the outermost one speaks for all."""
        spoken = self._forest.above(lambda place: self._agents.get(place.span_id, Exchange()).said or None)
        return lambda agent: spoken(agent) is None

    @cached_property
    def _is_inside_tool(self) -> Callable[[Span], bool]:
        """Tell whether a tool did it: then it is the work of a sub-agent."""
        detached = self._detached()
        around = self._forest.above(lambda place: place.span_id in detached or place.span_id in self._tools or None)
        return lambda span: span.span_id in detached or around(span) is not None

    def _detached(self) -> frozenset[str]:
        """The agents that ran while a tool ran that is not theirs: some writers hang them beside the tool, not below."""
        tools = [span for span in self._trace if span.span_id in self._tools and span.end is not None]
        agents = [span for span in self._trace if span.span_id in self._agents]
        begins = [tool.start for tool in tools]
        ends = list(accumulate((tool.end or 0 for tool in tools), max))
        found: set[str] = set()
        for agent in agents:
            before = bisect_right(begins, agent.start)
            if before and agent.end is not None and agent.end <= ends[before - 1]:
                outer = (tool for tool in tools[:before] if _inside(agent, tool))
                found |= {agent.span_id} if any(not self._forest.holds(agent, tool) for tool in outer) else set()
        return frozenset(found)

    @cached_property
    def _echoes(self) -> frozenset[str]:
        """The requests to models that another instrumentation recorded as well, around or inside: one of each is enough."""
        found: set[str] = set()
        spoken_for: set[str] = set()
        says = self._forest.above(lambda place: place.span_id if self._says(place) else None)
        for span in self._trace:
            around = self._around.get(span.span_id)
            if around is None:
                continue
            if not self._says(span) or says(span) is not None:
                found.add(span.span_id)
                continue
            while around is not None and around.span_id not in spoken_for:
                spoken_for.add(around.span_id)
                around = self._around.get(around.span_id)
        return frozenset(found | spoken_for)

    def _says(self, span: Span) -> bool:
        return span.span_id in self._models and bool(self._models[span.span_id].said)


def _at_once(exchange: Exchange) -> Exchange:
    """Join what a model said at once, which some writers split into a message for the text and one for each call."""
    if len(exchange.said) <= 1:
        return exchange
    texts = "".join(message.content or "" for message in exchange.said)
    calls = tuple(call for message in exchange.said for call in message.tool_calls or ())
    return replace(exchange, said=(AssistantMessage(content=texts or None, tool_calls=calls or None),))


def _inside(inner: Span, outer: Span) -> bool:
    if inner.end is None or outer.end is None or not inner.start:
        return False
    return outer.start <= inner.start and inner.end <= outer.end
