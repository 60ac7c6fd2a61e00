"""The forms in which a run can be reported."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from trajectory.report.github import github_report
from trajectory.report.json_summary import json_summary
from trajectory.report.junit import junit_report
from trajectory.report.markdown import markdown_report
from trajectory.report.terminal import terminal_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.runs import RunFile
    from trajectory.runs.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Form:
    """A form of report.

    Attributes:
        name: What it is called.
        suffix: How a file of this form ends; empty for a form that is printed.
        write: Makes the report of a run, and of what changed since a baseline.
    """

    name: str
    suffix: str
    write: Callable[[RunFile, Comparison | None], str]


def _html_report(run: RunFile, comparison: Comparison | None) -> str:
    from trajectory.report.html import html_report  # noqa: PLC0415 - needs an extra

    return html_report(run, comparison)


FORMS: Final = {
    form.name: form
    for form in (
        Form("text", ".txt", terminal_report),
        Form("json", ".json", json_summary),
        Form("junit", ".xml", junit_report),
        Form("markdown", ".md", markdown_report),
        Form("html", ".html", _html_report),
        Form("github", "", github_report),
    )
}


def form_of(file: str) -> str | None:
    """Tell the form that the name of a file asks for; ``None`` when it asks for none."""
    suffix = PurePath(file).suffix.lower()
    return next((form.name for form in FORMS.values() if suffix and form.suffix == suffix), None)


def require(form: str) -> None:
    """Make sure that reports of a form can be made here, before the work on which there is something to report.

    Args:
        form: The name of a form.

    Raises:
        ConfigurationError: The form needs an extra that is not installed.
    """
    if form == "html":
        import_module("trajectory.report.html")


def render(run: RunFile, form: str, comparison: Comparison | None = None) -> str:
    """Report a run.

    Args:
        run: The run.
        form: The name of a form.
        comparison: What changed since a baseline.

    Returns:
        The report.

    Raises:
        KeyError: There is no such form.
    """
    return FORMS[form].write(run, comparison)
