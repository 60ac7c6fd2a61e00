"""The spans of a file as trees, and which of them belong to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajectory.recordings.spans.span import Span

_CONVERSATION: Final = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "gcp.vertex.agent.session_id",
)
_AGENT: Final = ("gen_ai.agent.name", "agent.name")


class Forest:
    """Spans with their parents.

    Attributes:
        traces: The spans of each trace, in the order of their beginning.
        repeated: How many spans stood in the file once more.
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        given = list(spans)
        self._spans: dict[tuple[str, str], Span] = {}
        for span in given:
            known = self._spans.get(key := (span.trace_id, span.span_id))
            if known is None or known.end is None or span.end is not None:
                self._spans[key] = span  # some exporters write a span when it begins, and again when it ends
        self.repeated = len(given) - len(self._spans)
        traces: dict[str, list[Span]] = {}
        for span in sorted(self._spans.values(), key=lambda span: span.start):
            traces.setdefault(span.trace_id, []).append(span)
        self.traces = tuple(tuple(trace) for trace in traces.values())

    def ancestors(self, span: Span) -> Iterator[Span]:
        """Give the span around a span, the one around that, and so on."""
        seen = {span.span_id}
        while span.parent_id is not None and span.parent_id not in seen:
            seen.add(span.parent_id)
            parent = self._spans.get((span.trace_id, span.parent_id))
            if parent is None:
                return
            yield parent
            span = parent

    def conversation(self, span: Span) -> str | None:
        """Give the id of the conversation that a span belongs to, as far as it or a span around it knows."""
        return self._nearest(span, _CONVERSATION)

    def agent(self, span: Span) -> str | None:
        """Give the name of the agent that a span belongs to, likewise."""
        return self._nearest(span, _AGENT)

    def _nearest(self, span: Span, keys: tuple[str, ...]) -> str | None:
        return next((found for place in (span, *self.ancestors(span)) if (found := place.text(*keys))), None)
