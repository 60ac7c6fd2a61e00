"""Run eval sets from code: once, to be asked as often as wanted what came of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import ConfigurationError
from trajectory.evalset import EvalSet
from trajectory.json_values import describe
from trajectory.prices import Prices
from trajectory.replay import as_agent
from trajectory.running import Budget
from trajectory.setting_options import LIVE_ONLY
from trajectory.settings import Settings, merge, read_settings
from trajectory.suite import (
    Checker,
    Engine,
    Kept,
    LiveWork,
    PairBy,
    RecordedWork,
    find_agent,
    for_recordings,
    judge_for,
    open_eval_sets,
    open_recordings,
    take_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.runs import RunFile, ThreadEntry
    from trajectory.suite import Finished

_CALL: Final = "run_eval_set: "
_Path = str | os.PathLike[str]


def run_eval_set(  # noqa: PLR0913 - everything that can be asked of a run
    eval_set: _Path | EvalSet | Sequence[_Path | EvalSet],
    agent: Any = None,
    *,
    recorded: _Path | Sequence[_Path] | None = None,
    tags: Iterable[str] = (),
    threads: Iterable[str] = (),
    results: _Path | None = None,
    resume: bool = False,
    prices: Prices | _Path | None = None,
    judge: Any = None,
    judge_cache: _Path | None = None,
    pair_by: str | None = None,
    allow_unmatched: bool = False,
    on_thread: Callable[[ThreadEntry], object] | None = None,
    **settings: Any,
) -> RunFile:
    """Replay eval sets into an agent, or check recorded runs against them, and decide.

    Nothing is raised for threads that fail: `assert_passes` asserts what the run came to.

    Args:
        eval_set: A file, a glob, an `EvalSet`, or several of these.
        agent: The agent, in any form that `trajectory.replay.as_agent` takes; or its name as ``module:attribute``, or the
            address of an OpenAI-compatible endpoint.
        recorded: Recorded runs to check instead: files, folders or globs.
        tags: When given, only threads with one of these tags are run.
        threads: When given, only threads with one of these ids are run.
        results: The file to write what every thread came to into, thread by thread.
        resume: Whether to run only what is missing or without a verdict in that file.
        prices: What a million tokens of each model cost, or a file that says so.
        judge: The LLM judge for rules that ask one, or its name; without this, the one that ``pyproject.toml`` or the
            environment configures.
        judge_cache: The file to keep the answers of the judge in.
        pair_by: How recorded threads find their partners: ``id``, ``query`` or ``order``; without this by id, and what is
            left by query.
        allow_unmatched: Whether recorded threads may be without a partner.
        on_thread: Called with the record of every thread that came to its end.
        **settings: Settings, named as in `trajectory.settings.Settings`; they win over those of the eval sets.

    Returns:
        The run: what its gates, its threads and their turns came to.

    Raises:
        ConfigurationError: Something that was given makes no sense, or cannot be read or written.
        AgentError: What was given as the agent is none.
        KeyboardInterrupt: The run was interrupted; what it came to stands in the file of results.
    """
    if (agent is None) == (recorded is None):
        raise ConfigurationError(f"{_CALL}give an agent, or recorded runs: one of them")
    if resume and (results is None or agent is None):
        raise ConfigurationError(f"{_CALL}resume: name the results of a live run to go on with by results=FILE")
    if on_thread is not None and not callable(on_thread):
        raise ConfigurationError(f"{_CALL}on_thread: expected a function, found {describe(on_thread)}")
    stated, folder = _stated(settings, recorded=recorded is not None), Path.cwd()
    given = _several(eval_set, "eval_set", "a file or an EvalSet", str, os.PathLike, EvalSet)
    with_tags = _several(tags, "tags", "a tag", str, empty=True)
    ids = _several(threads, "threads", "the id of a thread", str, empty=True)
    sets = open_eval_sets(given, stated, folder=folder, tags=with_tags, ids=ids)
    checker = Checker(sets, stated, Kept(in_memory=True, as_lines=False))
    path = Path(results) if results is not None else None
    kept: dict[tuple[str, str], ThreadEntry] = {}
    if recorded is not None:
        files = _several(recorded, "recorded", "a file, a folder or a glob", str, os.PathLike)
        sources = open_recordings([os.fspath(one) for one in files], sets)
        by = PairBy.parse(pair_by, source=f"{_CALL}pair_by")
        work: RecordedWork | LiveWork = RecordedWork(checker, sources, by, allow_unmatched=allow_unmatched)
    elif pair_by is not None or allow_unmatched:
        raise ConfigurationError(f"{_CALL}pair_by and allow_unmatched: say something of recorded runs alone")
    else:
        found, shown = _agent(agent, folder)
        kept = take_up(path, shown) if resume and path is not None else {}
        work = LiveWork(checker, found, shown, budget_of(stated, prices), merge(stated).concurrency, kept)
    with judge_for(sets, stated, given=judge, folder=folder, cache=judge_cache) as in_force:
        engine = Engine(work, path, judge=in_force, kept=[*kept.values()], on_thread=on_thread)
        return _whole(engine.run())


def _stated(settings: dict[str, Any], *, recorded: bool) -> Settings:
    stated = read_settings(settings, keys=Settings.model_fields, source=_CALL)
    if not recorded:
        return stated
    for name in settings:
        if name in LIVE_ONLY:
            raise ConfigurationError(f"{_CALL}{name}: says how an agent is run, and here recorded runs are checked")
    return for_recordings(stated)


def budget_of(stated: Settings, prices: Prices | _Path | None) -> Budget:
    """Make the budget that settings state.

    Raises:
        ConfigurationError: The prices cannot be read.
    """
    limits = merge(stated)
    table = prices if isinstance(prices, Prices) or prices is None else Prices.load(prices)
    return Budget(usd=limits.budget_usd, tokens=limits.budget_tokens, seconds=limits.budget_seconds, prices=table)


def _several(given: Any, name: str, what: str, *kinds: type, empty: bool = False) -> list[Any]:
    """Take one thing as a list of one, and refuse lists of other things."""
    several = [given] if isinstance(given, kinds) or not isinstance(given, Iterable) else list(given)
    wrong = [one for one in several if not isinstance(one, kinds)]
    if wrong or not (several or empty):
        found = describe(wrong[0]) if wrong else "none"
        raise ConfigurationError(f"{_CALL}{name}: expected {what}, or several, found {found}")
    return several


def _agent(given: Any, folder: Path) -> tuple[Any, str]:
    if isinstance(given, str):
        return as_agent(find_agent(given, folder)), f"agent {given}"
    kind = given if hasattr(given, "__qualname__") else type(given)
    return as_agent(given), f"agent {kind.__module__}:{kind.__qualname__}"


def _whole(finished: Finished) -> RunFile:
    if finished.interrupted:
        raise KeyboardInterrupt
    return finished.run
