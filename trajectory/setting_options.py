"""The options that state a setting, the same for pytest and for the command line: views of `Settings`.

pytest loads this module in every run of everyone who has the package installed, so it imports the standard library
alone until an option is read.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trajectory.settings import Settings


def _tolerance(text: str) -> Any:
    """Read ``0.01`` (relative), ``absolute=0.5``, or both, with a comma between."""
    pairs = [part.partition("=") for part in text.split(",")]
    read = _as(float)
    return {(name if equals else "relative").strip(): read(value if equals else name) for name, equals, value in pairs}


def _as(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Read a text as a number; one that is none stays a text, and the settings refuse it."""

    def read(text: str) -> Any:
        try:
            return kind(text)
        except (ValueError, ArithmeticError):
            return text

    return read


def _rule(text: str) -> Any:
    """Read ``length:min=1,max=200``."""
    from trajectory.chosen_rules import read_rule_text

    return read_rule_text(text)


class SettingOption(NamedTuple):  # made in a tenth of a dataclass's time, in every run of everyone
    """An option of the command line that states a setting, and its ini twin.

    Attributes:
        flag: The option.
        ini: The ini option.
        key: The key of the setting, dotted where it is nested.
        metavar: What the help text calls the value; empty for a switch.
        text: The help text.
        repeatable: It may be given several times; in the ini file, one value a line.
        read: Turns the text of a value into what the setting takes.
        switch: What a switch states.
    """

    flag: str
    ini: str
    key: str
    metavar: str
    text: str
    repeatable: bool = False
    read: Callable[[str], Any] = str.strip
    switch: bool = False

    @property
    def dest(self) -> str:
        """The name under which the value is kept."""
        return self.flag.lstrip("-").replace("-", "_")

    def stated(self, value: Any) -> Any:
        """Turn a value of the command line or the ini file into what the setting takes; ``None`` for not stated."""
        if self.repeatable:
            return [self.read(text) for text in value] if value else None
        return self.read(value) if isinstance(value, str) else value


SETTING_OPTIONS: Final = (
    SettingOption(
        "--match-mode",
        "trajectory_match_mode",
        "match_mode",
        "MODE",
        "how today's tool calls must relate to the recorded ones: STRICT, IN_ORDER, UNORDERED, SUBSET, SUPERSET",
    ),
    SettingOption("--repeats", "trajectory_repeats", "repeats", "HOW", "count or ignore repeated tool calls"),
    SettingOption(
        "--arguments",
        "trajectory_arguments",
        "arguments.policy",
        "POLICY",
        "when the arguments of two calls agree: exact, ignore, subset, superset",
    ),
    SettingOption(
        "--ignore-path",
        "trajectory_ignore_paths",
        "arguments.ignore_paths",
        "POINTER",
        "JSON Pointer to an argument that is not compared, such as /request_id or /items/*/id",
        repeatable=True,
    ),
    SettingOption(
        "--tolerance",
        "trajectory_tolerance",
        "arguments.tolerance",
        "N",
        "how far numbers may lie apart: 0.01 (relative), absolute=0.5, or both with a comma between",
        read=_tolerance,
    ),
    SettingOption(
        "--case-insensitive",
        "trajectory_case_sensitive",
        "arguments.case_sensitive",
        "",
        "let A-Z equal a-z in tool names and argument values",
    ),
    SettingOption(
        "--ignore-tool",
        "trajectory_ignore_tools",
        "ignore_tools",
        "NAME",
        "tool whose calls are not looked at, a name or a pattern with *",
        repeatable=True,
    ),
    SettingOption(
        "--rule",
        "trajectory_rules",
        "rules",
        "NAME[:KEY=VALUE,...]",
        "rule that the agent is held to, with its settings; without this, tool_trajectory",
        repeatable=True,
        read=_rule,
    ),
    SettingOption(
        "--min-pass-rate",
        "trajectory_min_pass_rate",
        "min_pass_rate",
        "RATE",
        "share of conversation threads that must pass, from 0 to 1",
        read=_as(Decimal),
    ),
    SettingOption(
        "--min-macro-f1",
        "trajectory_min_macro_f1",
        "min_macro_f1",
        "F1",
        "what the F1 of tool calls must be on average over the conversation threads, from 0 to 1",
        read=_as(Decimal),
    ),
    SettingOption(
        "--max-errors",
        "trajectory_max_errors",
        "max_errors",
        "N",
        "how many conversation threads may end without a verdict",
        read=_as(int),
    ),
    SettingOption(
        "--repetitions",
        "trajectory_repetitions",
        "repetitions",
        "N",
        "how often each conversation thread is run, each time in a fresh session",
        read=_as(int),
    ),
    SettingOption(
        "--pass-runs",
        "trajectory_pass_runs",
        "pass_runs",
        "K",
        "how many of the repetitions of a conversation thread must pass; without this, all",
        read=_as(int),
    ),
    SettingOption(
        "--turn-timeout",
        "trajectory_turn_timeout",
        "turn_timeout",
        "SECONDS",
        "how long the agent may take for one user turn; 0 waits for ever and runs it in the main thread",
        read=_as(float),
    ),
    SettingOption(
        "--teacher-forced",
        "trajectory_teacher_forced",
        "teacher_forced",
        "",
        "set the session's history to the recording before each turn",
        switch=True,
    ),
    SettingOption(
        "--concurrency",
        "trajectory_concurrency",
        "concurrency",
        "N",
        "how many conversation threads are run at once within this process",
        read=_as(int),
    ),
    SettingOption(
        "--budget-usd",
        "trajectory_budget_usd",
        "budget_usd",
        "USD",
        "US dollars, as the agent reports them, after which no further turn starts",
        read=_as(float),
    ),
    SettingOption(
        "--budget-tokens",
        "trajectory_budget_tokens",
        "budget_tokens",
        "N",
        "tokens, as the agent reports them, after which no further turn starts",
        read=_as(int),
    ),
    SettingOption(
        "--budget-seconds",
        "trajectory_budget_seconds",
        "budget_seconds",
        "SECONDS",
        "how long the run may take before no further turn starts",
        read=_as(float),
    ),
)


LIVE_ONLY: Final = frozenset(
    {
        "turn_timeout",
        "teacher_forced",
        "concurrency",
        "repetitions",
        "pass_runs",
        "budget_usd",
        "budget_tokens",
        "budget_seconds",
    }
)
"""The settings that say how an agent is run, and nothing where recorded runs are checked."""


def read_options(stated: Iterable[tuple[SettingOption, Any]], *, by_flag: bool) -> Settings:
    """Read what the options of one source state.

    Args:
        stated: The options with their values; ``None`` for one that is not stated, and for a switch that is off.
        by_flag: Messages call the options by their flags; otherwise by their names in the ini file.

    Returns:
        Settings in which only the stated keys are set.

    Raises:
        ConfigurationError: A value cannot be what it is; all such problems together.
    """
    from trajectory.errors import ConfigurationError
    from trajectory.settings import MatchMode, Settings, SettingsError, read_settings

    document: dict[str, Any] = {}
    for option, value in stated:
        _put(document, option.key, option.stated(value))
    try:
        if "match_mode" in document:
            document["match_mode"] = MatchMode.parse(str(document["match_mode"]))
        return read_settings(document, keys=Settings.model_fields, source="")
    except SettingsError as problems:
        lines = [_say(problem, by_flag=by_flag) for problem in problems.problems]
        raise ConfigurationError("\n".join(lines)) from None
    except ConfigurationError as problem:
        where = SETTING_OPTIONS[0].flag if by_flag else SETTING_OPTIONS[0].ini
        raise ConfigurationError(str(problem).replace("match mode", where, 1)) from None


def _put(document: dict[str, Any], dotted: str, value: Any) -> None:
    if value is None:
        return
    *groups, key = dotted.split(".")
    for group in groups:
        document = document.setdefault(group, {})
    document[key] = value


def _say(problem: tuple[str, str, str, str], *, by_flag: bool) -> str:
    pointer, expected, found, hint = problem
    key = pointer.strip("/").replace("/", ".") + "."
    where = next((o.flag if by_flag else o.ini for o in SETTING_OPTIONS if key.startswith(o.key + ".")), key)
    return f"{where}: expected {expected}, found {found}{f' ({hint})' if hint else ''}"
