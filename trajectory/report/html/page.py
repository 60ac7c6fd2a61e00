"""The page: template, style and script, put together into one text."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from trajectory.report.html.data import page_data
from trajectory.report.html.engine import Environment, Markup, StrictUndefined, Template
from trajectory.report.html.escaping import in_fragment, markup, script_json
from trajectory.report.html.overview import overview

if TYPE_CHECKING:
    from trajectory.runs import RunFile
    from trajectory.runs.comparison import Comparison

_SCRIPTS: Final = ("dom.js", "values.js", "state.js", "list.js", "turn.js", "thread.js", "keys.js")
"""The script of the page, part by part."""


def html_report(run: RunFile, comparison: Comparison | None = None) -> str:
    """Write a run as one self-contained HTML page.

    The page asks for nothing over a network, runs no code but its own, and shows whatever was recorded as text.

    Args:
        run: The run.
        comparison: What changed since a baseline, to be shown beside it.

    Returns:
        The page, to be written as UTF-8.
    """
    style = _file("page.css")
    script = f"(() => {{\n{''.join(map(_file, _SCRIPTS))}}})();"
    return _template().render(
        overview(run, comparison),
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(script_json(page_data(run, comparison))),
    )


def _policy(style: str, script: str) -> str:
    """Allow this style and this script, and nothing else at all."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["in_fragment"] = in_fragment
    return environment.from_string(_file("page.html"))


def _shown(value: Any) -> Any:
    """Escape all that the template puts in, except what is markup of this package."""
    return markup(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@lru_cache(maxsize=16)
def _file(name: str) -> str:
    return resources.files("trajectory.report.html").joinpath(f"parts/{name}").read_text("utf-8")
