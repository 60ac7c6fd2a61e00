"""Rules by name: what can be set about each, and the function that judges.

A rule of this package is imported when it is first named, and so is one that another distribution offers as an entry
point of the group ``trajectory.rules``. Nothing here knows what a rule looks at.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import ConfigDict, ValidationError

from trajectory.described import Described
from trajectory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TOOL_TRAJECTORY: Final = "tool_trajectory"
FINAL_STATE: Final = "final_state"
GROUP: Final = "trajectory.rules"
"""The group of entry points by which other distributions offer rules, each under its name."""

_EVALUATIONS: Final = "trajectory.evaluations"
_HOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "tool_trajectory": (TOOL_TRAJECTORY,),
    "responses": ("exact_match", "contains_match", "content_safety", "content_coverage", "length", "regex_match"),
    "response_schema": ("response_schema",),
    "tool_schemas": ("known_tools", "valid_arguments"),
    "tool_use": ("forbidden_tools", "required_tools", "call_counts", "tool_order"),
    "pii": ("pii_leakage",),
    "overlap": ("token_overlap", "rouge_l"),
    "tool_loops": ("no_loops", "failed_calls_recovered"),
    "approval": ("approval",),
    "cost": ("iterations", "latency", "thread_latency", "tokens", "money"),
    FINAL_STATE: (FINAL_STATE,),
    "judged": (
        "semantic_similarity",
        "accuracy",
        "helpfulness",
        "clarity",
        "completeness",
        "relevance",
        "coherence",
        "conciseness",
        "safety",
        "tone",
        "groundedness",
        "reasoning_quality",
        "path_efficiency",
        "error_recovery",
        "instruction_following",
        "bias",
        "toxicity",
        "rubric",
    ),
}
BUILT_IN: Final = {name: f"{_EVALUATIONS}.{module}" for module, names in _HOMES.items() for name in names}
"""The rules of this package, and the module that each stands in."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_Function = TypeVar("_Function", bound="Callable[..., Any]")


class RuleSettings(Described):
    """What can be set about a rule: a closed model, to be derived from."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Attributes:
        name: What it is called in settings.
        judge: The function that judges: of the expected trace, the actual trace and the settings; of the replayed
            thread and the settings where it looks at the whole thread.
        settings: What can be set about it.
        whole_thread: It gives one verdict on the thread, not one on each turn.
        needs_recording: It compares with what was recorded, so a lone query gives it nothing to compare with.
        needs_judge: It asks an LLM judge.
    """

    name: str
    judge: Callable[..., Any]
    settings: type[RuleSettings] = RuleSettings
    whole_thread: bool = False
    needs_recording: bool = False
    needs_judge: bool = False

    @property
    def label(self) -> str:
        """The name as reports write it."""
        return label(self.name)

    @property
    def needs_settings(self) -> bool:
        """Whether something has to be set before it can be used."""
        try:
            self.settings()
        except ValidationError:
            return True
        return False


def label(name: str) -> str:
    """Write the name of a rule as reports do."""
    return name.replace("_", " ")


_RULES: Final[dict[str, Rule]] = {}


def rule(
    name: str,
    settings: type[RuleSettings] = RuleSettings,
    *,
    whole_thread: bool = False,
    needs_recording: bool = False,
    needs_judge: bool = False,
) -> Callable[[_Function], _Function]:
    """Make a function a rule.

    Args:
        name: What the rule is called in settings: lower-case letters, digits and underscores.
        settings: What can be set about it.
        whole_thread: The function is called once, with the replayed thread and the settings. Otherwise it is called for
            each turn, with the expected trace, the actual trace and the settings.
        needs_recording: It compares with what was recorded.
        needs_judge: It asks the LLM judge in force, so that a run without one is refused before it begins.

    Returns:
        A decorator that registers the function, which returns a `trajectory.Verdict`, and leaves it as it is.

    Raises:
        ConfigurationError: The name cannot be one, or another rule has it.
    """
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"rule name: expected lower-case letters, digits and underscores, found {name!r}")

    def register(judge: _Function) -> _Function:
        _refuse_taken(name, judge)
        _RULES[name] = Rule(name, judge, settings, whole_thread, needs_recording, needs_judge)
        return judge

    return register


def _refuse_taken(name: str, judge: Callable[..., Any]) -> None:
    owner = _RULES[name].judge.__module__ if name in _RULES else BUILT_IN.get(name, judge.__module__)
    if owner != judge.__module__:
        raise ConfigurationError(f"rule name: {name!r}, given in {judge.__module__}, is that of a rule in {owner}")


@lru_cache(maxsize=1)
def _offered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def rule_names() -> tuple[str, ...]:
    """Name every rule that there is: those of this package first."""
    return tuple(dict.fromkeys((*BUILT_IN, *_RULES, *_offered())))


def find_rule(name: str) -> Rule | None:
    """Find a rule by its name.

    Args:
        name: The name.

    Returns:
        The rule; ``None`` where there is none of this name.

    Raises:
        ConfigurationError: Another distribution offers it, and it cannot be imported or is not what is offered.
    """
    if name not in _RULES and name in BUILT_IN:
        importlib.import_module(BUILT_IN[name])
    elif name not in _RULES and name in _offered():
        _import_offered(_offered()[name])
    return _RULES.get(name)


def _import_offered(point: EntryPoint) -> None:
    try:
        point.load()
    except Exception as problem:
        raise ConfigurationError(
            f"the rule {point.name!r} ({point.value}) cannot be imported: {problem!r}"
        ) from problem
    if point.name not in _RULES:
        raise ConfigurationError(f"the rule {point.name!r} is offered by {point.value}, which registers no such rule")


def summary(found: Rule) -> str:
    """Say in one line what a rule asks for."""
    return (found.judge.__doc__ or found.label).strip().partition("\n")[0]
