"""Two runs side by side, for a person at a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.json_values import printable, shorten
from trajectory.matching import StepKind
from trajectory.matching.difference_text import difference_lines, name_lines
from trajectory.matching.values import brief
from trajectory.report.text import WIDTH, count, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.conversation import ToolCall
    from trajectory.matching import Step
    from trajectory.runs.diffing import RunsDiff, ThreadDiff, TurnDiff
    from trajectory.runs.sides import Turn

_COLUMN: Final = (WIDTH - 5) // 2
_MARKS: Final = {
    StepKind.SAME: " ",
    StepKind.DIFFERS: "~",
    StepKind.MISSING: "<",
    StepKind.UNEXPECTED: ">",
    StepKind.OUT_OF_ORDER: "^",
}
_SIDES: Final = ("first", "second")
_STEPS: Final = 100
_DIFFERENCES: Final = 20
_NAMED: Final = 20
_SHORT: Final = 160
_NOT_RECORDED: Final = "not recorded"


def diff_text(found: RunsDiff, *, full: bool = False) -> str:
    """Show two runs side by side.

    Args:
        found: The two runs.
        full: Whether to show turns that are the same, and texts whole.

    Returns:
        The text. `<` stands for what the first run has alone, `>` for what the second has, `~` for what both have and
        differs, `^` for a call that was made in another order.
    """
    lines = [*_header(found)]
    for thread in found.threads:
        if not thread.same or full:
            lines += ["", *thread_lines(thread, full=full)]
    return "\n".join([*lines, "", *_summary(found)]) + "\n"


def _header(found: RunsDiff) -> Iterator[str]:
    yield from wrapped("first:  ", found.first)
    yield from wrapped("second: ", found.second)
    for note in found.notes[:_NAMED]:
        yield from wrapped("note: ", note)
    if len(found.notes) > _NAMED:
        yield f"... and {count(len(found.notes) - _NAMED, 'more note')}"


def _summary(found: RunsDiff) -> Iterator[str]:
    for which, names in (("first", found.only_first), ("second", found.only_second)):
        if names:
            left = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield from wrapped(f"only in the {which}: ", ", ".join(map(_name, names[:_NAMED])) + left)
    same = sum(thread.same for thread in found.threads)
    yield same_line(found)
    if len(found.threads) > 1 or same:
        sides = [[getattr(thread, side).turns for thread in found.threads] for side in _SIDES]
        yield from _took(*sides)


def same_line(found: RunsDiff) -> str:
    """Say how many threads are the same."""
    same = sum(thread.same for thread in found.threads)
    verb = "is" if 1 in {same, len(found.threads)} else "are"
    return f"{same} of {count(len(found.threads), 'thread')} {verb} the same"


# -------------------------------------------------------------------------------------------------------------- a thread


def thread_lines(thread: ThreadDiff, *, full: bool = False) -> list[str]:
    """Show a conversation beside another one.

    Args:
        thread: The two.
        full: Whether to show turns that are the same, and texts whole.

    Returns:
        The lines.
    """
    other = "" if thread.first.id == thread.second.id else f" | {_name(thread.second.id)}"
    title = shorten(f"thread {_name(thread.first.id)}{other}", WIDTH - 10)
    lines = [f" {title} ".center(WIDTH, "-"), *wrapped("", _course(thread))]
    lines += _took([thread.first.turns], [thread.second.turns])
    for turn in thread.turns:
        if turn.same and not full:
            calls = count(len(turn.first.calls), "call") if turn.first and turn.first.calls else "no call"
            lines.append(f"turn {turn.number}: the same, {calls}")
        else:
            lines += ["", *_turn_lines(turn, full=full)]
    return lines


def _course(thread: ThreadDiff) -> str:
    """Say where the two went apart, and where they met again."""
    diverges, meets = thread.diverges, thread.meets
    if diverges is None:
        return "the same" if thread.same else "the same calls; answers or results of tools differ"
    went = f"they part in turn {diverges.number}"
    if meets is not None:
        return f"{went}, and do the same again from turn {meets.number} on"
    return f"{went}, and do not come back to the same" if diverges is not thread.turns[-1] else went


def _turn_lines(turn: TurnDiff, *, full: bool) -> Iterator[str]:
    first, second = turn.first, turn.second
    alone = first or second
    if alone is None:
        return
    if first is None or second is None:
        yield f"turn {turn.number}: only in the {'second' if first is None else 'first'}"
        yield from _said("  user: ", alone.query, full=full)
        for number, call in enumerate(alone.calls[:_STEPS], 1):
            yield f"{'>' if first is None else '<'} {_call(call, number, WIDTH - 2)}"
        yield from _said("  agent: ", _answer(alone), full=full)
        return
    yield f"turn {turn.number}{': the same' if turn.same else ''}"
    if turn.same_query:
        yield from _said("  user: ", first.query, full=full)
    else:
        yield from _both("user", first.query, second.query, full=full)
    yield from _calls(turn)
    for result in turn.other_results:
        name = f"result of {_name(result.first.name)}"
        yield from _both(name, _result(result.first), _result(result.second), full=full)
    if turn.same_response:
        yield from _said("  agent: ", _answer(first), full=full)
    else:
        yield from _both("agent", _answer(first), _answer(second), full=full)


def _calls(turn: TurnDiff) -> Iterator[str]:
    match = turn.match
    if match is None or not match.steps:
        return
    if match.undecided:
        yield from wrapped("? ", f"these calls cannot be compared: {match.undecided}")
    for step in match.steps[:_STEPS]:
        yield from _step_lines(step)
    if len(match.steps) > _STEPS:
        yield f"  ... and {count(len(match.steps) - _STEPS, 'more call')}"


def _step_lines(step: Step) -> Iterator[str]:
    left = _call(step.expected, step.expected_index, _COLUMN) if step.expected else ""
    right = _call(step.actual, step.actual_index, _COLUMN) if step.actual else ""
    yield f"{_MARKS[step.kind]} {left:{_COLUMN}} | {right}".rstrip()
    if step.expected and step.actual and step.expected.name != step.actual.name:
        yield from name_lines(step.expected.name, step.actual.name, WIDTH, _SIDES)
    for difference in step.differences[:_DIFFERENCES]:
        yield from difference_lines(difference, WIDTH, _SIDES)
    if len(step.differences) > _DIFFERENCES:
        yield f"      ... {len(step.differences) - _DIFFERENCES} further differences"


def _call(call: ToolCall, place: int | None, width: int) -> str:
    """Write a call in one column."""
    start = f"{'?' if place is None else place + 1} {shorten(printable(call.name), width // 2)}"
    room = width - len(start) - 1
    return start if call.arguments == {} or room < 10 else f"{start} {brief(call.arguments, room)}"  # noqa: PLR2004


def _result(call: ToolCall) -> str:
    if call.result is None:
        return _NOT_RECORDED
    return f"{'failed: ' if call.result.error else ''}{call.result.content or '(nothing)'}"


def _answer(turn: Turn) -> str:
    return f"ended in an error: {turn.error}" if turn.error is not None else turn.response or "(no text)"


def _said(label: str, text: str, *, full: bool) -> list[str]:
    return wrapped(label, text if full else shorten(text, _SHORT))


def _both(what: str, first: str, second: str, *, full: bool) -> Iterator[str]:
    """Show two texts, one below the other, from where they begin to differ."""
    if not full:
        first, second = _from_difference(first, second)
    yield f"  {what} differs"
    yield from wrapped("  < ", first)
    yield from wrapped("  > ", second)


def _from_difference(first: str, second: str) -> tuple[str, str]:
    same = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        same += 1
    begin = max(0, same - _SHORT // 4) if max(len(first), len(second)) > _SHORT else 0
    front = "..." if begin else ""
    return front + shorten(first[begin:], _SHORT), front + shorten(second[begin:], _SHORT)


def _name(name: str) -> str:
    return shorten(printable(name))


# ------------------------------------------------------------------------------------------------------- what they took


def _took(first: Iterable[tuple[Turn, ...]], second: Iterable[tuple[Turn, ...]]) -> list[str]:
    """Say what both took and by how much that differs; never a guess where something was not recorded."""
    ones, others = ([turn for turns in side for turn in turns] for side in (first, second))
    facts = [
        _delta("time", [turn.seconds for turn in ones], [turn.seconds for turn in others], "{:,.1f} s"),
        _delta("tokens", [turn.tokens for turn in ones], [turn.tokens for turn in others], "{:,.0f}"),
        _delta("cost", [turn.cost_usd for turn in ones], [turn.cost_usd for turn in others], "{:,.4f} USD"),
    ]
    return wrapped("", "; ".join(facts))


def _total(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None


def _delta(what: str, ones: Sequence[float | None], others: Sequence[float | None], form: str) -> str:
    first, second = _total(ones), _total(others)
    if first is None and second is None:
        return f"{what} {_NOT_RECORDED}"
    shown = [_NOT_RECORDED if amount is None else form.format(amount) for amount in (first, second)]
    if first is None or second is None:
        return f"{what} {shown[0]} -> {shown[1]}"
    change = form.format(abs(second - first))
    return f"{what} {shown[0]} -> {shown[1]} ({'+' if second >= first else '-'}{change})"
