"""A run for a person at a terminal: at most 80 columns, and nothing recorded acts on the terminal."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from trajectory.evaluations import Outcome
from trajectory.json_values import printable, shorten
from trajectory.report.changes import changes_counted, changes_lines
from trajectory.report.facts import (
    NOT_PASSED,
    Standing,
    alarms,
    counts,
    explanation,
    gate_over,
    runs_passed,
    score,
    standing,
    turns,
    worst_first,
)
from trajectory.report.in_force import recorded_in_force
from trajectory.report.rerun import rerun_command
from trajectory.report.text import WIDTH, count, percent, wrapped
from trajectory.runs.comparison import Change
from trajectory.workflow_commands import defuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.runs import GateEntry, RunFile, ThreadEntry
    from trajectory.runs.comparison import Comparison

_EXPLAINED: Final = 10
_LINES_OF_ONE: Final = 60
_LISTED: Final = 20
_NAME_WIDTH: Final = 30
_NOTES: Final = 10
_UNDER: Final = " " * 16

_COLOURS: Final[dict[Outcome, dict[str, Any]]] = {
    Outcome.PASSED: {"fg": "green"},
    Outcome.FAILED: {"fg": "red"},
    Outcome.ERROR: {"fg": "red", "bold": True},
    Outcome.SKIPPED: {"fg": "yellow"},
}
_STEP_COLOURS: Final = {"~": "yellow", "-": "red", "+": "green", "^": "cyan"}


class _Line(NamedTuple):
    text: str = ""
    style: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it

    def shown(self, *, colour: bool) -> str:
        text = defuse(printable(self.text))
        return click.style(text, **self.style) if colour and self.style else text


def terminal_report(run: RunFile, comparison: Comparison | None = None, *, colour: bool = False) -> str:
    """Report a run for a person at a terminal.

    Args:
        run: The run.
        comparison: What changed since a baseline.
        colour: Whether to write escape sequences for colours; those are the only ones.

    Returns:
        Lines of at most 80 columns, but for commands and for texts of the user's own that cannot be broken.
    """
    failing = worst_first(run)
    lines = [
        *_header(run),
        *(_Line(text, {"fg": "red", "bold": True}) for text in _alarms(run)),
        *_explained(failing),
        *_section("conversation threads", _threads(run, failing)),
        *_changes(comparison),
        *_section("verdict", _verdict(run)),
        *_rerun(run, failing),
    ]
    return "".join(f"{line.shown(colour=colour)}\n" for line in lines)


def _section(title: str, lines: Iterator[_Line] | Sequence[_Line]) -> list[_Line]:
    body = list(lines)
    return [_Line(), _Line(f" {title} ".center(WIDTH, "="), {"bold": True}), *body] if body else []


def _header(run: RunFile) -> Iterator[_Line]:
    version = shorten(printable(f"trajectory {run.made_by.get('trajectory', '')}".strip()), _NAME_WIDTH)
    yield from map(_Line, wrapped(f"{version}: ", run.agent or "an agent without a name"))
    yield from map(_Line, wrapped("  ", f"started {run.started}, {run.spent.seconds:.1f} s"))
    for eval_set in run.eval_sets:
        facts = f"{eval_set.path} ({eval_set.shape}): {count(eval_set.threads, 'thread')}"
        yield from map(_Line, wrapped("  ", facts))
        own = [entry for entry in run.threads if entry.eval_set == eval_set.path]
        held_to = recorded_in_force(own, gate_over(run, eval_set.path))
        yield from map(_Line, wrapped("    ", held_to) if held_to else ())
    for note in run.notes[:_NOTES]:
        yield from map(_Line, wrapped("  note: ", note))
    if len(run.notes) > _NOTES:
        yield _Line(f"  ... and {len(run.notes) - _NOTES} more notes, in the run file")


def _alarms(run: RunFile) -> Iterator[str]:
    for alarm in alarms(run):
        yield from wrapped("!!! ", alarm)


# ------------------------------------------------------------------------------------------------------------- threads


def _explained(failing: Sequence[ThreadEntry]) -> Iterator[_Line]:
    """Explain the worst threads; where each first diverged comes first."""
    for entry in failing[:_EXPLAINED]:
        yield from _explanation(entry)
    left = len(failing) - _EXPLAINED
    if left > 0:
        yield _Line()
        yield _Line(f"... and {count(left, 'more thread')} that did not pass")


def _explanation(entry: ThreadEntry) -> Iterator[_Line]:
    yield _Line()
    yield _Line(f" thread {shorten(printable(entry.id))} ".center(WIDTH, "-"), {"bold": True})
    head, *lines = explanation(entry) or [entry.headline]
    yield from (_Line(line, {"fg": "red"}) for line in wrapped("", head))
    for line in lines[:_LINES_OF_ONE]:
        colour = _STEP_COLOURS.get(line[:1])
        yield _Line(line, {"fg": colour} if colour else {})
    left = len(lines) - _LINES_OF_ONE
    if left > 0:
        yield _Line(f"... and {count(left, 'more line')}, in the run file")


def _threads(run: RunFile, failing: Sequence[ThreadEntry]) -> Iterator[_Line]:
    """List those that did not pass, worst first, and of a short run the others behind them."""
    short = len(run.threads) <= _LISTED
    others = [entry for entry in run.threads if entry.outcome not in NOT_PASSED] if short else []
    listed = [*failing[:_LISTED], *others]
    width = min(_NAME_WIDTH, max((len(printable(entry.id)) for entry in listed), default=0))
    tolerated = standing(run) is Standing.PASSED
    for entry in listed:
        word = "tolerated" if tolerated and entry.outcome in NOT_PASSED else entry.outcome
        name = shorten(printable(entry.id), max(width, _NAME_WIDTH))
        for line in wrapped(f"{word:{10 if tolerated and failing else 8}}{name:{width}}  ", _facts(entry)):
            yield _Line(line.rstrip(), _COLOURS[entry.outcome])
    left = len(failing) - len(failing[:_LISTED])
    if left:
        yield _Line(f"... and {left} more that did not pass")


def _facts(entry: ThreadEntry) -> str:
    made = turns(entry)
    said = [f"{percent(score(entry))} of {count(len(made), 'turn')}"] if made else []
    if entry.repetitions > 1:
        said.append(f"{runs_passed(entry)} of {entry.repetitions} runs, {entry.pass_runs} must: {entry.label}")
    return ", ".join(said)


def _changes(comparison: Comparison | None) -> list[_Line]:
    if comparison is None:
        return []
    lines = wrapped("", changes_counted(comparison)) + [
        line for text in changes_lines(comparison) for line in wrap(printable(text), WIDTH, subsequent_indent=_UNDER)
    ]
    colours = {str(Change.NEWLY_FAILING): "red", "problem": "red"}
    found = ((line, next((hue for word, hue in colours.items() if line.startswith(word)), None)) for line in lines)
    return _section("since the baseline", [_Line(line, {"fg": hue} if hue else {}) for line, hue in found])


# ------------------------------------------------------------------------------------------------------------- verdict


def _verdict(run: RunFile) -> Iterator[_Line]:
    for gate in run.gates:
        yield from _gate(gate)
    for alarm in _alarms(run):
        yield _Line(alarm, {"fg": "red", "bold": True})
    for warning in run.warnings:
        yield from (_Line(line, {"fg": "yellow"}) for line in wrapped("warning: ", warning))
    told = counts(run)
    said = ", ".join(f"{told[outcome]} {outcome}" for outcome in Outcome if told[outcome]) or "no thread came to an end"
    came = standing(run)
    colour = {"fg": "green" if came is Standing.PASSED else "red", "bold": True}
    yield from (_Line(line, colour) for line in wrapped("", f"{came.upper()}: {said}"))
    yield from map(_Line, wrapped("spent: ", spent(run)))


def _gate(gate: GateEntry) -> Iterator[_Line]:
    colour = {"fg": "green" if gate.passed else "red", "bold": True}
    yield from (_Line(line, colour) for line in wrapped("", gate.summary or gate.name))
    for reason in gate.reasons:
        yield from (_Line(line, {"fg": "red"}) for line in wrapped("  because ", reason))
    for warning in gate.warnings:
        yield from (_Line(line, {"fg": "yellow"}) for line in wrapped("  warning: ", warning))


def spent(run: RunFile) -> str:
    """Say what a run took, and what is not known of it."""
    took = run.spent
    tokens = "tokens not recorded" if took.tokens is None else f"{took.tokens:,} tokens"
    cost = "cost not recorded" if took.cost_usd is None else f"{took.cost_usd:.4g} USD"
    known = took.tokens is not None or took.cost_usd is not None
    least = " (not every turn is counted: at least that)" if known and not took.complete else ""
    return f"{took.seconds:.1f} s, {tokens}, {cost}{least}"


def _rerun(run: RunFile, failing: Sequence[ThreadEntry]) -> Iterator[_Line]:
    command = rerun_command(run, failing)
    if command:
        yield _Line(f"rerun: {command}")
