"""The settings in force, in words."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from trajectory.evaluations import rules_label
from trajectory.rules import TOOL_TRAJECTORY
from trajectory.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajectory.runs import GateEntry, ThreadEntry
    from trajectory.settings import Tolerance


_RATES: Final = frozenset({"min_pass_rate", "min_macro_f1"})
_OF_GATES: Final = {*_RATES, "max_errors"}
_BUDGETS: Final = frozenset({"budget_usd", "budget_tokens", "budget_seconds"})
_NOT_SAID: Final = _BUDGETS | {"must_pass", "turn_timeout", "concurrency"}


def in_force(settings: Settings, rules: Sequence[str]) -> str:
    """Say what the threads of an eval set are held to.

    Args:
        settings: The settings in force.
        rules: The names of the rules in force.

    Returns:
        Such as ``STRICT, exact arguments, pass rate 0.8``.
    """
    facts = [f"rules {rules_label(rules)}"] if tuple(rules) != (TOOL_TRAJECTORY,) else []
    facts += _how_calls_match(settings) if TOOL_TRAJECTORY in rules else []
    facts += _how_often(settings)
    facts += [f"pass rate {settings.min_pass_rate}"]
    facts += [f"macro-F1 {settings.min_macro_f1}"] if settings.min_macro_f1 is not None else []
    facts += [f"{settings.max_errors} errors allowed"] if settings.max_errors else []
    return ", ".join(facts)


def recorded_in_force(entries: Iterable[ThreadEntry], gate: GateEntry | None = None) -> str:
    """Say what the threads of a run were held to.

    Args:
        entries: The threads of one eval set.
        gate: The gate over them, which knows what they must reach together; the records of threads do not.

    Returns:
        What most of them were held to, and how many others there are; empty where nothing readable was recorded.
    """
    stated = Counter(json.dumps(_general(entry.settings), sort_keys=True) for entry in entries if entry.settings)
    if not stated:
        return ""
    (text, number), *_ = stated.most_common(1)
    of_gate = gate.model_dump(include=_OF_GATES) if gate is not None else {}
    said, others = _read({**json.loads(text), **of_gate}), stated.total() - number
    return said + (f"; {others} thread{'s' * (others != 1)} otherwise" if said and others else "")


def _general(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in _NOT_SAID}


def _read(document: dict[str, Any]) -> str:
    given = document.pop("rules", None)
    rules = [name for rule in given if isinstance(rule, dict) for name in rule] if isinstance(given, list) else None
    stated = {key: value for key, value in document.items() if value is not None}
    try:
        rates = {key: Decimal(str(stated[key])) for key in _RATES & stated.keys()}
        settings = Settings.model_validate({**stated, **rates})
    except (ValidationError, ArithmeticError):  # of another version
        return ""
    return "" if rules is None else in_force(settings, rules)


def _how_often(settings: Settings) -> list[str]:
    runs, must = settings.repetitions, settings.pass_runs or settings.repetitions
    facts = [] if runs == 1 else [f"{runs} runs each, {must} must pass"]
    return facts + ["teacher-forced"] * settings.teacher_forced


def _how_calls_match(settings: Settings) -> list[str]:
    policy = settings.arguments
    facts = {
        f"{settings.match_mode}, {policy.policy} arguments": True,
        "case ignored": not policy.case_sensitive,
        f"{len(policy.ignore_paths)} paths ignored": policy.ignore_paths,
        f"tolerance {_tolerance(policy.tolerance)}": policy.tolerance,
        f"other policies for {', '.join(policy.tools)}": policy.tools,
        "matchers on": policy.matchers,
        f"without {', '.join(settings.ignore_tools)}": settings.ignore_tools,
        "repeats ignored": settings.repeats == "ignore",
    }
    return [fact for fact, holds in facts.items() if holds]


def _tolerance(tolerance: Tolerance) -> str:
    stated = {"relative": tolerance.relative, "absolute": tolerance.absolute}
    return " and ".join(f"{value:g} {name}" for name, value in stated.items() if value)
