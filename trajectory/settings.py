"""Everything that can be configured: one closed model, and the order in which its sources win.

The pytest options, the ini options and the ``evaluation`` keys of an eval set are views of `Settings`. A source is a
`Settings` in which only the stated keys are set; `merge` lays the sources over each other, strongest first.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, StrictBool, ValidationError
from pydantic_core import PydanticCustomError

from trajectory.ambient import SOURCES
from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.json_values import describe, escape_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class MatchMode(StrEnum):
    """How the actual calls of a turn must relate to the expected ones; described from the actual side."""

    @classmethod
    def parse(cls, text: str) -> MatchMode:
        """Read a mode as people type it: in any ASCII case, with ``-`` or ``_``.

        Raises:
            ConfigurationError: There is no such mode.
        """
        name = text.strip().upper().replace("-", "_")
        if name not in cls.__members__:
            hint = did_you_mean(name, cls.__members__)
            expected = ", ".join(cls)
            raise ConfigurationError(f"expected a match mode ({expected}), found {text!r}{hint and f' ({hint})'}")
        return cls[name]

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
PolicyName: TypeAlias = Literal["exact"]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ArgumentPolicy(_Closed):
    """When an expected call accepts the arguments of an actual one.

    Attributes:
        policy: ``exact``: the arguments are equal.
        case_sensitive: ``False`` folds ``A``-``Z`` in tool names and in string values; nothing else folds.
    """

    policy: PolicyName = "exact"
    case_sensitive: StrictBool = True


def _rate(value: object) -> Decimal:
    """Read a rate as a decimal fraction, so that 0.7 is seven tenths and not the double next to it."""
    problem = PydanticCustomError("rate", "expected a number from 0 to 1, such as 0.9")
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise problem
    try:
        rate = Decimal(str(value).strip())
    except InvalidOperation:
        raise problem from None
    if not (rate.is_finite() and 0 <= rate <= 1):
        raise problem
    return rate


Rate: TypeAlias = Annotated[Decimal, BeforeValidator(_rate)]
Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Settings(_Closed):
    """All that is in force for a thread and for the run.

    Attributes:
        match_mode: How today's calls must relate to the recorded ones.
        repeats: ``count``: repeated calls count; ``ignore``: both sides are compared as sets.
        arguments: When two calls agree.
        min_pass_rate: The share of threads that must pass, from 0 to 1, kept exactly.
        max_errors: How many threads may end without a verdict.
        must_pass: The thread must pass whatever the rate.
        turn_timeout: Seconds that the agent has for one turn; 0 waits for ever.
    """

    match_mode: MatchMode = MatchMode.STRICT
    repeats: Repeats = "count"
    arguments: ArgumentPolicy = ArgumentPolicy()
    min_pass_rate: Rate = Decimal(1)
    max_errors: Annotated[int, Strict(), Field(ge=0)] = 0
    must_pass: StrictBool = False
    turn_timeout: Seconds = 120.0


def ambient() -> tuple[Settings, Settings]:
    """Return what the command line and the ini file of the current test run state; nothing outside of one."""
    provider = SOURCES.get()
    return provider() if provider else (Settings(), Settings())


THREAD_KEYS: Final = ("match_mode", "repeats", "arguments", "must_pass", "turn_timeout")
"""What ``evaluation`` may state on a thread."""

EVAL_SET_KEYS: Final = ("match_mode", "repeats", "arguments", "min_pass_rate", "turn_timeout")
"""What ``evaluation`` may state at the root of an eval set."""


class SettingsError(ConfigurationError):
    """A source of settings states something wrong.

    Attributes:
        problems: For each problem the JSON Pointer inside the source, what was expected, what stood there, and a hint.
    """

    def __init__(self, source: str, problems: Iterable[tuple[str, str, str, str]]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            "\n".join(
                f"{source}{pointer}: expected {expected}, found {found}{f' ({hint})' if hint else ''}"
                for pointer, expected, found, hint in self.problems
            )
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
        ("/" + escape_token(key), "a settings key", f"the unknown key {key!r}", did_you_mean(key, keys) or _list(keys))
        for key in stated
        if key not in keys
    ]
    known = {key: value for key, value in stated.items() if key in keys}
    try:
        settings = Settings.model_validate(known)
    except ValidationError as invalid:
        problems += [_problem(error) for error in invalid.errors()]
    if problems:
        raise SettingsError(source, problems)
    return settings


def _list(words: Iterable[str]) -> str:
    return "there are " + ", ".join(words)


def _problem(error: Any) -> tuple[str, str, str, str]:
    """Put one error of pydantic into our words."""
    location, found = error["loc"], describe(error["input"])
    pointer = "".join("/" + escape_token(step) for step in location)
    model = ArgumentPolicy if location[0] == "arguments" else Settings
    match error["type"]:
        case "extra_forbidden":
            hint = did_you_mean(location[-1], model.model_fields) or _list(model.model_fields)
            return pointer, "a settings key", f"the unknown key {location[-1]!r}", hint
        case "enum" | "literal_error":
            words = [word.strip(" '") for word in error["ctx"]["expected"].replace(" or ", ",").split(",")]
            hint = did_you_mean(error["input"], words) if isinstance(error["input"], str) else ""
            return pointer, "one of " + ", ".join(words), found, hint
        case "rate":
            return pointer, error["msg"].removeprefix("expected "), found, ""
        case _:
            return pointer, error["msg"].removeprefix("Input should be ").lower(), found, ""


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


def _merge_policies(weaker: ArgumentPolicy, stronger: ArgumentPolicy) -> ArgumentPolicy:
    return weaker.model_copy(update={key: getattr(stronger, key) for key in stronger.model_fields_set})


_DEFAULTS: Final = {key: field.default for key, field in Settings.model_fields.items()}
