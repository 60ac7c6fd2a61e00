"""The options and their ini twins: views of `trajectory.settings.Settings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from trajectory.setting_options import SETTING_OPTIONS, SettingOption, read_options

if TYPE_CHECKING:
    from trajectory.settings import Settings

EVALSET_SUFFIX: Final = ".evalset.json"
COLLECT_INI: Final = "trajectory_collect_evalsets"
AGENT_INI: Final = "trajectory_agent"
JUDGE_INI: Final = "trajectory_judge"
JUDGE_CACHE_INI: Final = "trajectory_judge_cache"
JUDGE_KEYS: Final = ("base_url", "model", "api_key_env", "timeout", "temperature", "seed", "concurrency", "retries")
PRICES_INI: Final = "trajectory_prices"
COMPARE_INI: Final = "trajectory_compare"
FAIL_ON_INI: Final = "trajectory_fail_on"
RESULTS_INI: Final = "trajectory_results"


def _register(option: SettingOption, parser: pytest.Parser, group: Any) -> None:
    """Register an option and its ini twin."""
    if not option.metavar:
        group.addoption(option.flag, action="store_true", help=option.text)
        words = "whether to" if option.switch else "whether not to"
        parser.addini(option.ini, f"{words}: {option.text}", type="bool", default=None)
    elif option.repeatable:
        group.addoption(option.flag, action="append", metavar=option.metavar, help=f"{option.text}; may be repeated")
        parser.addini(option.ini, f"{option.text}; one a line", type="linelist", default=[])
    else:
        group.addoption(option.flag, metavar=option.metavar, help=option.text)
        parser.addini(option.ini, option.text, default=None)


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
        "--pair-by",
        metavar="WAY",
        help="how recorded threads find their partners: id, query or order; without this by id, and what is left by query",
    )
    group.addoption(
        "--allow-unmatched", action="store_true", help="let recorded threads stand that no eval set knows of"
    )
    group.addoption(
        "--results", metavar="FILE", help="write what every thread came to into this file, thread by thread"
    )
    group.addoption("--compare", metavar="BASELINE", help="say what changed since this baseline (an accepted run)")
    group.addoption(
        "--fail-on",
        metavar="WHAT",
        help="any (as ever), or regression: only threads that fail and did not in the baseline keep the run from passing",
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
        _register(option, parser, group)
    parser.addini(RESULTS_INI, "write what every thread came to into this file", default=None)
    parser.addini(COMPARE_INI, "say what changed since this baseline: a file", default=None)
    parser.addini(FAIL_ON_INI, "any, or regression: what keeps a run from passing", default=None)
    parser.addini(AGENT_INI, "the agent, as module:attribute", default=None)
    parser.addini(COLLECT_INI, f"collect every *{EVALSET_SUFFIX} that lies in a collected folder", type="bool")


def read_sources(config: pytest.Config) -> tuple[Settings, Settings]:
    """Read what the command line and the ini file state.

    Raises:
        pytest.UsageError: One of them states something wrong.
    """
    from trajectory.errors import ConfigurationError

    stated = [(option, _of_flag(config, option)) for option in SETTING_OPTIONS]
    stated_in_ini = [(option, _read_ini(config, option.ini)) for option in SETTING_OPTIONS]
    try:
        return read_options(stated, by_flag=True), read_options(stated_in_ini, by_flag=False)
    except ConfigurationError as problem:
        raise pytest.UsageError(str(problem)) from None


def _of_flag(config: pytest.Config, option: SettingOption) -> Any:
    value = config.getoption(option.dest)
    return value if option.metavar else (option.switch if value else None)


def _read_ini(config: pytest.Config, name: str) -> Any:
    try:
        return config.getini(name)
    except (ValueError, pytest.UsageError) as problem:  # which of them depends on the version of pytest
        raise pytest.UsageError(f"{name}: expected true or false, found {problem}") from None


def options_in_force(config: pytest.Config, *, with_eval_sets: bool) -> list[str]:
    """List the options of this run that decide what a thread comes to, as words for another command line."""
    words: list[str] = []
    if with_eval_sets:
        words += [word for path in config.getoption("evalset") or [] for word in ("--evalset", path)]
    words += [word for path in config.getoption("recorded") or [] for word in ("--recorded", path)]
    if config.getoption("allow_unmatched"):
        words.append("--allow-unmatched")
    for name in ("agent", "pair_by", "judge", "judge_cache", "prices", "compare", "fail_on"):
        if config.getoption(name):
            words += [f"--{name.replace('_', '-')}", config.getoption(name)]
    for option in SETTING_OPTIONS:
        value = config.getoption(option.dest)
        if value and option.metavar:
            words += [word for one in (value if option.repeatable else [value]) for word in (option.flag, one)]
        elif value:
            words.append(option.flag)
    return words
