"""``trajectory run``: replay eval sets into an agent, for those without pytest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trajectory.cli.run_options import (
    check_reports,
    common_options,
    conclude,
    progress_of,
    read_settings_of,
    refuse_overwriting,
    with_settings,
    words_of,
)
from trajectory.errors import ConfigurationError
from trajectory.eval_runs import budget_of
from trajectory.replay import as_agent
from trajectory.settings import merge
from trajectory.suite import (
    BaselineInPlay,
    Checker,
    Engine,
    Kept,
    LiveWork,
    find_agent,
    judge_for,
    open_eval_sets,
    take_up,
)


@click.command("run")
@click.argument("eval_sets", metavar="EVALSET...", nargs=-1, required=True)
@click.option(
    "--agent",
    metavar="MODULE:ATTRIBUTE",
    required=True,
    help="The agent: a callable, an object, a class, a factory; or an OpenAI-compatible endpoint, https://host/v1#model.",
)
@common_options
@click.option("--resume", is_flag=True, help="Run only what is missing or without a verdict in the file of --results.")
@click.option("--prices", metavar="FILE", help="What a million tokens of each model cost, in JSON or TOML.")
@with_settings(live=True)
def command(eval_sets: tuple[str, ...], **given: Any) -> int:
    """Replay the recorded user turns of EVALSET into an agent, and compare its tool calls with the recorded ones.

    The same as pytest --evalset, for those without pytest; only conftest.py files are not looked at. Exit codes: 0 every
    gate passed, 1 a gate failed, 2 bad input, 3 errors, halted, incomplete or interrupted.

    \b
    Examples:
      trajectory run sample.evalset.json --agent my_agent:agent
      trajectory run evalsets/*.evalset.json --agent https://host/v1#model --match-mode IN_ORDER
      trajectory run sample.evalset.json --agent my_agent:agent --repetitions 5 --pass-runs 4 --results run.json
    """
    stated, folder = read_settings_of(given, live=True), Path.cwd()
    check_reports(given["reports"])
    if given["resume"] and not given["results"]:
        raise ConfigurationError("--resume: name the results to go on with by --results FILE")
    baseline = BaselineInPlay.of(given["compare"], given["fail_on"])
    sets = open_eval_sets(eval_sets, stated, folder=folder, tags=given["tags"], ids=given["threads"])
    refuse_overwriting(given, [loaded.path for loaded in sets])
    shown = f"agent {given['agent']}"
    results = folder / given["results"] if given["results"] else None
    kept = take_up(results, shown) if given["resume"] and results else {}
    agent = as_agent(find_agent(given["agent"], folder))
    work = LiveWork(
        Checker(sets, stated, Kept()), agent, shown, budget_of(stated, given["prices"]), merge(stated).concurrency, kept
    )
    words = words_of("run", given, eval_sets, live=True)
    with judge_for(sets, stated, given=given["judge"], folder=folder, cache=given["judge_cache"]) as judge:
        with progress_of(work) as on_thread:
            finished = Engine(work, results, baseline, judge, words, [*kept.values()], on_thread).run()
        return conclude(finished, given["reports"], color=given["color"])
