"""The options that ``run`` and ``check`` share, and what both do with a finished run."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trajectory.atomic import replace_file
from trajectory.cli.main import ExitCode
from trajectory.errors import ConfigurationError
from trajectory.report.facts import Standing, standing
from trajectory.report.forms import FORMS, form_of, render, require
from trajectory.report.progress import Progress
from trajectory.report.terminal import terminal_report
from trajectory.setting_options import LIVE_ONLY, SETTING_OPTIONS, SettingOption, read_options
from trajectory.suite import LiveWork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trajectory.runs import ThreadEntry
    from trajectory.settings import Settings
    from trajectory.suite import Finished, RecordedWork

_Command = TypeVar("_Command", bound="Callable[..., Any]")

CODES = {
    Standing.PASSED: ExitCode.PASSED,
    Standing.FAILED: ExitCode.FAILED,
    Standing.NOT_EVALUATED: ExitCode.NOT_EVALUATED,
}


def setting_options(*, live: bool) -> list[SettingOption]:
    """List the options that state settings; for recorded runs without those on how an agent is run."""
    return [option for option in SETTING_OPTIONS if live or option.key not in LIVE_ONLY]


def with_settings(*, live: bool) -> Callable[[_Command], _Command]:
    """Give a command the options that state settings; they are those of pytest, by the same names."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(setting_options(live=live)):
            command = declared(option)(command)
        return command

    return decorate


def declared(option: SettingOption) -> Callable[[_Command], _Command]:
    """Make an option of a command of one that states a setting."""
    text = f"{option.text[0].upper()}{option.text[1:]}{'; may be repeated' if option.repeatable else ''}."
    if not option.metavar:
        return click.option(option.flag, option.dest, is_flag=True, help=text)
    return click.option(option.flag, option.dest, metavar=option.metavar, multiple=option.repeatable, help=text)


def read_settings_of(given: Mapping[str, Any], *, live: bool) -> Settings:
    """Read what the options state, and take them out of what was given.

    Raises:
        ConfigurationError: One of them states something wrong.
    """
    stated = []
    for option in setting_options(live=live):
        value = given[option.dest]
        if option.metavar:
            stated.append((option, ([*value] or None) if option.repeatable else value))
        else:
            stated.append((option, option.switch if value else None))
    return read_options(stated, by_flag=True)


def common_options(command: _Command) -> _Command:
    """Give a command the options on which threads are run, and what becomes of the results."""
    for declare in reversed(
        (
            click.option("--thread", "threads", metavar="ID", multiple=True, help="Only this thread; may be repeated."),
            click.option(
                "--evalset-tag",
                "tags",
                metavar="TAG",
                multiple=True,
                help="Only threads with this tag; may be repeated.",
            ),
            click.option("--results", metavar="FILE", help="Write what every thread came to into this file."),
            click.option(
                "--report",
                "reports",
                metavar="FILE",
                multiple=True,
                help="Also write a report; its form is that of the suffix: .txt .json .xml .md .html. May be repeated.",
            ),
            click.option(
                "--compare", metavar="BASELINE", help="Say what changed since this baseline (an accepted run)."
            ),
            click.option(
                "--fail-on",
                metavar="WHAT",
                help="any (as ever), or regression: only threads that fail newly keep the run from passing.",
            ),
            click.option("--judge", metavar="MODULE:ATTRIBUTE", help="The LLM judge, for rules that ask one."),
            click.option("--judge-cache", metavar="FILE", help="Keep the answers of the judge in this file."),
            click.option("--color/--no-color", default=None, help="Colours or none; without this, on a terminal."),
        )
    ):
        command = declare(command)
    return command


def check_reports(reports: Sequence[str]) -> None:
    """Refuse reports that could not be written in the end, before anything is run.

    Raises:
        ConfigurationError: The name of one tells no form, its form needs an extra, there is no such folder, or it
            is a folder itself.
    """
    for file in reports:
        form = form_of(file)
        if form is None:
            suffixes = ", ".join(one.suffix for one in FORMS.values() if one.suffix)
            raise ConfigurationError(f"--report {file}: expected a name that ends in {suffixes}")
        require(form)
        if not Path(file).parent.is_dir():
            raise ConfigurationError(
                f"--report {file}: the report cannot be written: there is no folder {Path(file).parent}"
            )
        if Path(file).is_dir():
            raise ConfigurationError(f"--report {file}: the report cannot be written: this is a folder")


@contextmanager
def progress_of(work: LiveWork | RecordedWork) -> Iterator[Callable[[ThreadEntry], None]]:
    """Show how far a run is, on the terminal of the error stream and nowhere else.

    Yields:
        What is to be told of every thread that came to its end.
    """
    progress = Progress(sys.stderr, sum(len(one.threads) for one in work.checker.eval_sets), work.budget)
    if isinstance(work, LiveWork):
        work.on_begin = progress.begin
    try:
        yield lambda entry: progress.end((entry.eval_set, entry.id), entry.outcome)
    finally:
        progress.close()


def refuse_overwriting(given: Mapping[str, Any], read: Iterable[Path]) -> None:
    """Refuse to write results or a report into a file that is read, or both into one.

    Args:
        given: The options.
        read: The files that are read beside those that options name.

    Raises:
        ConfigurationError: An option names such a file.
    """
    named = (given[name] for name in ("compare", "judge_cache") if given[name])
    taken = {path.resolve(): "read" for path in (*read, *map(Path, named))}
    results = [("--results", given["results"])] if given["results"] else []
    for option, file in [*results, *(("--report", one) for one in given["reports"])]:
        use = taken.setdefault(Path(file).resolve(), "")
        if use:
            raise ConfigurationError(f"{option} {file}: this file is {use} in the same run; name another one")
        taken[Path(file).resolve()] = "written"


def conclude(finished: Finished, reports: Sequence[str], *, color: bool | None) -> int:
    """Print a finished run, write its reports, and tell the exit code.

    Raises:
        ConfigurationError: A report cannot be written.
    """
    on = color if color is not None else sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print_report(terminal_report(finished.run, finished.comparison, colour=on), colour=on)
    for file in reports:
        write_report(file, render(finished.run, form_of(file) or "text", finished.comparison))
    if finished.interrupted:
        click.echo("interrupted", err=True)
    return CODES[standing(finished.run)]


def print_report(text: str, *, colour: bool | None = None) -> None:
    """Print a report; who reads it may have had enough in the middle, and the exit code is the same."""
    try:
        click.echo(text, nl=False, color=colour)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python fails to write the rest at its end


def write_report(file: str, text: str) -> None:
    """Write a report, whole or not at all.

    Raises:
        ConfigurationError: It cannot be written.
    """
    try:
        replace_file(Path(file), text.encode())
    except OSError as problem:
        raise ConfigurationError(f"{file}: the report cannot be written: {problem.strerror}") from None


def words_of(command: str, given: Mapping[str, Any], positional: Sequence[str], *, live: bool) -> tuple[str, ...]:
    """Give the words that start a run again: those that decide what a thread comes to."""
    words = ["trajectory", command, *positional]
    for name in ("agent", "pair_by", "judge", "judge_cache", "prices", "compare", "fail_on"):
        if given.get(name):
            words += [f"--{name.replace('_', '-')}", given[name]]
    words += ["--allow-unmatched"] * bool(given.get("allow_unmatched"))
    for option in setting_options(live=live):
        value = given[option.dest]
        if value and option.metavar:
            words += [word for one in (value if option.repeatable else [value]) for word in (option.flag, one)]
        elif value:
            words.append(option.flag)
    return tuple(words)
