"""The spans of a file as trees, and which of them belong to whom."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trajectory.recordings.spans.span import Span

_CONVERSATION: Final = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "gcp.vertex.agent.session_id",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.threadId",
)
_AGENT: Final = ("gen_ai.agent.name", "agent.name")
_T = TypeVar("_T")


class Forest:
    """Spans with their parents.

    Attributes:
        traces: The spans of each trace, in the order of their beginning.
        repeated: How many spans stood in the file once more.
        conversation: Gives the id of the conversation that a span belongs to, as far as it or a span around it knows.
        agent: Gives the name of the agent that a span belongs to, likewise.
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        given = list(spans)
        self._spans: dict[tuple[str, str], Span] = {}
        for span in given:
            known = self._spans.get(key := (span.trace_id, span.span_id))
            if known is None or known.end is None or span.end is not None:
                self._spans[key] = span  # some exporters write a span when it begins, and again when it ends
        self.conversation = self.nearest(lambda span: span.text(*_CONVERSATION))
        self.agent = self.nearest(lambda span: span.text(*_AGENT))
        self.repeated = len(given) - len(self._spans)
        traces: dict[str, list[Span]] = {}
        for span in sorted(self._spans.values(), key=lambda span: span.start):
            traces.setdefault(span.trace_id, []).append(span)
        self.traces = tuple(tuple(trace) for trace in traces.values())

    def ancestors(self, span: Span) -> Iterator[Span]:
        """Give the span around a span, the one around that, and so on; nothing where spans are around each other."""
        while (parent := self.parent(span)) is not None:
            yield parent
            span = parent

    def parent(self, span: Span) -> Span | None:
        """Give the span right around a span; ``None`` where spans are around each other."""
        if span.parent_id is None or (span.trace_id, span.span_id) not in self._tour:
            return None
        return self._spans.get((span.trace_id, span.parent_id))

    def nearest(self, own: Callable[[Span], _T | None]) -> Callable[[Span], _T | None]:
        """Make a look-up of what is known of the nearest span, from a span outwards.

        Args:
            own: What is known of a span by itself.

        Returns:
            The look-up. It remembers, so that all spans together take a time in proportion to their number.
        """
        known: dict[tuple[str, str], _T | None] = {}

        def look_up(span: Span) -> _T | None:
            way: list[tuple[str, str]] = []
            found: _T | None = None
            place: Span | None = span
            while found is None and place is not None:
                if (key := (place.trace_id, place.span_id)) in known:
                    found = known[key]
                    break
                way.append(key)
                found = own(place)
                place = self.parent(place)
            for key in way:
                known[key] = found
            return found

        return look_up

    def above(self, own: Callable[[Span], _T | None]) -> Callable[[Span], _T | None]:
        """Make a look-up of what is known of the nearest span around a span, the span itself left out."""
        look_up = self.nearest(own)

        def look_above(span: Span) -> _T | None:
            parent = self.parent(span)
            return None if parent is None else look_up(parent)

        return look_above

    def holds(self, outer: Span, inner: Span) -> bool:
        """Tell whether a span is around another, however far."""
        begin, end = self._tour.get((outer.trace_id, outer.span_id), (0, -1))
        at, _ = self._tour.get((inner.trace_id, inner.span_id), (-1, -1))
        return begin < at <= end

    @cached_property
    def _tour(self) -> dict[tuple[str, str], tuple[int, int]]:
        """The number of each span on a way through the trees, and that of the last one inside of it."""
        inside: dict[tuple[str, str], list[tuple[str, str]]] = {}
        roots: list[tuple[str, str]] = []
        for key, span in self._spans.items():
            around = (span.trace_id, span.parent_id or "")
            (inside.setdefault(around, []) if around in self._spans else roots).append(key)
        numbers: dict[tuple[str, str], int] = {}
        ends: dict[tuple[str, str], int] = {}
        open_: list[tuple[str, str]] = roots
        while open_:
            key = open_[-1]
            if key not in numbers:
                numbers[key] = len(numbers)
                open_ += inside.get(key, ())
            else:
                ends[open_.pop()] = len(numbers) - 1
        return {key: (number, ends[key]) for key, number in numbers.items()}
