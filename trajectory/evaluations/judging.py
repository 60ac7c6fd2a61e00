"""Hold a thread that was replayed once against every rule in force."""

from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING, Any, Final

from trajectory.chosen_rules import ChosenRule
from trajectory.errors import EvaluationError
from trajectory.evaluations.tool_trajectory import trajectory_notes
from trajectory.evaluations.verdicts import Outcome, RuleVerdict, ThreadResult, TurnResult, Verdict, combine
from trajectory.json_values import describe, shorten
from trajectory.rules import FINAL_STATE, TOOL_TRAJECTORY, find_rule, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.conversation import ConversationThread
    from trajectory.replay import ThreadReplay, TurnReplay
    from trajectory.rules import Rule, RuleSettings
    from trajectory.settings import Settings

_TEXT_SHOWN: Final = 2000


def judge(replayed: ThreadReplay, settings: Settings) -> ThreadResult:
    """Judge a replayed thread by the rules in force.

    Args:
        replayed: The thread and what the agent did.
        settings: What is in force for this thread.

    Returns:
        The verdict of every rule on every turn that was played, and why there is none on the others. The rules that
        look at the whole thread do so only when all of it was played.
    """
    rules = [
        (found, chosen.settings)
        for chosen in (*settings.rules, *_stated_by(replayed.thread, settings))
        if (found := find_rule(chosen.name)) is not None
    ]
    of_turns = [(rule, own) for rule, own in rules if not rule.whole_thread]
    of_thread = [(rule, own) for rule, own in rules if rule.whole_thread]
    all_played = bool(replayed.turns) and all(turn.actual is not None for turn in replayed.turns)
    return ThreadResult(
        thread_id=replayed.thread.id,
        turns=tuple(_judge_turn(turn, of_turns, settings) for turn in replayed.turns),
        surplus=replayed.surplus,
        notes=replayed.notes,
        verdicts=tuple(_apply(rule, replayed, own) for rule, own in of_thread) if all_played else (),
        rules=tuple(rule.name for rule, _ in rules),
        session_id=replayed.session_id,
    )


def _stated_by(thread: ConversationThread, settings: Settings) -> Iterator[ChosenRule]:
    """Give the rule that comes into force because a thread states what only this rule looks at."""
    chosen = {rule.name for rule in settings.rules}
    found = find_rule(FINAL_STATE) if thread.expected_final_state is not None else None
    if found is not None and FINAL_STATE not in chosen:
        yield ChosenRule(FINAL_STATE, found.settings())


def _judge_turn(turn: TurnReplay, rules: Sequence[tuple[Rule, RuleSettings]], settings: Settings) -> TurnResult:
    if turn.failure is not None:
        failure = turn.failure
        return TurnResult(
            turn.number,
            turn.expected,
            Outcome.ERROR,
            reason=failure.text,
            details=failure.details,
            exception=failure.exception,
            seconds=turn.seconds,
        )
    if turn.actual is None:
        return TurnResult(turn.number, turn.expected, None, reason="not run")
    verdicts = tuple(
        _apply(rule, turn.expected, turn.actual, settings if rule.name == TOOL_TRAJECTORY else own)
        for rule, own in rules
    )
    outcome = combine(given.verdict.outcome for given in verdicts)
    match = next((given.verdict.match for given in verdicts if given.verdict.match is not None), None)
    return TurnResult(
        turn.number,
        turn.expected,
        outcome,
        match,
        reason=_reason(verdicts, outcome),
        notes=() if match is None else trajectory_notes(turn.expected, turn.actual),
        exception=next((given.exception for given in verdicts if given.exception is not None), None),
        verdicts=verdicts,
        calls=len(turn.actual.trajectory if match is None else match.actual),
        actual=turn.actual,
        seconds=turn.seconds,
    )


def _reason(verdicts: Sequence[RuleVerdict], outcome: Outcome) -> str:
    """Say why there is no verdict on a turn, or nothing to evaluate."""
    if outcome in {Outcome.PASSED, Outcome.FAILED}:
        return ""
    first = next((given for given in verdicts if given.verdict.outcome is outcome), None)
    if first is None:
        return "no rule in force looks at single turns"
    is_alone = len(verdicts) == 1 and first.rule == TOOL_TRAJECTORY
    return first.verdict.reason if is_alone else str(first)


def _apply(rule: Rule, *given: Any) -> RuleVerdict:
    """Ask a rule for its verdict; whatever goes wrong is no verdict (outcomes, section 7)."""
    try:
        verdict = rule.judge(*given)
    except KeyboardInterrupt:
        raise
    except EvaluationError as problem:
        return RuleVerdict(rule.name, Verdict(Outcome.ERROR, str(problem) or "no reason given"), exception=problem)
    except BaseException as problem:  # noqa: BLE001 - a rule may be anybody's, and raise anything
        text = shorten("".join(traceback.format_exception_only(problem)).strip(), _TEXT_SHOWN)
        return RuleVerdict(rule.name, Verdict(Outcome.ERROR, f"the rule raised {text}"), exception=problem)
    if not isinstance(verdict, Verdict):
        return RuleVerdict(
            rule.name, Verdict(Outcome.ERROR, f"the rule returned {_what(verdict)}, which is no verdict")
        )
    return RuleVerdict(rule.name, verdict)


def _what(value: object) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine"
    return "None" if value is None else describe(value)


def rules_label(names: Sequence[str]) -> str:
    """Name the rules in force, as reports write them."""
    return ", ".join(map(label, names))
