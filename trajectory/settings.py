"""Everything that can be configured: one closed model, and the order in which its sources win.

The pytest options, the ini options and the ``evaluation`` keys of an eval set are views of `Settings`. A source is a
`Settings` in which only the stated keys are set; `merge` lays the sources over each other, strongest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, Strict, StrictBool, ValidationError
from pydantic_core import PydanticCustomError

from trajectory.ambient import SOURCES
from trajectory.chosen_rules import ChosenRule, read_rules
from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.invalid import SettingProblem, key_hint, moved, setting_problem
from trajectory.json_values import describe, escape_token
from trajectory.rules import TOOL_TRAJECTORY, RuleSettings


class MatchMode(StrEnum):
    """How the actual calls of a turn must relate to the expected ones; described from the actual side."""

    @classmethod
    def parse(cls, text: object) -> MatchMode:
        """Read a mode as people type it: in any ASCII case, with ``-`` or ``_``.

        Raises:
            ConfigurationError: There is no such mode.
        """
        name = text.strip().upper().replace("-", "_") if isinstance(text, str) and text.isascii() else ""
        if name in cls.__members__:
            return cls[name]
        hint = did_you_mean(name, cls.__members__)
        found = f"found {describe(text)}{hint and f' ({hint})'}"
        raise ConfigurationError(f"match mode: expected one of {', '.join(cls)}, {found}")

    STRICT = "STRICT"
    """The same calls in the same order."""
    IN_ORDER = "IN_ORDER"
    """The expected calls in their order; other calls may stand between."""
    UNORDERED = "UNORDERED"
    """The same calls in any order."""
    SUBSET = "SUBSET"
    """No call beyond the expected ones."""
    SUPERSET = "SUPERSET"
    """At least the expected calls."""


Repeats: TypeAlias = Literal["count", "ignore"]
POLICY_NAMES: Final = ("exact", "ignore", "subset", "superset")


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _policy_name(value: object) -> object:
    if value in POLICY_NAMES:
        return value
    hint = did_you_mean(value, POLICY_NAMES) if isinstance(value, str) else ""
    raise PydanticCustomError(
        "policy_name",
        "expected one of {names}{note}",
        {"names": ", ".join(POLICY_NAMES), "hint": hint, "note": f" ({hint})" if hint else ""},
    )


PolicyName: TypeAlias = Annotated[Literal["exact", "ignore", "subset", "superset"], BeforeValidator(_policy_name)]

_POINTER: Final = re.compile(r"(/([^~/]|~[01])*)+", re.DOTALL)


def _pointer(value: object) -> object:
    """Accept a JSON Pointer (RFC 6901) to something inside the arguments; ``*`` stands for any key or index."""
    if isinstance(value, str) and _POINTER.fullmatch(value):
        return value
    hint = "to ignore all arguments, write the policy ignore" if value == "" else ""
    if isinstance(value, str) and _POINTER.fullmatch("/" + value):
        hint = hint or f"did you mean {'/' + value!r}?"
    raise PydanticCustomError(
        "json_pointer",
        "expected a JSON Pointer such as /request_id or /items/*/id{note}",
        {"hint": hint, "note": f" ({hint})" if hint else ""},
    )


IgnorePath: TypeAlias = Annotated[str, BeforeValidator(_pointer)]


class Tolerance(_Closed):
    """How far two numbers may lie apart: the larger one of both allowances counts, as in `math.isclose`.

    Attributes:
        relative: A share of the larger of the two numbers, from 0 to below 1.
        absolute: A distance.
    """

    relative: Annotated[float, Strict(), Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0
    absolute: Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)] = 0.0

    def __bool__(self) -> bool:
        return self.relative > 0 or self.absolute > 0


def _tolerance(value: object) -> object:
    """Take a bare number as the relative tolerance."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    if 0 <= value < 1:
        return {"relative": value}
    raise PydanticCustomError("tolerance", "expected a relative tolerance from 0 to below 1")


class ToolPolicy(_Closed):
    """When an expected call accepts the arguments of an actual one; for one tool, what it states itself.

    The policies speak of the expected call (the recorded one) and the actual one (made today), whatever the match mode.

    Attributes:
        policy: ``exact``: the arguments are equal. ``ignore``: any arguments. ``subset``: every actual argument is
            expected. ``superset``: every expected argument is present. The last two reach into nested objects; arrays
            are compared item by item and have the same length.
        case_sensitive: ``False`` folds ``A``-``Z`` in tool names and in string values; nothing else folds.
        ignore_paths: JSON Pointers to what is taken out of both sides before comparing; ``*`` is any key or index.
        tolerance: How far two numbers may lie apart; a bare number is the relative tolerance.
        matchers: Whether ``{"$jsonSchema": {...}}`` in expected arguments is a schema for the actual value.
    """

    policy: PolicyName = "exact"
    case_sensitive: StrictBool = True
    ignore_paths: tuple[IgnorePath, ...] = ()
    tolerance: Annotated[Tolerance, BeforeValidator(_tolerance)] = Tolerance()
    matchers: StrictBool = False


class ArgumentPolicy(ToolPolicy):
    """When an expected call accepts the arguments of an actual one.

    Attributes:
        tools: What is different for single tools, by their names: the keys stated there win over the general ones.
            Whether case matters in the names of tools is a general matter.
    """

    tools: Mapping[str, ToolPolicy] = Field(default_factory=dict)


_DIGITS_OF_A_RATE: Final = 100


def _rate(value: object) -> Decimal:
    """Read a rate as a decimal fraction, so that 0.7 is seven tenths and not the double next to it."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        sane = not isinstance(value, Decimal) or (value.is_finite() and value.adjusted() > -_DIGITS_OF_A_RATE)
        if sane and 0 <= value <= 1:
            return Decimal(str(value))
    raise PydanticCustomError("rate", "expected a number from 0 to 1, such as 0.9")


Rate: TypeAlias = Annotated[Decimal, BeforeValidator(_rate)]
Seconds: TypeAlias = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]


def _number_of_runs(value: object) -> object:
    """Refuse ``null``: a source that does not state a number leaves the key out. Take 5.0 for 5, as JSON does."""
    if value is None:
        raise PydanticCustomError("number_of_runs", "expected a whole number from 1")
    return int(value) if isinstance(value, float) and value.is_integer() else value


Allowance: TypeAlias = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
Runs: TypeAlias = Annotated[int, Strict(), Field(ge=1), BeforeValidator(_number_of_runs)]


class Settings(_Closed):
    """All that is in force for a thread and for the run.

    Attributes:
        match_mode: How today's calls must relate to the recorded ones.
        repeats: ``count``: repeated calls count; ``ignore``: both sides are compared as sets.
        arguments: When two calls agree.
        ignore_tools: Names of tools, or patterns with ``*``, whose calls are taken out of both sides before matching.
        rules: The rules that the agent is held to, each once.
        min_pass_rate: The share of threads that must pass, from 0 to 1, kept exactly.
        min_macro_f1: What the F1 of tool calls must be on average over the threads; ``None`` for any.
        max_errors: How many threads may end without a verdict.
        must_pass: The thread must pass whatever the rate.
        repetitions: How often a thread is run, each time in a fresh session.
        pass_runs: How many of these runs must pass; ``None`` for all.
        turn_timeout: Seconds that the agent has for one turn; 0 waits for ever.
        teacher_forced: Before each turn, the session's history is set to the recording.
        concurrency: How many threads are run at once within one process.
        budget_usd: US dollars after which no further turn starts; ``None`` for no limit.
        budget_tokens: Tokens of models after which no further turn starts.
        budget_seconds: Seconds from the beginning of the run after which no further turn starts.
    """

    match_mode: MatchMode = MatchMode.STRICT
    repeats: Repeats = "count"
    arguments: ArgumentPolicy = Field(default_factory=ArgumentPolicy)  # a default is copied, at four times the time
    ignore_tools: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    rules: tuple[InstanceOf[ChosenRule], ...] = (ChosenRule(TOOL_TRAJECTORY, RuleSettings()),)
    min_pass_rate: Rate = Decimal(1)
    min_macro_f1: Annotated[Rate | None, BeforeValidator(_rate)] = None
    max_errors: Annotated[int, Strict(), Field(ge=0)] = 0
    must_pass: StrictBool = False
    repetitions: Runs = 1
    pass_runs: Annotated[Runs | None, BeforeValidator(_number_of_runs)] = None
    turn_timeout: Seconds = 120.0
    teacher_forced: StrictBool = False
    concurrency: Runs = 1
    budget_usd: Allowance | None = None
    budget_tokens: Runs | None = None
    budget_seconds: Allowance | None = None


def ambient() -> tuple[Settings, Settings]:
    """Return what the command line and the ini file of the current test run state; nothing outside of one."""
    provider = SOURCES.get()
    return provider() if provider else (Settings(), Settings())


_KEYS: Final = (
    "match_mode",
    "repeats",
    "arguments",
    "ignore_tools",
    "rules",
    "repetitions",
    "pass_runs",
    "turn_timeout",
    "teacher_forced",
)
THREAD_KEYS: Final = (*_KEYS, "must_pass")
"""What ``evaluation`` may state on a thread."""

EVAL_SET_KEYS: Final = (*_KEYS, "min_pass_rate", "min_macro_f1")
"""What ``evaluation`` may state at the root of an eval set."""


class SettingsError(ConfigurationError):
    """A source of settings states something wrong.

    Attributes:
        source: What the source is called.
        problems: For each problem the JSON Pointer inside the source, what was expected, what stood there, and a hint.
    """

    def __init__(self, source: str, problems: Iterable[SettingProblem]) -> None:
        self.source = source
        self.problems = tuple(problems)
        super().__init__(source, self.problems)

    def __str__(self) -> str:
        return "\n".join(
            f"{self.source}{pointer}: expected {expected}, found {found}{f' ({hint})' if hint else ''}"
            for pointer, expected, found, hint in self.problems
        )


def read_settings(stated: Mapping[str, Any], *, keys: Iterable[str], source: str) -> Settings:
    """Read one source of settings.

    Args:
        stated: The keys that the source states, with their values.
        keys: The keys that this source may state.
        source: What the source is called in messages.

    Returns:
        Settings in which only the stated keys are set.

    Raises:
        SettingsError: A key is unknown or has a value that it cannot have; all such problems together.
    """
    keys = tuple(keys)
    problems = [
        ("/" + escape_token(key), "a settings key", f"the unknown key {key!r}", key_hint(key, keys))
        for key in stated
        if key not in keys
    ]
    known = {key: value for key, value in stated.items() if key in keys}
    if "rules" in known:
        known["rules"], wrong = read_rules(known["rules"])
        problems += moved("/rules", wrong)
    try:
        settings = Settings.model_validate(known)
    except ValidationError as invalid:
        problems += [setting_problem(error, _keys_at) for error in invalid.errors()]
    if problems:
        raise SettingsError(source, problems)
    return settings


def _keys_at(location: tuple[str | int, ...]) -> Iterable[str]:
    """List the keys that could have stood at the end of a location."""
    match location[:-1]:
        case ("arguments",):
            return ArgumentPolicy.model_fields
        case ("arguments", "tools", _):
            return ToolPolicy.model_fields
        case (*_, "tolerance"):
            return Tolerance.model_fields
        case _:
            return Settings.model_fields


def merge(*sources: Settings) -> Settings:
    """Lay sources of settings over each other, key by key.

    Args:
        *sources: The sources, strongest first.

    Returns:
        What is in force; what no source states has its default.
    """
    stated: dict[str, Any] = {}
    for source in reversed(sources):
        for key in source.model_fields_set:
            value = getattr(source, key)
            before = stated.get(key)
            stated[key] = _merge_policies(before, value) if isinstance(before, ArgumentPolicy) else value
    return Settings.model_construct(**{**_DEFAULTS, **stated})


def refuse_contradictions(settings: Settings, where: str) -> None:
    """Refuse settings that cannot all hold, wherever each of them was stated.

    Args:
        settings: What is in force.
        where: What it is in force for.

    Raises:
        ConfigurationError: More runs must pass than are made.
    """
    if settings.pass_runs is not None and settings.pass_runs > settings.repetitions:
        raise ConfigurationError(
            f"{where}: pass_runs: expected at most as many as repetitions ({settings.repetitions}), "
            f"found {settings.pass_runs}"
        )


_Policy = TypeVar("_Policy", bound=ToolPolicy)


def _merge_policies(weaker: _Policy, stronger: _Policy) -> _Policy:
    update = {key: getattr(stronger, key) for key in stronger.model_fields_set}
    if isinstance(weaker, ArgumentPolicy) and "tools" in update:
        tools = dict(weaker.tools)
        for name, policy in update["tools"].items():
            tools[name] = _merge_policies(tools[name], policy) if name in tools else policy
        update["tools"] = tools
    return weaker.model_copy(update=update)


_DEFAULTS: Final = dict(Settings())
