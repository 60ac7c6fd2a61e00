"""What a run says on the terminal."""

from __future__ import annotations

import shlex
from collections import defaultdict
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from trajectory._version import __version__
from trajectory.evaluations import Outcome
from trajectory.json_values import printable, shorten
from trajectory.pytest_plugin.options import EVALSET_SUFFIX, options_in_force
from trajectory.report import changes_headline, changes_lines, repetitions_line, summary_line
from trajectory.report.in_force import in_force
from trajectory.running import Label
from trajectory.runs.comparison import Change
from trajectory.setting_options import SETTING_OPTIONS
from trajectory.settings import merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from trajectory.gate import GateVerdict, ThreadScore
    from trajectory.pytest_plugin.ledger import Entry
    from trajectory.pytest_plugin.run import Run
    from trajectory.runs.comparison import Comparison
    from trajectory.suite import LoadedEvalSet

TOLERATED: Final = "tolerated"
_THREADS_LISTED: Final = 20
_NAMED: Final = 10
_RERUN_LISTED: Final = 5
_COLOURS: Final = {
    Outcome.PASSED: {"green": True},
    Outcome.FAILED: {"red": True},
    Outcome.ERROR: {"red": True, "bold": True},
    Outcome.SKIPPED: {"yellow": True},
}
_STEP_COLOURS: Final = {"~": {"yellow": True}, "-": {"red": True}, "+": {"green": True}, "^": {"cyan": True}}


class Explanation:
    """An explanation that pytest shows in colour where there is colour, its first line also in the short summary."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.reprcrash = SimpleNamespace(message=text.partition("\n")[0])

    def __str__(self) -> str:
        return self._text

    def toterminal(self, writer: Any) -> None:
        """Write the text line by line, each in the colour of its marker."""
        for number, line in enumerate(self._text.splitlines()):
            writer.line(line, **({"bold": True} if number == 0 else _colour_of(line)))


def _colour_of(line: str) -> dict[str, bool]:
    return _STEP_COLOURS.get(line[:1], {})


def colour(report: pytest.TestReport) -> None:
    """Let a report's explanation be shown in colour; it came as a text, which is all that xdist can carry."""
    if isinstance(report.longrepr, str):
        report.longrepr = Explanation(report.longrepr)  # type: ignore[assignment]  # shown by its toterminal


def set_apart(config: pytest.Config, reports: set[int]) -> None:
    """Move the reports of tolerated threads out of what pytest counts as failures."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not reports:
        return
    for category in ("failed", "error"):
        moved = [report for report in reporter.stats.get(category, ()) if id(report) in reports]
        kept = [report for report in reporter.stats.get(category, ()) if id(report) not in reports]
        reporter.stats.setdefault(TOLERATED, []).extend(moved)
        reporter.stats[category] = kept
        if not kept:
            reporter.stats.pop(category)


# ------------------------------------------------------------------------------------------------------------- header


def header(run: Run) -> list[str]:
    """Say what is in force (outcomes, the last rule)."""
    lines = [f"trajectory {__version__}: {run.agent_shown}"]
    lines += [f"  note: {printable(note)}" for note in (run.recording.notes if run.recording else ())]
    lines += [f"  recording {run.recorder.how} threads"] if run.recorder else []
    lines += _results(run)
    lines += _limits(run)
    for loaded in run.eval_sets:
        eval_set = loaded.eval_set
        chosen = f"{len(loaded.threads)} of {len(eval_set.threads)} threads" if run.tags else ""
        total = f"{len(eval_set.threads)} thread{'s' * (len(eval_set.threads) != 1)}"
        lines += [f"  {loaded.shown} ({eval_set.shape}): {chosen or total}", f"    {_in_force(run, loaded)}"]
        lines += [f"    note: {printable(note)}" for note in eval_set.notes]
    return lines


def _limits(run: Run) -> list[str]:
    settings = merge(run.command_line, run.ini)
    facts = [
        (settings.concurrency > 1, f"{settings.concurrency} threads at once"),
        (settings.budget_usd, f"a budget of {settings.budget_usd or 0:g} USD"),
        (settings.budget_tokens, f"a budget of {settings.budget_tokens or 0:,} tokens"),
        (settings.budget_seconds, f"a budget of {settings.budget_seconds or 0:g} seconds"),
    ]
    said = ", ".join(words for holds, words in facts if holds)
    return [f"  {said}"] if said else []


def _results(run: Run) -> list[str]:
    if run.results is None:
        return []
    kept = f", {len(run.results.kept)} threads kept from an earlier run" if run.results.kept else ""
    lines = [f"  results go into {run.results.path}{kept}"] if run.results.path is not None else []
    if (baseline := run.results.baseline) is not None:
        decides = ", which decides: only what fails newly counts" if baseline.decides else ""
        lines.append(f"  compared with {printable(baseline.name)}{decides}")
    return lines


def _in_force(run: Run, loaded: LoadedEvalSet) -> str:
    settings = merge(run.command_line, loaded.stated, run.ini)
    rules = loaded.rules_for(run.command_line, run.ini)
    overridden = [
        option.flag
        for option in SETTING_OPTIONS
        if option.key.split(".")[0] in run.command_line.model_fields_set & loaded.stated_anywhere
    ]
    return in_force(settings, rules) + (f" ({', '.join(overridden)} overrides the eval set)" if overridden else "")


# ------------------------------------------------------------------------------------------------------------ summary


def summarize(
    reporter: pytest.TerminalReporter,
    run: Run,
    verdicts: Mapping[str, GateVerdict],
    entries: Mapping[str, Entry],
    unused: list[str],
) -> None:
    """Write the closing section of a run."""
    _explain_tolerated(reporter)
    if not (verdicts or unused):
        return
    reporter.section("conversation threads")
    for group, verdict in verdicts.items():
        _list_threads(reporter, verdict, {e.record.thread_id: e for e in entries.values() if e.record.group == group})
        _summarize_group(reporter, group, verdict)
    for line in run.recorder.lines if run.recorder else ():
        reporter.line(line, bold=True)
    for warning in run.warnings():
        reporter.line(f"warning: {warning}", yellow=True)
    for shown in unused:
        reporter.line(
            f"{shown} was given with --evalset, and no item and no test used it: nothing was checked", red=True
        )
    failing = [score for verdict in verdicts.values() for score in verdict.not_passed]
    if failing:
        reporter.line(f"rerun: {_rerun_command(run, entries, failing)}")


def tell_changes(reporter: pytest.TerminalReporter, run: Run, comparison: Comparison | None) -> None:
    """Say what changed since the baseline."""
    if comparison is None or run.results is None or run.results.baseline is None:
        return
    baseline = run.results.baseline
    worse = bool(comparison.regressions or comparison.problems)
    reporter.line(changes_headline(comparison, baseline.name, baseline.run), bold=True, red=worse)
    for line in changes_lines(comparison):
        reporter.line(f"  {line}", red=line.startswith((Change.NEWLY_FAILING, "problem")))


def _explain_tolerated(reporter: pytest.TerminalReporter) -> None:
    reports = reporter.stats.get(TOLERATED, [])
    if not reports:
        return
    reporter.section("tolerated failures")
    for report in reports:
        reporter.line(report.nodeid, yellow=True)
        for line in str(report.longrepr).splitlines():
            reporter.line(line, **_colour_of(line))
        reporter.line("")


def _list_threads(reporter: pytest.TerminalReporter, verdict: GateVerdict, entries: Mapping[str, Entry]) -> None:
    """One line per thread; in a long run only those that did not pass, worst first."""
    everything = len(verdict.scores) <= _THREADS_LISTED or reporter.config.get_verbosity() > 0
    listed = verdict.scores if everything else verdict.not_passed[:_THREADS_LISTED]
    width = min(40, max((len(score.thread_id) for score in listed), default=0))
    tolerated = {score.thread_id for score in verdict.tolerated}
    for score in listed:
        reporter.line(_thread_line(score, entries[score.thread_id], width, tolerated), **_COLOURS[score.outcome])
    left = len(verdict.not_passed) - len(listed)
    if not everything and left > 0:
        reporter.line(f"... and {left} more that did not pass")


def _thread_line(score: ThreadScore, entry: Entry, width: int, tolerated: set[str]) -> str:
    record = entry.record
    outcome = f"{TOLERATED if score.thread_id in tolerated else score.outcome:{10 if tolerated else 8}}"
    text = f"{outcome}{_name(score):{width}}  "
    if record.outcome:
        text += f"{record.turns} turn{'s' * (record.turns != 1)}, {record.calls} call{'s' * (record.calls != 1)}"
    if record.failing_turns and record.outcome:
        text += f", {record.failing_turns} turn{'s' * (record.failing_turns != 1)} not passed"
    if record.repetitions > 1:
        text += f", {_runs(score, record.pass_runs)}"
    return text.rstrip()


def _runs(score: ThreadScore, pass_runs: int) -> str:
    passed = sum(outcome is Outcome.PASSED for outcome in score.runs)
    return f"{passed} of {score.repetitions} runs passed, {pass_runs} must: {Label.of(score.runs)}"


def _name(score: ThreadScore) -> str:
    return shorten(printable(score.thread_id))


def _summarize_group(reporter: pytest.TerminalReporter, group: str, verdict: GateVerdict) -> None:
    colour_of_verdict = {"green": True} if verdict.passed else {"red": True}
    reporter.line(summary_line(group, verdict), bold=True, **colour_of_verdict)
    if repeated := repetitions_line(verdict):
        reporter.line(f"  {repeated}")
    for reason in verdict.reasons:
        reporter.line(f"  because {reason}", red=True)
    for warning in verdict.warnings:
        reporter.line(f"  warning: {warning}", yellow=True)
    if verdict.not_passed:
        names = [_name(score) for score in verdict.not_passed[:_NAMED]]
        left = len(verdict.not_passed) - len(names)
        reporter.line(f"  not passed, worst first: {', '.join(names)}{f' and {left} more' if left else ''}")


def _rerun_command(run: Run, entries: Mapping[str, Entry], failing: list[ThreadScore]) -> str:
    """Word the command that runs just the failing threads again."""
    nodes: dict[str, list[str]] = defaultdict(list)
    for entry in entries.values():
        nodes[entry.record.thread_id].append(entry.record.node_id)
    node_ids = [node_id for score in failing for node_id in sorted(nodes[score.thread_id])]
    few = len(node_ids) <= _RERUN_LISTED
    paths = node_ids if few else [*run.paths, "--lf"]
    by_path_alone = few and not run.feeds_tests and all(s.shown.endswith(EVALSET_SUFFIX) for s in run.eval_sets)
    words = ["pytest", *options_in_force(run.config, with_eval_sets=not by_path_alone), *paths]
    return " ".join(shlex.quote(word) for word in words)
