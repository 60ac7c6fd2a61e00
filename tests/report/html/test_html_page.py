"""The page as a text: whole, self-contained, and the same whatever was recorded."""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import re
import sys
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.report.run_files import BAD, HOSTILE, RUNS, hostile_run, many_threads, recorded, run_of
from tests.runs.made import made_run, made_thread
from trajectory.cli import main
from trajectory.errors import ConfigurationError
from trajectory.evaluations import Outcome
from trajectory.report.html import html_report
from trajectory.running import Label
from trajectory.runs import EvalSetEntry, RunFile, ThreadEntry, save_run
from trajectory.runs.comparison import compare

VOID = {"meta", "input", "br", "hr", "img", "link", "col", "wbr"}
TEXTS = st.text(
    st.sampled_from("ab<>&\"'/=!-`{}%#:; \t\n\r\x00\x07\x1b\x7f\x9b\u2028\u202e\ud800\ufffe\U0010ffff"),
    min_size=1,
    max_size=30,
)


class Page(HTMLParser):
    """The elements of a page with their attributes and texts; fails on one that is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]][-1] += data

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] or "" for _, attributes in self.elements if attribute in attributes]


def whole() -> RunFile:
    """A run in which every part of the page has something to show."""
    threads = (
        recorded("half", *BAD),
        recorded("lamp", [], [], [], [], repetitions=2),
        made_thread("empty", "s"),
        made_thread("odd", "e", tags=("slow",), description="What it is about"),
    )
    facts = {"warnings": ("a warning on the run",), "notes": ("a note of a reader",), "breaches": ("a breach",)}
    return run_of(*threads, passed=False, halted="halted on its budget", complete=False, selected=9, **facts)


def before() -> RunFile:
    """A baseline in which a thread passed that fails now, and one that is no longer there."""
    half = whole().threads[0]
    passed = {"outcome": Outcome.PASSED, "label": Label.STABLE_PASS}
    runs = tuple(run.model_copy(update={"outcome": Outcome.PASSED}) for run in half.runs)
    return made_run(half.model_copy(update={**passed, "runs": runs}), made_thread("gone"))


SAID = html_report(whole(), compare(whole(), before()))


@pytest.mark.parametrize("name", RUNS)
def test_a_page_is_well_formed(name: str) -> None:
    page = Page(html_report(RUNS[name], compare(RUNS[name], RUNS["flaky"])))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for reference in page.values("aria-labelledby"):
        assert reference in {*ids, "thread-title"}  # which the script makes


def test_a_page_asks_for_nothing_and_runs_nothing_of_others() -> None:
    page = Page(SAID)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "srcset", "style", "action", "formaction", "data", "poster", "background", "ping"}
    assert not any(name.startswith("on") for name in names)
    assert all(address.startswith("#") for address in page.values("href"))
    assert not {"link", "img", "iframe", "object", "embed", "base"} & {tag for tag, _ in page.elements}
    assert "url(" not in SAID
    assert "@import" not in SAID


def test_the_policy_allows_the_style_and_the_script_of_the_page_alone() -> None:
    page = Page(SAID)
    (policy,) = (value for _, found in page.elements if (value := found.get("content")) and "default-src" in value)
    directives = dict(part.split(maxsplit=1) for part in policy.split("; "))
    assert directives["default-src"] == "'none'"
    (style,), (data, script) = page.texts["style"], page.texts["script"]
    assert directives["style-src"] == f"'{digest(style)}'"
    assert directives["script-src"] == f"'{digest(script)}'"
    assert directives["trusted-types"] == "'none'"
    json.loads(data)


def digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_script_never_makes_markup_of_text() -> None:
    (_, script) = Page(SAID).texts["script"]
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "http",
    ):
        assert word not in script


@given(TEXTS)
@example(HOSTILE)
@example("</script><script>alert(1)</script>")
@example("</noscript><img src=x onerror=alert(1)>")
@example("{{ 7 * 7 }}{% raw %}")
@settings(max_examples=40)
def test_the_page_is_built_the_same_whatever_was_recorded(text: str) -> None:
    other = compare(made_run(made_thread(f"{text}a", "f")), made_run(made_thread(f"{text}a"), made_thread(f"{text}b")))
    plain = compare(made_run(made_thread("xa", "f")), made_run(made_thread("xa"), made_thread("xb")))
    built = html_report(hostile_run(text, command=()), other)
    assert shape(built) == shape(html_report(hostile_run("x", command=()), plain))


def shape(text: str) -> list[tuple[str, set[str]]]:
    return [(tag, set(attributes)) for tag, attributes in Page(text).elements if tag != "rect"]


@pytest.mark.parametrize(
    "words",
    [
        "halted on its budget",
        "the run is not complete: 4 of 9 threads came to an end",
        "a breach",
        "1 of 2 threads passed, 2 must",
        "warning: a pass rate of 0.9 over 2 threads means all of them",
        "warning: a warning on the run",
        "a note of a reader",
        "agent shop:agent",
        "1.5 s, 1,234 tokens, 0.5 USD",
        "2026-12-01 00:00:00 UTC",
        "trajectory run x.evalset.json --agent shop:agent --thread",
        "1 newly failing",
        "gone</bdi>: removed, was passed",
        "not evaluated",
    ],
)
def test_the_overview_says_it(words: str) -> None:
    assert words in SAID


def test_without_scripts_the_threads_that_did_not_pass_are_told_worst_first() -> None:
    told = SAID.partition("<noscript>")[2].partition("</noscript>")[0]
    places = [told.index(f"<bdi>{name}</bdi>") for name in ("lamp", "odd", "half")]
    assert places == sorted(places)
    assert "+ 2 unexpected: notify" in told
    assert "empty" not in told


def test_the_data_hold_what_the_run_file_holds() -> None:
    thread, other, *_ = page_threads(RUNS["failing"])
    assert (thread["id"], thread["outcome"], thread["rank"]) == ("lamp", "failed", 1)
    assert (other["id"], other["rank"]) == ("vase", 2)
    turn = thread["runs"][0]["turns"][1]
    assert turn["expected"]["calls"][0]["arguments"] == {"sku": "LAMP", "quantity": 2}
    assert turn["match"]["steps"][0]["differences"] == [{"pointer": "/quantity", "expected": 2, "actual": 3}]
    assert turn["match"]["expected"] == [0]


def test_what_was_recorded_stands_once_for_all_runs() -> None:
    (thread,) = page_threads(RUNS["flaky"])
    assert [["expected" in turn for turn in run["turns"]] for run in thread["runs"]] == [
        [True, True],
        *[[False, False]] * 2,
    ]


def test_the_run_that_is_shown_is_the_first_with_the_outcome_of_the_thread() -> None:
    assert [thread["shown"] for thread in page_threads(made_run(made_thread("a", "fppf", pass_runs=2)))] == [1]


def page_threads(run: RunFile) -> list[dict[str, Any]]:
    threads: list[dict[str, Any]] = json.loads(Page(html_report(run)).texts["script"][0])["threads"]
    return threads


def test_a_page_is_not_larger_than_its_run_file() -> None:
    run = many_threads()
    assert len(html_report(run)) < len(run.model_dump_json())
    assert len(html_report(RUNS["empty"])) < 100_000


def test_what_was_in_force_is_said_for_each_eval_set() -> None:
    strict = RUNS["passing"].threads[0].settings
    subset = {**strict, "match_mode": "SUBSET"}
    differing = said_of_sets(
        made_thread("a", eval_set="a", settings=strict), made_thread("b", eval_set="b", settings=subset)
    )
    assert [differing.count(f"{mode}, exact arguments, pass rate 1") for mode in ("STRICT", "SUBSET")] == [1, 1]
    assert "differs between eval sets: see below" in differing
    alike = said_of_sets(
        made_thread("a", eval_set="a", settings=strict), made_thread("b", eval_set="b", settings=strict)
    )
    assert alike.count("STRICT, exact arguments, pass rate 1") == 3


def said_of_sets(*threads: ThreadEntry) -> str:
    return html_report(made_run(*threads, eval_sets=tuple(EvalSetEntry(path=one.eval_set) for one in threads)))


def test_a_title_names_no_more_than_three_eval_sets() -> None:
    sets = tuple(EvalSetEntry(path=f"{name}.json", name=name * (name != "b")) for name in "abcde")
    assert "<h1><bdi>a, b.json, c and 2 more</bdi></h1>" in html_report(made_run(eval_sets=sets))


def test_only_the_first_newly_failing_threads_are_named_above() -> None:
    names = [f"thread-{number:02}" for number in range(12)]
    now = made_run(*(made_thread(name, "f") for name in names))
    said = html_report(now, compare(now, made_run(*map(made_thread, names)))).partition("<noscript>")[0]
    assert [f"<bdi>{name}</bdi>" in said for name in names] == [True] * 10 + [False] * 2
    assert "and 2 more newly failing" in said


def test_newly_failing_threads_rank_first() -> None:
    now = made_run(made_thread("old", "f"), made_thread("new", "f"), made_thread("good"))
    told = compare(now, made_run(made_thread("old", "f"), made_thread("new"), made_thread("good")))
    threads = json.loads(Page(html_report(now, told)).texts["script"][0])["threads"]
    assert {thread["id"]: thread["rank"] for thread in threads} == {"new": 0, "old": 1, "good": 2}


# -------------------------------------------------------------------------------------------------------------- colours

PAIRS = [
    *(
        (ink, ground)
        for ink in ("ink", "quiet", "accent", "bad", "good", "odd", "warn")
        for ground in ("ground", "sheet")
    ),
    *((ink, "sunk") for ink in ("ink", "quiet")),
    *((ink, f"{ink}-ground") for ink in ("good", "bad", "odd", "warn")),
]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_text_has_the_contrast_of_wcag_aa(ink: str, ground: str, theme: int) -> None:
    style = resources.files("trajectory.report.html").joinpath("parts/page.css").read_text("utf-8")
    colours = {name: pair[theme] for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", style)}
    one, other = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
    assert (one + 0.05) / (other + 0.05) >= 4.5


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[begin : begin + 2], 16) / 255 for begin in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


# ----------------------------------------------------------------------------------------------------------- the extra


@pytest.fixture
def without_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in [name for name in sys.modules if name.startswith("trajectory.report.html")]:
        monkeypatch.delitem(sys.modules, name)


def test_without_the_extra_it_is_said_how_to_get_it(without_jinja: None) -> None:
    with pytest.raises(ConfigurationError, match=r"pip install 'pytest-trajectory\[html\]'"):
        importlib.import_module("trajectory.report.html")


def test_the_command_says_it_too(without_jinja: None, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    save_run(RUNS["passing"], tmp_path / "run.json")
    assert main(["report", str(tmp_path / "run.json"), "-o", str(tmp_path / "run.html")]) == 2
    assert "needs the package jinja2" in capsys.readouterr().err
    assert not (tmp_path / "run.html").exists()
