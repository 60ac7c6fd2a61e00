"""Every form of report, over runs of every kind."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import junitparser
import pytest
import xmlschema
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.report.run_files import HOSTILE, RUNS, hostile_run, many_threads
from tests.runs.made import made_run, made_thread
from tests.test_workflow_commands import forged
from trajectory.json_values import printable
from trajectory.report.forms import FORMS, form_of, render
from trajectory.report.terminal import terminal_report
from trajectory.runs.comparison import Comparison, compare

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

MANY = many_threads()
SCHEMA = xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OWN_HTML = {"<sub>", "</sub>", "</details>"}
SNAPPED = [form for form in FORMS if form != "html"]
TEXTS = st.text(
    st.sampled_from("ab`|<>@#:~*_[]()!/\\&\"'$- \t\n\r\x00\x07\x1b\x7f\x85\x9b\u2028\u202e\ud800\ufffe\U0010ffff")
)


def changes(text: str = "x") -> Comparison:
    """A comparison in which every kind of change occurs."""
    before = [
        made_thread(f"{text}{name}", runs)
        for name, runs in zip("abcdefg", ("p", "f", "pp", "p", "e", "p", "p"), strict=True)
    ]
    now = [
        made_thread(f"{text}{name}", runs) for name, runs in zip("abcdeh", ("f", "p", "pf", "p", "p", "p"), strict=True)
    ]
    now[3] = now[3].model_copy(update={"content_hash": "other"})
    return compare(made_run(*now, also=(f"{text}f",)), made_run(*before))


def structure(text: str) -> list[str]:
    """The blocks and spans of a Markdown text, without what is code."""
    found = []
    for token in MARKDOWN.parse(text):
        found.append(token.type)
        for child in token.children or ():
            shown = child.content if child.type in {"text", "html_inline"} else ""
            found.append(f"{child.type} {shown}")
        if token.type == "html_block":
            found.append(token.content.partition("<code>")[0])
    return found


@pytest.mark.parametrize("form", SNAPPED)
@pytest.mark.parametrize("name", RUNS)
def test_reports(name: str, form: str, snapshot: SnapshotAssertion) -> None:
    assert render(RUNS[name], form) == snapshot


@pytest.mark.parametrize("form", SNAPPED)
def test_what_changed(form: str, snapshot: SnapshotAssertion) -> None:
    assert render(RUNS["failing"], form, changes()) == snapshot


@pytest.mark.parametrize("form", FORMS)
def test_thousands_of_threads(form: str) -> None:
    began = time.perf_counter()
    text = render(MANY, form)
    assert time.perf_counter() - began < 5
    assert {"text": 700, "markdown": 60_000, "github": 60_000}.get(form, 0) == 0 or len(text) <= 60_000


@pytest.mark.parametrize("run", [*RUNS.values(), MANY], ids=[*RUNS, "many"])
def test_junit_is_what_its_readers_expect(run: object) -> None:
    text = render(run, "junit")  # type: ignore[arg-type]
    SCHEMA.validate(text)
    read = junitparser.JUnitXml.fromstring(text.encode())
    assert [suite.tests for suite in read] == [len(list(suite)) for suite in read]


def test_junit_says_failure_error_and_skipped() -> None:
    found = {
        name: [child.tag for child in ET.fromstring(render(RUNS[name], "junit")).findall("testsuite/testcase/*")]
        for name in ("failing", "errors", "skipped", "passing")
    }
    assert found["failing"].count("failure") == 3  # two threads and the gate
    assert "error" in found["errors"]
    assert "skipped" in found["skipped"]
    assert set(found["passing"]) == {"system-out"}


@pytest.mark.parametrize("name", ["failing", "errors", "skipped", "halted", "incomplete", "empty", "breached"])
def test_a_run_that_did_not_pass_is_nowhere_green(name: str) -> None:
    run = RUNS[name]
    root = ET.fromstring(render(run, "junit"))
    assert int(root.get("failures", 0)) + int(root.get("errors", 0)) > 0
    assert render(run, "github").startswith("::error ")
    assert render(run, "markdown").splitlines()[0] in {"### trajectory: failed", "### trajectory: not evaluated"}
    assert json.loads(render(run, "json"))["standing"] != "passed"
    assert any(line.startswith(("FAILED", "NOT EVALUATED")) for line in render(run, "text").splitlines())


# ------------------------------------------------------------------------------------------------------------- hostile


@given(TEXTS)
@example(HOSTILE)
@settings(max_examples=40)
def test_nothing_recorded_acts(text: str) -> None:
    run, told = hostile_run(text), changes(text)
    for form in FORMS:
        shown = render(run, form, told)
        assert printable(shown.replace("\n", "")) == shown.replace("\n", "")
        assert form == "github" or not any(forged(line) for line in shown.split("\n"))
    ET.fromstring(render(run, "junit"))
    json.loads(render(run, "json", told))


@given(TEXTS.filter(lambda text: bool(text.strip()) and printable(text).strip() == printable(text)))
@example(HOSTILE.replace("\n\n", "\n"))
@settings(max_examples=40)
def test_markdown_has_the_structure_that_it_has_without_the_recorded(text: str) -> None:
    one = text.replace("\n\n", "\n").strip("\n") or "x"
    assert structure(render(hostile_run(one), "markdown", changes(one))) == structure(
        render(hostile_run("x"), "markdown", changes("x"))
    )


@given(TEXTS)
@example(HOSTILE)
@settings(max_examples=40)
def test_github_gets_the_commands_that_it_gets_without_the_recorded(text: str) -> None:
    def commands(text: str) -> list[str]:
        return [line.partition(" ")[0] for line in render(hostile_run(text), "github").splitlines()]

    assert commands(text) == commands("x")


@pytest.mark.parametrize("name", RUNS)
def test_a_terminal_gets_80_columns(name: str) -> None:
    lines = terminal_report(RUNS[name], changes()).splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("rerun: ")] == [] or name == "hostile"


def test_colours_are_the_only_escape_sequences() -> None:
    plain, coloured = terminal_report(RUNS["hostile"]), terminal_report(RUNS["hostile"], colour=True)
    assert "\x1b[31m" in coloured
    assert "\x1b" not in plain


# --------------------------------------------------------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("a.txt", "text"),
        ("a.JSON", "json"),
        ("x/y.xml", "junit"),
        ("a.md", "markdown"),
        ("a.html", "html"),
        ("a", None),
        ("a.yaml", None),
    ],
)
def test_the_form_that_a_file_asks_for(file: str, form: str | None) -> None:
    assert form_of(file) == form
