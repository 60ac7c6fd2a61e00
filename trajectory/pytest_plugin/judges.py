"""Where the LLM judge of a run comes from: ``--judge``, the ini option, the hook, or the settings of an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from trajectory.judges import JudgeCache, JudgeInForce, as_judge
from trajectory.judges.settings import JudgeSettings, read_judge_settings
from trajectory.pytest_plugin.options import JUDGE_CACHE_INI, JUDGE_INI
from trajectory.replay.importing import import_agent

if TYPE_CHECKING:
    from pathlib import Path

_FOUND: Final[pytest.StashKey[JudgeInForce | None]] = pytest.StashKey()


def judge_of(config: pytest.Config) -> JudgeInForce | None:
    """Find the judge of a run, once.

    Args:
        config: The configuration of the run.

    Returns:
        The judge; ``None`` when nobody configures one.

    Raises:
        ConfigurationError: What is configured is no judge, or cannot be used.
    """
    if _FOUND not in config.stash:
        config.stash[_FOUND] = _find(config)
    return config.stash[_FOUND]


def _find(config: pytest.Config) -> JudgeInForce | None:
    folder = config.invocation_params.dir
    reference = config.getoption("judge") or config.getini(JUDGE_INI)
    given: Any = import_agent(reference, folder=folder, what="judge") if reference else None
    if given is None:
        given = config.hook.pytest_trajectory_judge(config=config)
    if isinstance(given, JudgeInForce):
        return given
    if given is not None:
        found = JudgeInForce(as_judge(given), {"judge": reference or _name_of(given)})
    else:
        settings = read_judge_settings(pyproject=_pyproject(config), ini=_ini(config))
        if settings is None:
            return None
        found = _behind_endpoint(config, settings)
    cache = config.getoption("judge_cache") or config.getini(JUDGE_CACHE_INI)
    if cache:
        found.cache = JudgeCache(folder / cache)
        config.add_cleanup(found.cache.close)
    return found


def _name_of(given: Any) -> str:
    """Name a judge of the hook, so that two of them do not share kept answers."""
    named = given if hasattr(given, "__qualname__") else type(given)
    return f"{named.__module__}:{named.__qualname__}"


def _behind_endpoint(config: pytest.Config, settings: JudgeSettings) -> JudgeInForce:
    from trajectory.judges.http import HttpJudge  # noqa: PLC0415 - an extra, imported when it is used

    judge = HttpJudge(settings)
    config.add_cleanup(judge.close)
    return JudgeInForce(judge, settings.identity)


def _pyproject(config: pytest.Config) -> Path:
    return config.rootpath / "pyproject.toml"


def _ini(config: pytest.Config) -> dict[str, str]:
    return {key: config.getini(f"{JUDGE_INI}_{key}") or "" for key in JudgeSettings.model_fields}
