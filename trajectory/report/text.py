"""A thread and a gate as plain text, readable at 80 columns (matching, section 4)."""

from __future__ import annotations

import math
import textwrap
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from trajectory.evaluations.verdicts import Outcome
from trajectory.json_values import printable, shorten
from trajectory.rules import TOOL_TRAJECTORY, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.conversation import Trace
    from trajectory.evaluations.verdicts import RuleVerdict, ThreadResult, TurnResult
    from trajectory.gate import GateVerdict

WIDTH: Final = 80
_QUERY_SHOWN: Final = 300
_REASON_SHOWN: Final = 200
_TURNS_NAMED: Final = 5
_SURPLUS_SHOWN: Final = 5
_RULE_REASON_SHOWN: Final = 600
_EVIDENCE_SHOWN: Final = 20


def headline(result: ThreadResult) -> str:
    """Say in one line what came of a thread."""
    total = len(result.turns)
    match result.outcome:
        case Outcome.ERROR:
            return f"no verdict: {_why_no_verdict(result)}"
        case Outcome.FAILED:
            what = [_differing([turn.number for turn in result.failing_turns], total)] if _alone(result) else []
            return "; ".join(filter(None, [*(what or _breached(result)), _too_many(len(result.surplus))]))
        case Outcome.SKIPPED:
            return f"nothing to evaluate: {_why_skipped(result)}"
        case _:
            return f"{count(total, 'turn')} as expected"


def _alone(result: ThreadResult) -> bool:
    """Tell whether nothing but the tool trajectory was judged: then it need not be named."""
    return result.rules == (TOOL_TRAJECTORY,)


def _why_no_verdict(result: ThreadResult) -> str:
    turn = next((turn for turn in result.turns if turn.outcome is Outcome.ERROR), None)
    if turn is not None:
        return f"turn {turn.number} of {len(result.turns)}: {shorten(printable(turn.reason), _REASON_SHOWN)}"
    given = next(given for given in result.verdicts if given.verdict.outcome is Outcome.ERROR)
    return shorten(printable(str(given)), _REASON_SHOWN)


def _why_skipped(result: ThreadResult) -> str:
    if not result.turns:
        return "the thread has no traces"
    if _alone(result):
        return "no turn states an expectation"
    reasons = dict.fromkeys(str(given) for given in result.all_verdicts)
    return shorten(printable("; ".join(reasons)), _REASON_SHOWN)


def _breached(result: ThreadResult) -> list[str]:
    """Name each breached rule and its turns."""
    total, lines = len(result.turns), []
    for name in result.rules:
        turns = [turn.number for turn in result.turns if any(_breaks(given, name) for given in turn.verdicts)]
        if turns:
            lines.append(f"{label(name)} breached in {_named_turns(turns)} of {total}")
        elif any(_breaks(given, name) for given in result.verdicts):
            lines.append(f"{label(name)} breached")
    return lines


def _breaks(given: RuleVerdict, name: str) -> bool:
    return given.rule == name and given.verdict.outcome is Outcome.FAILED


def _differing(numbers: Sequence[int], total: int) -> str:
    return f"{_named_turns(numbers)} of {total} differ{'s' * (len(numbers) == 1)}" if numbers else ""


def _named_turns(numbers: Sequence[int]) -> str:
    left = len(numbers) - _TURNS_NAMED
    named = ", ".join(map(str, numbers[:_TURNS_NAMED])) + (f" and {left} more" if left > 0 else "")
    return f"turn{'s' * (len(numbers) != 1)} {named}"


def _too_many(surplus: int) -> str:
    return f"{count(surplus, 'recorded turn')} too many" if surplus else ""


def count(number: int, what: str) -> str:
    """Say how many there are of something."""
    return f"{number} {what}{'s' * (number != 1)}"


def explain_thread(result: ThreadResult) -> str:
    """Explain a thread that did not pass: every turn that kept it from passing.

    Args:
        result: What came of the thread.

    Returns:
        Lines of at most 80 columns, except where a text of the user's own is longer; the first one is the headline.
    """
    lines = [headline(result), f"thread {shorten(printable(result.thread_id))}"]
    for turn in result.failing_turns:
        if turn.outcome is not None:
            lines += ["", *_turn(turn, len(result.turns), is_alone=_alone(result))]
    for given in result.verdicts:
        if not given.held:
            lines += ["", "the whole thread", *_rule(given)]
    lines += _not_run(result)
    for number, trace in enumerate(result.surplus[:_SURPLUS_SHOWN], start=len(result.turns) + 1):
        lines += ["", *_surplus_turn(number, trace)]
    if len(result.surplus) > _SURPLUS_SHOWN:
        lines += ["", f"... and {count(len(result.surplus) - _SURPLUS_SHOWN, 'more recorded turn')}"]
    lines += [f"note: {printable(note)}" for note in result.notes]
    return "\n".join(lines)


def _not_run(result: ThreadResult) -> list[str]:
    """An error ends a thread, so the turns that were not run are its last ones."""
    numbers = [turn.number for turn in result.turns if turn.outcome is None]
    if not numbers:
        return []
    which = f"turn {numbers[0]}" if len(numbers) == 1 else f"turns {numbers[0]} to {numbers[-1]}"
    return ["", f"{which} of {len(result.turns)}: not run"]


def _turn(turn: TurnResult, total: int, *, is_alone: bool) -> Iterator[str]:
    yield f"turn {turn.number} of {total} (trace {printable(turn.expected.id)})"
    yield from _quoted("user: ", turn.expected.query)
    if turn.reason and (is_alone or not turn.verdicts):
        yield from wrapped("no verdict: ", turn.reason)
        yield from (f"  {printable(line)}" for line in turn.details)
    if turn.match is not None and is_alone:
        yield from turn.match.explain(WIDTH).splitlines()
    if not is_alone:
        for given in turn.verdicts:
            yield from () if given.held else _rule(given)
    for note in turn.notes:
        yield from wrapped("note: ", note)


def _rule(given: RuleVerdict) -> Iterator[str]:
    """Say which rule was breached, and why."""
    verdict = given.verdict
    state = "no verdict: " if verdict.outcome is Outcome.ERROR else ""
    number = "" if verdict.score is None else f"{verdict.score:.3g}"
    score = f" (score {number})" if number and number not in verdict.reason else ""
    yield from wrapped(f"{label(given.rule)}: ", f"{state}{shorten(verdict.reason, _RULE_REASON_SHOWN)}{score}")
    if verdict.match is not None:
        yield from verdict.match.explain(WIDTH).splitlines()
    for line in verdict.evidence[:_EVIDENCE_SHOWN]:
        yield from wrapped("  ", shorten(line, _RULE_REASON_SHOWN))
    left = len(verdict.evidence) - _EVIDENCE_SHOWN
    if left > 0:
        yield f"  ... and {count(left, 'more line')}"


def _surplus_turn(number: int, trace: Trace) -> Iterator[str]:
    yield f"turn {number} (trace {printable(trace.id)}) is in the recording only"
    yield from _quoted("user: ", trace.query)
    yield from (f"+ {printable(call.name)}" for call in trace.trajectory)


def _quoted(label: str, text: str) -> list[str]:
    shown = text if len(text) <= _QUERY_SHOWN else f"{text[:_QUERY_SHOWN]}... ({len(text)} characters)"
    return wrapped(label, shown)


def wrapped(label: str, text: str) -> list[str]:
    """Break a text at 80 columns behind a label, further lines under the first; what does not print is escaped."""
    indent = " " * len(label)
    return textwrap.wrap(printable(text), WIDTH, initial_indent=label, subsequent_indent=indent) or [label]


def summary_line(label: str, verdict: GateVerdict) -> str:
    """Say in one line whether a run passed.

    Args:
        label: What was evaluated.
        verdict: The gate's verdict.

    Returns:
        Such as ``tool trajectory: 7/10 threads passed (70 %), required 80 %: FAILED``.
    """
    passed, evaluated = verdict.counts[Outcome.PASSED], verdict.evaluated
    share = f" ({percent(Fraction(passed, evaluated))})" if evaluated else ""
    extra = "".join(
        f", {verdict.counts[outcome]} {word}"
        for outcome, word in ((Outcome.ERROR, "without a verdict"), (Outcome.SKIPPED, "skipped"))
        if verdict.counts[outcome]
    )
    required = f"{(verdict.gate.min_pass_rate * 100).normalize():f} %{_f1(verdict)}"
    if verdict.gate.regressions_only:
        required = "that none fails newly"
    word = "PASSED" if verdict.passed else "FAILED"
    return f"{label}: {passed}/{evaluated} threads passed{share}{extra}, required {required}: {word}"


def _f1(verdict: GateVerdict) -> str:
    """Say what the tool calls come to on average, where that is asked for; rounded down, so that it never flatters."""
    floor, found = verdict.gate.min_macro_f1, verdict.macro_f1
    if floor is None:
        return ""
    shown = "not known" if found is None else f"{math.floor(found * 10_000) / 10_000:.4f}"
    return f"; macro-F1 {shown}, required {floor.normalize():f}"


def repetitions_line(verdict: GateVerdict) -> str:
    """Say what repeated runs tell about a set beyond its pass rate; nothing where threads were run once.

    Args:
        verdict: The gate's verdict.

    Returns:
        Such as ``over 3 runs: pass@1 83.3 %, pass@3 100 %, pass^3 50 %; pass rate 95 % within 9.4 % to 99.1 %``.
    """
    runs = verdict.repetitions
    if runs == 1 or verdict.interval is None:
        return ""
    estimates = [
        ("pass@1", verdict.pass_at(1)),
        (f"pass@{runs}", verdict.pass_at(runs)),
        (f"pass^{runs}", verdict.pass_all(runs)),
    ]
    said = ", ".join(f"{name} {'not known' if share is None else percent(share)}" for name, share in estimates)
    low, high = (percent(Fraction(end)) for end in verdict.interval)
    return f"over {runs} runs: {said}; pass rate within {low} to {high} (95 %)"


def percent(share: Fraction) -> str:
    """Write a share as a percentage with at most one decimal, rounded down so that it never flatters."""
    whole, tenths = divmod(math.floor(share * 1000), 10)
    return f"{whole}.{tenths} %" if tenths else f"{whole} %"
