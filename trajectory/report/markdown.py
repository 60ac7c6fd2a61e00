"""A run in Markdown, for a comment on a pull request: the verdict first, and no more than somebody reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.evaluations import Outcome
from trajectory.report.changes import changes_counted
from trajectory.report.facts import (
    alarms,
    counts,
    first_divergence,
    reasons,
    runs_passed,
    score,
    standing,
    turns,
    worst_first,
)
from trajectory.report.markdown_text import block, cell, code, html_code
from trajectory.report.terminal import spent
from trajectory.report.text import count, percent
from trajectory.running import Label
from trajectory.runs.comparison import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajectory.runs import RunFile, ThreadEntry
    from trajectory.runs.comparison import Comparison, ThreadChange

LONGEST: Final = 60_000
"""GitHub takes comments of up to 65,536 characters."""

_OPEN: Final = 3
_NAMED: Final = 50
_ROWS: Final = 20
_LINES: Final = 40
_LINE_WIDTH: Final = 300
_REASONS: Final = 20

_SECTIONS: Final = (
    ("Newly failing", Change.NEWLY_FAILING),
    ("Newly passing", Change.NEWLY_PASSING),
    ("Flaky", Change.FLAKY),
    ("Not comparable", Change.NOT_COMPARABLE),
    ("No verdict to compare", Change.NO_VERDICT),
    ("New", Change.NEW),
    ("Not run", Change.NOT_RUN),
    ("Removed", Change.REMOVED),
)


def markdown_report(run: RunFile, comparison: Comparison | None = None) -> str:
    """Report a run in Markdown.

    Args:
        run: The run.
        comparison: What changed since a baseline.

    Returns:
        At most `LONGEST` characters, with a line that says what was left out.
    """
    parts = [_head(run), *_changes(comparison)]
    if comparison is None:
        parts += _flaky(run)
    parts += _not_passed(run)
    parts += [_listed("Warnings", run.warnings), _unfolding("Notes", run.notes)]
    parts.append([f"<sub>{spent(run)}</sub>"])
    return _within(["\n".join(part) for part in parts if part])


def _within(parts: Sequence[str]) -> str:
    """Join parts, each whole, as far as there is room for them."""
    shown, room = [], LONGEST - 200
    for part in parts:
        if len(part) + 2 > room:
            continue
        shown.append(part)
        room -= len(part) + 2
    left = len(parts) - len(shown)
    if left:
        shown.append(f"{count(left, 'part')} of this report left out: a comment holds {LONGEST:,} characters at most.")
    return "\n\n".join(shown) + "\n"


def _head(run: RunFile) -> list[str]:
    told = counts(run)
    said = ", ".join(f"{told[outcome]} {outcome}" for outcome in Outcome if told[outcome]) or "no thread came to an end"
    lines = [f"### trajectory: {standing(run)}", "", f"{said}. {code(run.agent)}" if run.agent else f"{said}."]
    lines += ["", *(f"**{code(alarm)}**  " for alarm in alarms(run))] if alarms(run) else []
    lines.append("")
    for gate in run.gates:
        lines.append(f"- {code(gate.summary or gate.name)}")
        lines += [f"  - because {code(reason)}" for reason in gate.reasons[:_REASONS]]
        lines += [f"  - warning: {code(warning)}" for warning in gate.warnings[:_REASONS]]
    return lines


def _listed(title: str, texts: Sequence[str]) -> list[str]:
    left = [f"- and {len(texts) - _REASONS} more"] if len(texts) > _REASONS else []
    return [f"#### {title}", "", *(f"- {code(text)}" for text in texts[:_REASONS]), *left] if texts else []


def _unfolding(title: str, texts: Sequence[str]) -> list[str]:
    lines = _listed(title, texts)[2:]
    return [f"<details><summary>{title}: {len(texts)}</summary>", "", *lines, "", "</details>"] if texts else []


# ------------------------------------------------------------------------------------------------------------- changes


def _changes(comparison: Comparison | None) -> Iterator[list[str]]:
    if comparison is None:
        return
    yield [f"Since the baseline: {changes_counted(comparison)}.", *(f"- {code(one)}" for one in comparison.problems)]
    for title, kind in _SECTIONS:
        changes = comparison.of(kind)
        if changes:
            yield _table(title, [_change_row(one) for one in changes])


def _change_row(change: ThreadChange) -> str:
    said = change.reason or (change.now.headline if change.now else "")
    return f"| {cell(change.id, 100)} | {cell(said, 200)} |"


def _flaky(run: RunFile) -> Iterator[list[str]]:
    entries = [entry for entry in run.threads if entry.label is Label.FLAKY]
    if entries:
        yield _table("Flaky", [f"| {cell(entry.id, 100)} | {_facts(entry)} |" for entry in entries])


def _table(title: str, rows: Sequence[str]) -> list[str]:
    lines = [f"#### {title} ({len(rows)})", "", "| thread | |", "|---|---|", *rows[:_ROWS]]
    left = len(rows) - _ROWS
    return lines + (["", f"... and {left} more"] if left > 0 else [])


# ------------------------------------------------------------------------------------------------------------- threads


def _not_passed(run: RunFile) -> Iterator[list[str]]:
    """Show the threads that have no verdict, then those that failed, worst first; all but a few are folded."""
    failing = worst_first(run)
    for title, outcome in (("Without a verdict", Outcome.ERROR), ("Failed, worst first", Outcome.FAILED)):
        entries = [entry for entry in failing if entry.outcome is outcome]
        if entries:
            yield [f"#### {title} ({len(entries)})"]
            yield from (_open(entry) for entry in entries[:_OPEN])
            yield from (_folded(entry) for entry in entries[_OPEN:_NAMED])
            if len(entries) > _NAMED:
                yield [f"... and {len(entries) - _NAMED} more threads"]


def _open(entry: ThreadEntry) -> list[str]:
    return [f"**{code(entry.id, 100)}** {_facts(entry)}", "", *_shown(entry)]


def _folded(entry: ThreadEntry) -> list[str]:
    return [
        f"<details><summary>{html_code(entry.id)} {_facts(entry)}</summary>",
        "",
        *_shown(entry),
        "",
        "</details>",
    ]


def _facts(entry: ThreadEntry) -> str:
    made = turns(entry)
    said = [f"{percent(score(entry))} of {count(len(made), 'turn')}"] if made else []
    if entry.repetitions > 1:
        said.append(f"{runs_passed(entry)} of {entry.repetitions} runs passed, {entry.pass_runs} must")
    return ", ".join(said)


def _shown(entry: ThreadEntry) -> list[str]:
    """Show where a thread first diverged."""
    lines = first_divergence(entry) or reasons(entry) or [entry.headline]
    shown = [line if len(line) <= _LINE_WIDTH else f"{line[:_LINE_WIDTH]}..." for line in lines[:_LINES]]
    left = len(lines) - _LINES
    return block([*shown, *_more(left)], "diff")


def _more(left: int) -> Iterable[str]:
    return [f"... and {count(left, 'more line')}"] if left > 0 else []
