"""Put a match into words: the two trajectories step by step, one line each, with every differing argument below.

The first two characters of a line say what kind of line it is (see `MARKERS`), so that a report can colour it.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten
from trajectory.matching.alignment import CALLS_PAIRED
from trajectory.matching.difference_text import INDENT, difference_lines, name_lines
from trajectory.matching.differences import DIFFERENCES_LISTED
from trajectory.matching.steps import Step, StepKind
from trajectory.matching.values import brief

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.conversation import ToolCall
    from trajectory.matching.trajectory_match import TrajectoryMatch
    from trajectory.settings import MatchMode

MARKERS: Final = {
    StepKind.SAME: "  ",
    StepKind.DIFFERS: "~ ",
    StepKind.MISSING: "- ",
    StepKind.UNEXPECTED: "+ ",
    StepKind.OUT_OF_ORDER: "^ ",
}
"""With what a line begins that shows a step of this kind. Steps that the mode does not mind begin like the same ones."""

NO_VERDICT_MARKER: Final = "? "
"""With what the line begins that says why there is no verdict."""

LINES_SHOWN: Final = 200
"""After so many lines the rest is counted, not shown."""

DIFFERENCES_SHOWN: Final = 20
"""So many differences of one pair of calls are shown."""

_RUN_SHOWN: Final = 3
"""A run of more same calls than these is folded."""

_LEAST_WIDTH: Final = 40
_LEAST_ROOM: Final = 10
_COMPARED: Final = 500
"""So many characters of two calls are compared before they are taken for the same call again."""


def explain(match: TrajectoryMatch, width: int = 80) -> str:
    """Explain a match.

    Args:
        match: The match.
        width: How many columns there are; less than 40 are taken as 40.

    Returns:
        The explanation, lines separated by newlines.
    """
    width = max(width, _LEAST_WIDTH)
    lines = [line for text in _header(match) for line in wrap(text, width, subsequent_indent="    ")]
    told = 0
    for _, neighbours in groupby(match.steps, _likeness):
        run = list(neighbours)
        if len(lines) >= LINES_SHOWN:
            lines.append(_left_out(match.steps[told:]))
            break
        lines += _run_lines(run, match.mode, width)
        told += len(run)
    if _some_unpaired(match.steps):
        lines.append(f"  (only the first {CALLS_PAIRED} calls of each side that found no partner were compared)")
    return "\n".join(lines)


def _header(match: TrajectoryMatch) -> Iterator[str]:
    expected, actual = len(match.expected), len(match.actual)
    yield f"{match.mode}, {_policy(match)}: {expected} call{'s' * (expected != 1)} expected, {actual} made"
    if match.undecided:
        yield f"{NO_VERDICT_MARKER}no verdict: {printable(match.undecided)}"
    if match.vacuous:
        yield f"  nothing to check: {match.mode} passes with no calls {'made' if match.expected else 'expected'}"


def _policy(match: TrajectoryMatch) -> str:
    policy = match.arguments
    words = [f"{policy.policy} arguments"]
    words += ["case-insensitive"] * (not policy.case_sensitive)
    words += [f"ignoring {printable(', '.join(policy.ignore_paths))}"] * bool(policy.ignore_paths)
    words += ["with a tolerance"] * bool(policy.tolerance)
    words += ["with matchers"] * policy.matchers
    words += [f"own policy for {printable(', '.join(policy.tools))}"] * bool(policy.tools)
    words += ["repeats ignored"] * (match.repeats == "ignore")
    return ", ".join(words)


def _likeness(step: Step) -> tuple[object, ...]:
    """Make neighbouring steps equal that would read the same: the same ones, and one call again and again."""
    if step.expected is not None and step.actual is not None:
        same = step.kind is StepKind.SAME and step.expected_index == step.actual_index
        return (step.kind, None if same else (step.expected_index, step.actual_index))
    call = step.expected or step.actual
    return (step.kind, call and _call(call, _COMPARED))


def _run_lines(run: Sequence[Step], mode: MatchMode, width: int) -> list[str]:
    if len(run) <= _RUN_SHOWN:
        return [line for step in run for line in _step_lines(step, mode, width)]
    first, last = run[0], run[-1]
    if first.kind is StepKind.SAME:
        folded = f"{_marker(first)}... {len(run) - 2} same calls"
        return [*_step_lines(first, mode, width), folded, *_step_lines(last, mode, width)]
    number = last.expected_index if last.actual_index is None else last.actual_index
    last_number = "" if number is None else f", up to number {number + 1}"
    folded = f"{_marker(first)}... {len(run) - 1} more of this call{last_number}"
    return [*_step_lines(first, mode, width), folded]


def _marker(step: Step) -> str:
    return MARKERS[step.kind if step.breach else StepKind.SAME]


def _step_lines(step: Step, mode: MatchMode, width: int) -> list[str]:
    """Write one step: what became of which call, and for a pair that differs each difference below."""
    call = step.expected or step.actual
    number = step.actual_index if step.expected_index is None else step.expected_index
    start = f"{_marker(step)}{'?' if number is None else number + 1} {_what(step, mode)}".rstrip()
    if step.kind is StepKind.DIFFERS and step.expected and step.actual:
        return [f"{start}, expected -> got: {_name(step.expected.name, width)}", *_difference_lines(step, width)]
    return [f"{start} {_call(call, width - len(start) - 1)}" if call else start]


def _what(step: Step, mode: MatchMode) -> str:
    """Say what a step is, in front of the call."""
    made_as = f"made as {step.actual_index + 1}" if step.actual_index is not None else ""
    elsewhere = step.actual_index != step.expected_index
    match step.kind:
        case StepKind.SAME:
            return f"({made_as})" if elsewhere else ""
        case StepKind.DIFFERS:
            return f"differs ({made_as})" if elsewhere else "differs"
        case StepKind.OUT_OF_ORDER:
            return f"out of order ({made_as}):"
        case StepKind.MISSING:
            return "missing:" if step.breach else f"not made, as {mode} allows:"
        case StepKind.UNEXPECTED:
            return "unexpected:" if step.breach else f"extra, as {mode} allows:"


def _difference_lines(step: Step, width: int) -> Iterator[str]:
    if step.expected and step.actual and step.expected.name != step.actual.name:
        yield from name_lines(step.expected.name, step.actual.name, width)
    for difference in step.differences[:DIFFERENCES_SHOWN]:
        yield from difference_lines(difference, width)
    left = len(step.differences) - DIFFERENCES_SHOWN
    if left > 0:
        more = "or more " if len(step.differences) >= DIFFERENCES_LISTED else ""
        yield f"{INDENT}... {left} {more}further differences"


def _call(call: ToolCall, width: int) -> str:
    """Write a call on one line: its name, and its arguments if it has any."""
    name = _name(call.name, width)
    room = width - len(name) - 1
    if call.arguments == {} or room < _LEAST_ROOM:
        return name
    return f"{name} {brief(call.arguments, room)}"


def _name(name: str, width: int) -> str:
    return shorten(printable(name[: width + 1]), max(width // 2, _LEAST_ROOM)) or '""'


def _left_out(steps: Sequence[Step]) -> str:
    kinds = Counter(step.kind for step in steps)
    return f"  ... {len(steps)} more calls are left out: " + ", ".join(
        f"{count} {kind}" for kind, count in kinds.items()
    )


def _some_unpaired(steps: Sequence[Step]) -> bool:
    kinds = Counter(step.kind for step in steps)
    left = [kinds[StepKind.DIFFERS] + kinds[kind] for kind in (StepKind.MISSING, StepKind.UNEXPECTED)]
    return min(left) > 0 and max(left) > CALLS_PAIRED
