"""``trajectory calibrate``: how far a judge agrees with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajectory.calibrating import calibrate, load_labelled_answers
from trajectory.chosen_rules import read_rule_text
from trajectory.cli.main import ExitCode
from trajectory.errors import ConfigurationError
from trajectory.evaluations.judged import NO_JUDGE
from trajectory.judges import JudgeCache, JudgeInForce, as_judge
from trajectory.judges.settings import read_judge_settings
from trajectory.replay.importing import import_agent
from trajectory.statistics import wilson

if TYPE_CHECKING:
    from trajectory.judges.calibration import Calibration

_ERRORS_SHOWN = 5
_SHARE = click.FloatRange(0, 1)


@click.command("calibrate")
@click.argument("labels", metavar="LABELS")
@click.option(
    "--rule", required=True, metavar="NAME[:KEY=VALUE,...]", help="The rule whose question is put to the judge."
)
@click.option("--judge", metavar="MODULE:ATTRIBUTE", help="The judge; without this, the endpoint that is configured.")
@click.option("--judge-cache", metavar="FILE", help="Keep the answers of the judge in this file.")
@click.option("--min-agreement", type=_SHARE, help="Fail when the judge agrees with people less often than this.")
@click.option("--max-false-pass-rate", type=_SHARE, help="Fail when it lets more of the bad answers pass than this.")
def command(  # noqa: PLR0913, PLR0917 - the options
    labels: str,
    rule: str,
    judge: str | None,
    judge_cache: str | None,
    min_agreement: float | None,
    max_false_pass_rate: float | None,
) -> int:
    """Measure a judge before trusting it: put answers before it that people have labelled.

    LABELS is a file of JSON Lines, or a JSON array, of {"query", "response", "label": "pass", "fail" or a score from 0
    to 1}; "expected" and "evidence" may stand beside them. Exit codes: 0 measured, 1 worse than was asked for, 2 bad input, 3 some answers
    could not be judged.

    \b
    Examples:
      trajectory calibrate labels.jsonl --rule helpfulness
      trajectory calibrate labels.jsonl --rule accuracy:threshold=0.9 --judge judges:strict --max-false-pass-rate 0.05
    """
    answers = load_labelled_answers(labels)
    in_force = _judge(judge, judge_cache)
    found = calibrate(in_force, read_rule_text(rule), answers)
    for line in _lines(found, len(answers)):
        click.echo(line)
    wrong = _breaches(found, min_agreement, max_false_pass_rate)
    for line in wrong:
        click.echo(line, err=True)
    if found.errors:
        return ExitCode.NOT_EVALUATED
    return ExitCode.FAILED if wrong else ExitCode.PASSED


def _judge(reference: str | None, cache: str | None) -> JudgeInForce:
    if reference:
        given: Any = import_agent(reference, folder=Path.cwd(), what="judge")
        found = JudgeInForce(as_judge(given), {"judge": reference})
    else:
        settings = read_judge_settings(pyproject=Path("pyproject.toml"))
        if settings is None:
            raise ConfigurationError(f"calibrate: {NO_JUDGE}")
        from trajectory.judges.http import HttpJudge

        found = JudgeInForce(HttpJudge(settings), settings.identity)
    if cache:
        found.cache = JudgeCache(cache)
    return found


def _lines(found: Calibration, answers: int) -> list[str]:
    agree = [rating.label == rating.passes for rating in found.ratings]
    false_passes = [rating.passes for rating in found.ratings if not rating.label]
    false_fails = [not rating.passes for rating in found.ratings if rating.label]
    lines = [
        f"judged            {len(found.ratings)} of {answers} answers",
        f"agreement         {_share(agree, 'answers that were judged')}",
        f"Cohen's kappa     {_number(found.kappa, 'people gave only one label')}",
        f"false-pass rate   {_share(false_passes, 'answers that people fail')}",
        f"false-fail rate   {_share(false_fails, 'answers that people let pass')}",
        f"bias by length    {_number(found.length_bias, 'scores or lengths do not vary within a label')}",
    ]
    lines += [f"not judged: {problem}" for problem in found.errors[:_ERRORS_SHOWN]]
    left = len(found.errors) - _ERRORS_SHOWN
    return [*lines, *([f"... and {left} more"] if left > 0 else [])]


def _share(hits: list[bool], of: str) -> str:
    """Write a share with its counts, and between what bounds it lies: a few answers tell little."""
    bounds = wilson(sum(hits), len(hits))
    if bounds is None:
        return f"not known: there are no {of}"
    share = f"{_percent(sum(hits) / len(hits))}, {sum(hits)} of the {len(hits)} {of}"
    return f"{share} (95 %: {_percent(bounds[0])} to {_percent(bounds[1])})"


def _percent(share: float | None) -> str:
    return "not known" if share is None else f"{share:.1%}"


def _number(value: float | None, why_not: str) -> str:
    return f"not known: {why_not}" if value is None else f"{value:+.2f}"


def _breaches(found: Calibration, min_agreement: float | None, max_false_pass_rate: float | None) -> list[str]:
    lines = []
    if min_agreement is not None and (found.agreement is None or found.agreement < min_agreement):
        lines.append(f"the agreement is {_percent(found.agreement)}, at least {min_agreement:.1%} required")
    rate = found.false_pass_rate
    if max_false_pass_rate is not None and (rate is None or rate > max_false_pass_rate):
        lines.append(f"the false-pass rate is {_percent(rate)}, at most {max_false_pass_rate:.1%} allowed")
    return lines
