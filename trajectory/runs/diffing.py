"""Two conversations side by side: where the agent went another way, where it came back, and what that took."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from trajectory.matching import match_trajectory
from trajectory.settings import ArgumentPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.conversation import ToolCall
    from trajectory.matching import TrajectoryMatch
    from trajectory.runs.sides import Conversation, Turn


_TURNS_ALIGNED: Final = 1000
"""In longer conversations turns belong together by their position alone."""


class How(NamedTuple):
    """When two calls are the same.

    Attributes:
        arguments: When their arguments are.
        ignore_tools: Tools whose calls are not looked at, names or patterns.
    """

    arguments: ArgumentPolicy = ArgumentPolicy()
    ignore_tools: tuple[str, ...] = ()


class OtherResult(NamedTuple):
    """A call that is the same on both sides, and to which the tool gave back something else."""

    first: ToolCall
    second: ToolCall


@dataclass(frozen=True)
class TurnDiff:
    """A turn of one conversation beside one of the other.

    Attributes:
        number: Which turn of the first conversation it is, from 1; of the second, where the first has none.
        first: The turn of the first conversation; ``None`` where it has none.
        second: That of the second; likewise.
        match: The calls of both; ``None`` where there is one turn alone.
    """

    number: int
    first: Turn | None
    second: Turn | None
    match: TrajectoryMatch | None

    @property
    def same_query(self) -> bool:
        """Whether the user said the same, white space at the ends aside."""
        first, second = self.first, self.second
        return first is not None and second is not None and _texts(first.query, second.query)

    @property
    def same_response(self) -> bool:
        """Whether the agent answered the same, likewise, and the turn ended in the same error, if in any."""
        first, second = self.first, self.second
        if first is None or second is None:
            return False
        return _texts(first.response, second.response) and _texts(first.error, second.error)

    @cached_property
    def other_results(self) -> tuple[OtherResult, ...]:
        """The calls that are the same, with results that are not; a result that one side did not record tells nothing."""
        if self.match is None:
            return ()
        pairs = [(step.expected, step.actual) for step in self.match.steps if not step.differences]
        return tuple(OtherResult(one, other) for one, other in pairs if one and other and _results_differ(one, other))

    @property
    def same_calls(self) -> bool:
        """Whether the agent made the same calls in the same order."""
        return self.match is not None and self.match.passed

    @property
    def same_way(self) -> bool:
        """Whether the agent did the same: what it said, and what tools gave back, may differ."""
        return self.same_query and self.same_calls

    @property
    def same(self) -> bool:
        """Whether everything is the same but how long it took and what it cost."""
        return self.same_way and self.same_response and not self.other_results


@dataclass(frozen=True, slots=True)
class ThreadDiff:
    """A conversation beside another one.

    Attributes:
        first: The one.
        second: The other.
        turns: Their turns.
    """

    first: Conversation
    second: Conversation
    turns: tuple[TurnDiff, ...]

    @property
    def same(self) -> bool:
        """Whether everything is the same but how long it took and what it cost."""
        return all(turn.same for turn in self.turns)

    @property
    def diverges(self) -> TurnDiff | None:
        """The first turn in which the agent did something else; ``None`` where there is none."""
        return next((turn for turn in self.turns if not turn.same_way), None)

    @property
    def meets(self) -> TurnDiff | None:
        """The first turn after that from which on it did the same to the end; ``None`` where it did not come back."""
        back = None
        for turn in reversed(self.turns):
            if not turn.same_way:
                break
            back = turn
        return back if self.diverges is not None else None


@dataclass(frozen=True, slots=True)
class RunsDiff:
    """Two files of conversations side by side.

    Attributes:
        first: What the first is called.
        second: What the second is called.
        threads: The conversations that both have.
        only_first: The ids of those that the first has alone.
        only_second: Those of the second.
        notes: How they were paired, and what their readers had to say.
    """

    first: str
    second: str
    threads: tuple[ThreadDiff, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both hold the same conversations, but for times and costs."""
        return not (self.only_first or self.only_second) and all(thread.same for thread in self.threads)


def diff(first: Conversation, second: Conversation, how: How | None = None) -> ThreadDiff:
    """Lay two conversations side by side.

    Turns belong together in which the user said the same, in order; between those, by their position.

    Args:
        first: The one.
        second: The other.
        how: When two calls are the same.

    Returns:
        Both, turn by turn.
    """
    return ThreadDiff(first, second, tuple(_turns(first.turns, second.turns, how or How())))


def _turns(first: Sequence[Turn], second: Sequence[Turn], how: How) -> Iterator[TurnDiff]:
    for begin, end, other_begin, other_end in _stretches(first, second):
        for offset in range(max(end - begin, other_end - other_begin)):
            one = begin + offset if begin + offset < end else None
            other = other_begin + offset if other_begin + offset < other_end else None
            yield _turn(first, second, one, other, how)


def _stretches(first: Sequence[Turn], second: Sequence[Turn]) -> list[tuple[int, int, int, int]]:
    """Find the turns of both sides that belong together: where they begin and end on either."""
    if max(len(first), len(second)) > _TURNS_ALIGNED:
        return [(0, len(first), 0, len(second))]
    ones, others = ([turn.query.strip() for turn in side] for side in (first, second))
    matcher = SequenceMatcher(isjunk=None, a=ones, b=others, autojunk=False)
    return [stretch[1:] for stretch in matcher.get_opcodes()]


def _turn(first: Sequence[Turn], second: Sequence[Turn], one: int | None, other: int | None, how: How) -> TurnDiff:
    number = (one if one is not None else other or 0) + 1
    left = None if one is None else first[one]
    right = None if other is None else second[other]
    if left is None or right is None:
        return TurnDiff(number, left, right, None)
    match = match_trajectory(left.calls, right.calls, arguments=how.arguments, ignore_tools=how.ignore_tools)
    return TurnDiff(number, left, right, match)


def _texts(first: str | None, second: str | None) -> bool:
    return (first or "").strip() == (second or "").strip()


def _results_differ(first: ToolCall, second: ToolCall) -> bool:
    if first.result is None or second.result is None:
        return False
    return (first.result.content, first.result.error or False) != (second.result.content, second.result.error or False)
