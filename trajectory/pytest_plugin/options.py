"""The options and their ini twins: views of `trajectory.settings.Settings`."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.settings import Settings

EVALSET_SUFFIX: Final = ".evalset.json"
COLLECT_INI: Final = "trajectory_collect_evalsets"
AGENT_INI: Final = "trajectory_agent"
JUDGE_INI: Final = "trajectory_judge"
JUDGE_CACHE_INI: Final = "trajectory_judge_cache"
JUDGE_KEYS: Final = ("base_url", "model", "api_key_env", "timeout", "temperature", "seed", "concurrency", "retries")
PRICES_INI: Final = "trajectory_prices"
RESULTS_INI: Final = "trajectory_results"


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
    from trajectory.errors import ConfigurationError

    try:
        return read_rule_text(text)
    except ConfigurationError as problem:
        raise pytest.UsageError(str(problem)) from None


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
        """The name under which pytest keeps the value."""
        return self.flag.lstrip("-").replace("-", "_")

    def register(self, parser: pytest.Parser, group: Any) -> None:
        """Register the option and its twin."""
        if not self.metavar:
            group.addoption(self.flag, action="store_true", help=self.text)
            words = "whether to" if self.switch else "whether not to"
            parser.addini(self.ini, f"{words}: {self.text}", type="bool", default=None)
        elif self.repeatable:
            group.addoption(self.flag, action="append", metavar=self.metavar, help=f"{self.text}; may be repeated")
            parser.addini(self.ini, f"{self.text}; one a line", type="linelist", default=[])
        else:
            group.addoption(self.flag, metavar=self.metavar, help=self.text)
            parser.addini(self.ini, self.text, default=None)

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


def add_options(parser: pytest.Parser) -> None:
    """Register every option and ini option."""
    group = parser.getgroup("trajectory", "recorded conversations replayed into an agent (trajectory)")
    group.addoption(
        "--evalset",
        action="append",
        metavar="FILE",
        help="eval set to replay; a file or a glob, may be repeated. With test paths, it feeds `conversation_thread`",
    )
    group.addoption("--evalset-tag", action="append", metavar="TAG", help="replay only the threads with this tag")
    group.addoption(
        "--agent",
        metavar="MODULE:ATTRIBUTE",
        help="the agent: a callable, an object, a class, a factory; or an OpenAI-compatible endpoint, https://host/v1#model",
    )
    group.addoption(
        "--recorded",
        action="append",
        metavar="FILE",
        help="check recorded runs instead of an agent; a file, a folder or a glob, may be repeated",
    )
    group.addoption(
        "--allow-unmatched", action="store_true", help="let recorded threads stand that no eval set knows of"
    )
    group.addoption(
        "--results", metavar="FILE", help="write what every thread came to into this file, thread by thread"
    )
    group.addoption(
        "--resume",
        action="store_true",
        dest="trajectory_resume",
        help="run only what is missing or without a verdict in the file of --results",
    )
    group.addoption(
        "--prices",
        metavar="FILE",
        help="what a million tokens of each model cost, in JSON or TOML, for budgets and money",
    )
    parser.addini(PRICES_INI, "what a million tokens of each model cost: a JSON or TOML file", default=None)
    group.addoption(
        "--judge", metavar="MODULE:ATTRIBUTE", help="the LLM judge: a callable (prompt), or an object with ask"
    )
    group.addoption("--judge-cache", metavar="FILE", help="keep the answers of the judge in this file")
    parser.addini(JUDGE_INI, "the LLM judge, as module:attribute", default=None)
    parser.addini(JUDGE_CACHE_INI, "keep the answers of the LLM judge in this file", default=None)
    for key in JUDGE_KEYS:
        parser.addini(f"{JUDGE_INI}_{key}", f"{key} of an LLM judge behind an OpenAI-compatible endpoint", default=None)
    group.addoption(
        "--record",
        choices=("new", "all"),
        help="write what the agent does into the eval set: of threads that hold only what the user said, or of all",
    )
    group.addoption("--record-to", metavar="FILE", help="write what is recorded into this file instead")
    for option in SETTING_OPTIONS:
        option.register(parser, group)
    parser.addini(RESULTS_INI, "write what every thread came to into this file", default=None)
    parser.addini(AGENT_INI, "the agent, as module:attribute", default=None)
    parser.addini(COLLECT_INI, f"collect every *{EVALSET_SUFFIX} that lies in a collected folder", type="bool")


def read_sources(config: pytest.Config) -> tuple[Settings, Settings]:
    """Read what the command line and the ini file state.

    Raises:
        pytest.UsageError: One of them states something wrong.
    """
    stated: dict[str, Any] = {}
    stated_in_ini: dict[str, Any] = {}
    for option in SETTING_OPTIONS:
        value = config.getoption(option.dest)
        switched = option.switch if value else None
        _put(stated, option.key, option.stated(value) if option.metavar else switched)
        _put(stated_in_ini, option.key, option.stated(_read_ini(config, option.ini)))
    return _read(stated, by_flag=True), _read(stated_in_ini, by_flag=False)


def _read_ini(config: pytest.Config, name: str) -> Any:
    try:
        return config.getini(name)
    except (ValueError, pytest.UsageError) as problem:  # which of them depends on the version of pytest
        raise pytest.UsageError(f"{name}: expected true or false, found {problem}") from None


def _put(stated: dict[str, Any], dotted: str, value: Any) -> None:
    if value is None:
        return
    *groups, key = dotted.split(".")
    for group in groups:
        stated = stated.setdefault(group, {})
    stated[key] = value


def _read(stated: dict[str, Any], *, by_flag: bool) -> Settings:
    from trajectory.errors import ConfigurationError
    from trajectory.settings import MatchMode, Settings, SettingsError, read_settings

    try:
        if "match_mode" in stated:
            stated["match_mode"] = MatchMode.parse(str(stated["match_mode"]))
        return read_settings(stated, keys=Settings.model_fields, source="")
    except SettingsError as problems:
        lines = [_say(problem, by_flag=by_flag) for problem in problems.problems]
        raise pytest.UsageError("\n".join(lines)) from None
    except ConfigurationError as problem:
        where = SETTING_OPTIONS[0].flag if by_flag else SETTING_OPTIONS[0].ini
        raise pytest.UsageError(str(problem).replace("match mode", where, 1)) from None


def _say(problem: tuple[str, str, str, str], *, by_flag: bool) -> str:
    pointer, expected, found, hint = problem
    key = pointer.strip("/").replace("/", ".") + "."
    where = next((o.flag if by_flag else o.ini for o in SETTING_OPTIONS if key.startswith(o.key + ".")), key)
    return f"{where}: expected {expected}, found {found}{f' ({hint})' if hint else ''}"


def options_in_force(config: pytest.Config, *, with_eval_sets: bool) -> list[str]:
    """List the options of this run that decide what a thread comes to, as words for another command line."""
    words: list[str] = []
    if with_eval_sets:
        words += [word for path in config.getoption("evalset") or [] for word in ("--evalset", path)]
    words += [word for path in config.getoption("recorded") or [] for word in ("--recorded", path)]
    if config.getoption("allow_unmatched"):
        words.append("--allow-unmatched")
    for name in ("agent", "judge", "judge_cache", "prices"):
        if config.getoption(name):
            words += [f"--{name.replace('_', '-')}", config.getoption(name)]
    for option in SETTING_OPTIONS:
        value = config.getoption(option.dest)
        if value and option.metavar:
            words += [word for one in (value if option.repeatable else [value]) for word in (option.flag, one)]
        elif value:
            words.append(option.flag)
    return words
