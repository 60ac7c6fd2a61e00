"""``trajectory check``: recorded runs against eval sets, without any agent."""

from __future__ import annotations

import os
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
from trajectory.suite import (
    BaselineInPlay,
    Checker,
    Engine,
    Kept,
    PairBy,
    RecordedWork,
    for_recordings,
    judge_for,
    open_eval_sets,
    open_recordings,
)


@click.command("check")
@click.argument("eval_set", metavar="EVALSET")
@click.argument("recorded", metavar="RECORDED...", nargs=-1, required=True)
@common_options
@click.option(
    "--pair-by",
    metavar="WAY",
    help="How recorded threads find their partners: id, query or order; without this by id, and what is left by query.",
)
@click.option("--allow-unmatched", is_flag=True, help="Let recorded threads stand that EVALSET does not know of.")
@click.option(
    "--jobs", metavar="N", type=click.IntRange(min=0), default=1, help="Check in N processes; 0: one per core."
)
@with_settings(live=False)
def command(eval_set: str, recorded: tuple[str, ...], **given: Any) -> int:
    """Check recorded runs against EVALSET, without any agent.

    RECORDED are files, folders or globs in any format that is known (trajectory formats). EVALSET is an eval set in any
    shape, or a recording: then what it shows is what is expected. JSON Lines of which each is a conversation are read as
    a stream, of any size. Exit codes: 0 every gate passed, 1 a gate failed, 2 bad input, 3 errors or incomplete.

    \b
    Examples:
      trajectory check sample.evalset.json recorded.jsonl
      trajectory check sample.evalset.json traces/ --match-mode SUPERSET --min-pass-rate 0.9
      trajectory check last-week.jsonl today.jsonl --pair-by query --report report.html
    """
    stated, folder = for_recordings(read_settings_of(given, live=False)), Path.cwd()
    check_reports(given["reports"])
    by, jobs = PairBy.parse(given["pair_by"]), given["jobs"] or os.cpu_count() or 1
    baseline = BaselineInPlay.of(given["compare"], given["fail_on"])
    sets = open_eval_sets([eval_set], stated, folder=folder, tags=given["tags"], ids=given["threads"])
    refuse_overwriting(given, [*(loaded.path for loaded in sets), *map(Path, recorded)])
    whole = bool(given["reports"] or baseline)
    keeps = Kept(in_memory=whole, as_lines=bool(given["results"]))
    with judge_for(sets, stated, given=given["judge"], folder=folder, cache=given["judge_cache"]) as judge:
        if judge is not None and jobs > 1:
            raise ConfigurationError("--jobs: rules that ask an LLM judge are checked in one process; leave it out")
        sources = open_recordings(recorded, sets)
        work = RecordedWork(
            Checker(sets, stated, keeps), sources, by, jobs, allow_unmatched=bool(given["allow_unmatched"])
        )
        results = folder / given["results"] if given["results"] else None
        words = words_of("check", given, [eval_set, *recorded], live=False)
        with progress_of(work) as on_thread:
            finished = Engine(work, results, baseline, judge, words, on_thread=on_thread).run()
        return conclude(finished, given["reports"], color=given["color"])
