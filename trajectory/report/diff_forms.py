"""Two runs side by side in other forms: JSON for scripts, Markdown for a comment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from trajectory.report.diff_text import diff_text, same_line, thread_lines
from trajectory.report.markdown_text import block, cell, code
from trajectory.report.text import count
from trajectory.runs.building import call_entry, difference_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajectory.matching import Step
    from trajectory.runs.diffing import RunsDiff, ThreadDiff, TurnDiff
    from trajectory.runs.sides import Turn

_LISTED: Final = 50
_SHOWN: Final = 10
_LINES: Final = 200


def diff_json(found: RunsDiff, *, full: bool = False) -> str:
    """Write two runs side by side as JSON.

    Args:
        found: The two runs.
        full: Whether to write what is the same as well.

    Returns:
        An object with `first`, `second`, `same`, `notes`, `only_first`, `only_second` and `threads`.
    """
    document = {
        "format": "trajectory-diff",
        "version": 1,
        "first": found.first,
        "second": found.second,
        "same": found.same,
        "notes": found.notes,
        "only_first": found.only_first,
        "only_second": found.only_second,
        "threads": [_thread(thread, full=full) for thread in found.threads],
    }
    return json.dumps(document, indent=1) + "\n"


def _thread(thread: ThreadDiff, *, full: bool) -> dict[str, Any]:
    return {
        "first": thread.first.id,
        "second": thread.second.id,
        "same": thread.same,
        "diverges": thread.diverges.number if thread.diverges else None,
        "meets": thread.meets.number if thread.meets else None,
        "turns": [_turn(turn) for turn in thread.turns if full or not turn.same],
    }


def _turn(turn: TurnDiff) -> dict[str, Any]:
    return {
        "number": turn.number,
        "same_query": turn.same_query,
        "same_calls": turn.same_calls,
        "same_response": turn.same_response,
        "same_results": not turn.other_results,
        "first": _side(turn.first),
        "second": _side(turn.second),
        "undecided": turn.match.undecided if turn.match is not None else None,
        "steps": [_step(step) for step in turn.match.steps] if turn.match is not None else [],
    }


def _side(turn: Turn | None) -> dict[str, Any] | None:
    if turn is None:
        return None
    return {
        "query": turn.query,
        "response": turn.response,
        "error": turn.error,
        "calls": [call_entry(call).model_dump(mode="json") for call in turn.calls],
        "seconds": turn.seconds,
        "tokens": turn.tokens,
        "cost_usd": turn.cost_usd,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "kind": {"missing": "only first", "unexpected": "only second"}.get(step.kind.value, step.kind.value),
        "first": step.expected_index,
        "second": step.actual_index,
        "differences": [
            {"pointer": one.pointer, "first": one.expected, "second": one.actual, "absent": _ABSENT.get(one.absent)}
            for one in map(difference_entry, step.differences)
        ],
    }


_ABSENT: Final = {"expected": "first", "actual": "second", None: None}


def diff_markdown(found: RunsDiff, *, full: bool = False) -> str:
    """Write two runs side by side as Markdown.

    Args:
        found: The two runs.
        full: Whether to show turns that are the same, and texts whole.

    Returns:
        The text; nothing recorded acts in it.
    """
    return "\n".join(_markdown(found, full=full)) + "\n"


def _markdown(found: RunsDiff, *, full: bool) -> Iterator[str]:
    yield f"### {same_line(found)}"
    yield ""
    yield f"{code(found.first)} beside {code(found.second)}"
    for which, names in (("first", found.only_first), ("second", found.only_second)):
        if names:
            left = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            yield from ("", f"Only in the {which}: {', '.join(map(code, names[:_LISTED]))}{left}")
    differing = [thread for thread in found.threads if not thread.same]
    if differing:
        yield from ("", "| thread | they part in | the same again from |", "|---|---|---|")
        yield from map(_row, differing[:_LISTED])
    if len(differing) > _LISTED:
        yield from ("", f"... and {count(len(differing) - _LISTED, 'more thread')}")
    for thread in differing[:_SHOWN]:
        lines = thread_lines(thread, full=full)
        cut = [f"... and {count(len(lines) - _LINES, 'more line')}"] if len(lines) > _LINES else []
        yield from ("", *block([*lines[:_LINES], *cut], "diff"))


def _row(thread: ThreadDiff) -> str:
    part = f"turn {thread.diverges.number}" if thread.diverges else "(other answers or results)"
    meet = f"turn {thread.meets.number}" if thread.meets else ""
    return f"| {cell(thread.first.id)} | {part} | {meet} |"


DIFF_FORMS: Final[dict[str, Callable[..., str]]] = {"text": diff_text, "json": diff_json, "markdown": diff_markdown}
"""The forms by their names; each takes the two runs and ``full``."""
