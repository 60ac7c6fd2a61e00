"""Match two trajectories: the expected tool calls of a turn against the actual ones."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import ToolCall
from trajectory.matching.alignment import align
from trajectory.matching.explanation import explain
from trajectory.matching.modes import verdict
from trajectory.matching.options import check_policy, check_repeats, read_mode, read_tools
from trajectory.matching.overlap import Overlap, overlap
from trajectory.matching.prepared import Preparation, PreparedCall
from trajectory.settings import ArgumentPolicy, MatchMode, Repeats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajectory.matching.steps import Step

EXACT: Final = ArgumentPolicy()

_PLACES_NAMED: Final = 3


@dataclass(frozen=True)
class TrajectoryMatch:
    """The verdict on two trajectories. It is true where they match.

    Attributes:
        passed: Whether the actual calls are what the mode asks for.
        mode: The match mode.
        arguments: When two calls agreed.
        repeats: Whether repeated calls counted.
        expected: The expected calls that were compared.
        actual: The actual calls that were compared.
        undecided: Why no verdict can be given; then `passed` is false, and nothing is said about the agent.
    """

    passed: bool
    mode: MatchMode
    arguments: ArgumentPolicy
    repeats: Repeats
    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]
    undecided: str | None

    def __bool__(self) -> bool:
        return self.passed

    @property
    def vacuous(self) -> bool:
        """Whether there was nothing to check: the mode passes because one side is empty."""
        match self.mode:
            case MatchMode.IN_ORDER | MatchMode.SUPERSET:
                return not self.expected
            case MatchMode.SUBSET:
                return not self.actual
            case _:
                return False

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Both trajectories paired step by step; worked out when first asked for."""
        preparation = Preparation(self.arguments)
        expected = [preparation.prepare(call) for call in self.expected]
        actual = [preparation.prepare(call) for call in self.actual]
        return align(self.mode, self.repeats, expected, actual)

    @cached_property
    def overlap(self) -> Overlap:
        """How many calls have a partner on the other side, whatever the mode and the order."""
        preparation = Preparation(self.arguments)
        expected = [preparation.prepare(call) for call in self.expected]
        actual = [preparation.prepare(call) for call in self.actual]
        return overlap(self.repeats, expected, actual)

    def explain(self, width: int = 80) -> str:
        """Explain the verdict: both trajectories step by step, with every argument that differs.

        Args:
            width: How many columns there are.

        Returns:
            The explanation. The first two characters of each line tell what kind of line it is (see `MARKERS`).
        """
        return explain(self, width)

    def __str__(self) -> str:
        return self.explain()


def match_trajectory(  # noqa: PLR0913 - the options of a match, each with its default
    expected: Iterable[ToolCall | Mapping[str, Any]],
    actual: Iterable[ToolCall | Mapping[str, Any]],
    mode: MatchMode | str = MatchMode.STRICT,
    arguments: ArgumentPolicy = EXACT,
    repeats: Repeats = "count",
    *,
    ignore_tools: Iterable[str] = (),
) -> TrajectoryMatch:
    """Match the actual calls of a turn against the expected ones.

    The verdict under the exact policy takes time linear in the size of both trajectories. Ids are never compared.

    Args:
        expected: The calls that were recorded, in any form that `ToolCall.read` understands.
        actual: The calls that the agent made, likewise.
        mode: How the actual calls must relate to the expected ones; a `MatchMode` or its name in any ASCII case.
        arguments: When an expected call accepts the arguments of an actual one.
        repeats: ``"count"``: each expected call covers one actual call. ``"ignore"``: both sides are compared as sets;
            where order counts, later repeats of equal calls are dropped first (under ``IN_ORDER`` from the expected
            side only, so that one more actual call never breaks it).
        ignore_tools: Names of tools, or patterns with ``*``, ``?`` and ``[...]``, whose calls are taken out of both
            sides before matching.

    Returns:
        The verdict, which can also explain itself.

    Raises:
        ConfigurationError: An option has a value that it cannot have.
        TypeError: Something in ``expected`` or ``actual`` is no tool call.
    """
    mode = read_mode(mode)
    check_policy(arguments)
    check_repeats(repeats)
    preparation, ignored = Preparation(arguments), read_tools(ignore_tools)
    sides = _side(expected, preparation, ignored), _side(actual, preparation, ignored)
    passed = verdict(mode, repeats, *sides)
    return TrajectoryMatch(
        passed=bool(passed),
        mode=mode,
        arguments=arguments,
        repeats=repeats,
        expected=tuple(prepared.call for prepared in sides[0]),
        actual=tuple(prepared.call for prepared in sides[1]),
        undecided=None if passed is not None else _undecided(*sides),
    )


def _side(
    calls: Iterable[ToolCall | Mapping[str, Any]], preparation: Preparation, ignored: Sequence[str]
) -> list[PreparedCall]:
    """Make the calls of one side ready, without those of ignored tools."""
    patterns = [preparation.name(pattern) for pattern in ignored]
    side = [preparation.prepare(ToolCall.read(call)) for call in calls]
    if not patterns:
        return side
    return [call for call in side if not any(fnmatchcase(call.name, pattern) for pattern in patterns)]


def _undecided(expected: Sequence[PreparedCall], actual: Sequence[PreparedCall]) -> str:
    places = [
        f"{side} call {number} ({call.call.name})"
        for side, calls in (("expected", expected), ("actual", actual))
        for number, call in enumerate(calls, 1)
        if not call.recorded
    ]
    named = ", ".join(places[:_PLACES_NAMED])
    more = f" and {len(places) - _PLACES_NAMED} more" if len(places) > _PLACES_NAMED else ""
    return f"arguments on which it depends were not recorded: {named}{more}"
