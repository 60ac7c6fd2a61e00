"""Run eval sets from code: once, to be asked as often as wanted what came of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import ConfigurationError
from trajectory.evalset import EvalSet
from trajectory.prices import Prices
from trajectory.replay import as_agent
from trajectory.running import Budget
from trajectory.settings import Settings, merge, read_settings
from trajectory.suite import (
    Checker,
    Engine,
    Kept,
    LiveWork,
    PairBy,
    RecordedWork,
    find_agent,
    judge_for,
    open_eval_sets,
    open_source,
    take_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    names = ["agent" if agent is not None else "", "recorded" if recorded is not None else ""]
    if len([name for name in names if name]) != 1:
        raise ConfigurationError(f"{_CALL}give an agent, or recorded runs: one of them")
    if resume and (results is None or agent is None):
        raise ConfigurationError(f"{_CALL}resume: name the results of a live run to go on with by results=FILE")
    stated = read_settings(settings, keys=Settings.model_fields, source=_CALL)
    folder = Path.cwd()
    sets = open_eval_sets(_several(eval_set), stated, folder=folder, tags=[*tags], ids=[*threads])
    checker = Checker(sets, stated, Kept(in_memory=True, as_lines=False))
    budget = budget_of(stated, prices)
    kept = {}
    if recorded is not None:
        sources = [open_source(os.fsdecode(one)) for one in _several(recorded)]
        work: RecordedWork | LiveWork = RecordedWork(
            checker, sources, PairBy.parse(pair_by), budget=budget, allow_unmatched=allow_unmatched
        )
    else:
        found, shown = _agent(agent, folder)
        kept = take_up(Path(results), shown) if resume and results is not None else {}
        work = LiveWork(checker, found, shown, budget, merge(stated).concurrency, kept)
    with judge_for(sets, stated, given=judge, folder=folder, cache=judge_cache) as asked:
        path = Path(results) if results is not None else None
        engine = Engine(work, path, judge=asked, kept=[*kept.values()], on_thread=on_thread)
        return _whole(engine.run())


def budget_of(stated: Settings, prices: Prices | _Path | None) -> Budget:
    """Make the budget that settings state.

    Raises:
        ConfigurationError: The prices cannot be read.
    """
    limits = merge(stated)
    table = prices if isinstance(prices, Prices) or prices is None else Prices.load(prices)
    return Budget(usd=limits.budget_usd, tokens=limits.budget_tokens, seconds=limits.budget_seconds, prices=table)


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | os.PathLike | EvalSet) else list(given)


def _agent(given: Any, folder: Path) -> tuple[Any, str]:
    if isinstance(given, str):
        return as_agent(find_agent(given, folder)), f"agent {given}"
    kind = given if hasattr(given, "__qualname__") else type(given)
    return as_agent(given), f"agent {kind.__module__}:{kind.__qualname__}"


def _whole(finished: Finished) -> RunFile:
    if finished.interrupted:
        raise KeyboardInterrupt
    return finished.run
