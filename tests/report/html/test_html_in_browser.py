"""The page in a browser; needs the extra ``browser-test`` and Chromium on the path."""

from __future__ import annotations

import json
import re
import shutil
import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.report.run_files import BAD, GOOD, HOSTILE, RUNS, hostile_run, many_threads, recorded, run_of
from tests.runs.made import made_run, made_thread
from trajectory.report.html import html_report
from trajectory.runs.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajectory.runs import RunFile
    from trajectory.runs.comparison import Comparison

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of the pipe to the browser
]
PATIENCE: Final = 10
"""Seconds."""
ARGUMENTS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def shop() -> RunFile:
    """Threads of every outcome, with tags."""
    big = recorded("big", *BAD)
    return run_of(
        recorded("good", *GOOD).model_copy(update={"tags": ("smoke",)}),
        big.model_copy(update={"tags": ("money", "slow"), "description": "Two lamps & a <b>vase</b>"}),
        recorded("wavers", *BAD, *GOOD, *GOOD, *GOOD, repetitions=4, pass_runs=2),
        recorded("dies", GOOD[0], None),
        made_thread("empty", "s"),
        passed=False,
    )


def shop_before() -> RunFile:
    """A baseline in which a thread failed that passes now."""
    return made_run(*(thread for thread in shop().threads if thread.id != "big"), made_thread("gone"))


@dataclass
class Opened:
    """A page of a report in the browser, and what it did that none should."""

    page: Any
    complaints: list[str] = field(default_factory=list)

    def complain(self, text: str) -> None:
        self.complaints.append(text)

    def asked(self, address: str, own: str) -> None:
        if address.partition("#")[0] != own:
            self.complain(f"a request: {address}")

    def rows(self) -> list[str]:
        return [text.strip() for text in self.page.locator("#list tbody th a").all_inner_texts()]

    def fragment(self) -> str:
        return str(self.page.evaluate("location.hash"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, condition: str) -> None:
        """Wait for a condition; the policy of the page lets playwright's own way of waiting evaluate nothing."""
        end = time.monotonic() + PATIENCE
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, condition
            self.page.wait_for_timeout(10)

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.textContent"))

    def title(self) -> str:
        return str(self.page.locator("#thread-title").inner_text())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Open the report of a run; at the end nothing may have been logged, thrown or asked for."""
    contexts, opened = [], []

    def opening(
        run: RunFile, comparison: Comparison | None = None, fragment: str = "", *, wide: int = 1280, **facts: Any
    ) -> Opened:
        file = tmp_path / "report.html"
        file.write_text(html_report(run, comparison), "utf-8")
        context = browser.new_context(viewport={"width": wide, "height": 900}, **facts)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        shown = Opened(context.new_page())
        opened.append(shown)
        shown.page.on("console", lambda message: shown.complain(message.text))
        shown.page.on("pageerror", lambda error: shown.complain(str(error)))
        shown.page.on("dialog", lambda dialog: shown.complain(f"a dialog: {dialog.message}"))
        shown.page.on("request", lambda asked: shown.asked(asked.url, file.as_uri()))
        shown.page.goto(file.as_uri() + fragment)
        return shown

    yield opening
    for context in contexts:
        context.close()
    assert [complaint for shown in opened for complaint in shown.complaints] == []


# --------------------------------------------------------------------------------------------------------------- the list


def test_the_worst_threads_come_first(show: Any) -> None:
    opened = show(shop())
    assert opened.rows() == ["big", "dies", "wavers", "empty", "good"]
    assert opened.page.locator("#found").inner_text() == "All 5 threads"


@pytest.mark.parametrize(
    ("fragment", "rows"),
    [
        ("#outcome=failed", ["big"]),
        ("#outcome=failed,error", ["big", "dies"]),
        ("#label=flaky", ["wavers"]),
        ("#tag=smoke", ["good"]),
        ("#rule=tool_trajectory&outcome=passed", ["wavers"]),
        ("#change=newly+failing", []),
        ("#q=VASE", ["big"]),
        ("#q=notify+two", ["big", "wavers"]),
        ("#set=nothing.json", []),
        ("#sort=id", ["big", "dies", "empty", "good", "wavers"]),
        ("#sort=-id", ["wavers", "good", "empty", "dies", "big"]),
        ("#nonsense=1&sort=nonsense", ["big", "dies", "wavers", "empty", "good"]),
    ],
)
def test_a_link_shows_what_it_says(show: Any, fragment: str, rows: list[str]) -> None:
    assert show(shop(), fragment=fragment).rows() == rows


def test_filters_by_mouse_stand_in_the_fragment(show: Any) -> None:
    opened = show(shop())
    chip = opened.page.get_by_role("button", name=re.compile("failed"))
    chip.click()
    assert (opened.rows(), opened.fragment()) == (["big"], "#outcome=failed")
    assert chip.get_attribute("aria-pressed") == "true"
    opened.page.get_by_role("button", name=re.compile("error")).click()
    assert opened.rows() == ["big", "dies"]
    opened.page.get_by_label("Tag").select_option("slow")
    assert (opened.rows(), opened.fragment()) == (["big"], "#outcome=failed%2Cerror&tag=slow")
    assert opened.page.locator("#found").inner_text() == "1 of 5 threads"
    opened.page.reload()
    assert opened.rows() == ["big"]
    opened.page.get_by_role("button", name="Clear all").click()
    assert (len(opened.rows()), opened.fragment()) == (5, "#all")


def test_a_search_waits_for_a_pause_and_says_what_it_found(show: Any) -> None:
    opened = show(shop())
    opened.press("/")
    opened.page.keyboard.type("no such thing")
    opened.until("location.hash.includes('no+such+thing')")
    assert opened.page.locator("#found").inner_text() == "No thread is like this: change or clear the filters."
    opened.page.get_by_role("searchbox").fill("")
    opened.until("document.querySelectorAll('#list tbody tr').length === 5")


def test_the_heads_of_columns_sort(show: Any) -> None:
    opened = show(shop())
    head = opened.page.get_by_role("columnheader", name="Thread")
    for direction, first in (("ascending", "big"), ("descending", "wavers")):
        head.get_by_role("button").click()
        opened.until(f"document.querySelector('[aria-sort={direction}]') !== null")
        assert (opened.rows()[0], head.get_attribute("aria-sort")) == (first, direction)


def test_what_changed_since_the_baseline(show: Any) -> None:
    opened = show(shop(), compare(shop(), shop_before()))
    opened.page.get_by_role("link", name="1 new").click()
    opened.until("location.hash === '#change=new'")
    assert opened.rows() == ["big"]
    assert "gone: removed, was passed" in opened.page.locator("#overview").text_content()


# ------------------------------------------------------------------------------------------------------------- one thread


def test_a_thread_shows_both_sides_and_what_differs(show: Any) -> None:
    opened = show(shop())
    opened.page.get_by_role("link", name="big").click()
    assert (opened.title(), opened.fragment()) == ("big", "#thread=big")
    assert opened.page.locator("#overview").is_hidden()
    turn = opened.page.locator("#turn-2")
    steps = turn.locator(".step")
    assert [text.split("\n")[0] for text in steps.locator(".kind").all_inner_texts()] == ["≠ differs", "+ unexpected"]
    differing = steps.first
    assert differing.locator(".expected mark").inner_text().endswith("2")
    assert differing.locator(".actual mark").inner_text().endswith("3")
    assert differing.locator(".differences li").text_content().split() == (
        ["/quantity", "expected", "2", "→", ",", "actual", "3"]
    )
    assert steps.nth(1).locator(".expected").inner_text().split("\n")[-1] == "no call"
    assert opened.page.locator("#turn-1").get_attribute("open") is None
    assert "tool trajectory" in turn.locator(".verdicts").inner_text()
    assert "Two lamps & a <b>vase</b>" in opened.page.locator("#thread > header").inner_text()


def test_the_browser_goes_back_to_the_list(show: Any) -> None:
    opened = show(shop(), fragment="#outcome=failed,error")
    opened.page.get_by_role("link", name="big").click()
    assert opened.page.locator("nav.path").inner_text().startswith("← All threads\n1 of 2")
    opened.page.go_back()
    assert (opened.rows(), opened.focused()) == (["big", "dies"], "big")


def test_a_thread_that_the_run_does_not_have(show: Any) -> None:
    opened = show(shop(), fragment="#thread=nobody")
    assert opened.page.locator("#found").inner_text() == "This run has no thread nobody. All 5 threads"


def test_the_strip_switches_between_runs(show: Any) -> None:
    opened = show(shop(), fragment="#thread=wavers")
    runs = opened.page.get_by_role("radio")
    assert [one.get_attribute("aria-label") for one in runs.all()] == [
        "run 1: failed",
        *(f"run {number}: passed" for number in (2, 3, 4)),
    ]
    assert runs.nth(1).get_attribute("aria-checked") == "true"  # the first that came to what the thread came to
    runs.first.click()
    assert opened.fragment() == "#thread=wavers&run=1"
    opened.until("document.querySelectorAll('#turn-2 .step.breach').length === 2")
    opened.press("ArrowRight")
    opened.until("location.hash === '#thread=wavers&run=2'")
    opened.until("document.querySelector('.step.breach') === null")
    assert "Run 2 of 4 is shown. 3 of 4 passed, 2 must: flaky." in opened.page.locator(".runs").inner_text()


def test_a_turn_without_an_answer_of_the_agent(show: Any) -> None:
    opened = show(shop(), fragment="#thread=dies")
    turn = opened.page.locator("#turn-2")
    assert "no verdict: " in turn.inner_text()
    assert turn.locator(".actual .absent").inner_text() == "not known"


def test_numbers_stand_as_they_were_recorded(show: Any) -> None:
    made = [[], [{"name": "order", "arguments": {"sku": "LAMP", "quantity": 12345678901234567890, "price": 2.0}}]]
    opened = show(run_of(recorded("exact", *made), passed=False), fragment="#thread=exact")
    said = opened.page.locator("#turn-2 .actual pre").text_content()
    assert '"quantity": differs: 12345678901234567890,' in said
    assert '"price": only here: 2.0' in said


def test_what_is_copied_is_the_json_alone(show: Any) -> None:
    opened = show(shop(), fragment="#thread=big")
    opened.page.evaluate("getSelection().selectAllChildren(document.querySelector('#turn-2 .actual pre'))")
    assert json.loads(opened.page.evaluate("getSelection().toString()")) == {"sku": "LAMP", "quantity": 3}


# --------------------------------------------------------------------------------------------------------------- keyboard


def test_the_keyboard_alone(show: Any) -> None:
    opened = show(shop())
    opened.press("j", "j", "j", "k", "k")
    assert opened.focused() == "big"
    opened.press("Enter")
    opened.page.wait_for_selector("#thread-title")
    assert opened.title() == "big"
    opened.press("j")
    assert opened.focused().startswith("Turn 1 of 2")
    opened.press("Enter")
    assert opened.page.locator("details.turn[open]").count() == 2
    opened.press("e")
    assert opened.page.locator("details.turn[open]").count() == 0
    opened.press("e", "n")
    opened.until("location.hash === '#thread=dies'")
    opened.press("n")
    opened.until("location.hash === '#thread=wavers'")
    opened.press("p")
    opened.until("location.hash === '#thread=dies'")
    opened.press("Escape")
    opened.page.wait_for_selector("#list")
    opened.until("document.activeElement.textContent === 'dies'")
    assert opened.page.locator("#thread").is_hidden()


def test_slash_searches_from_anywhere(show: Any) -> None:
    opened = show(shop(), fragment="#thread=big")
    opened.press("/")
    opened.until("document.activeElement.name === 'q'")
    opened.press("Escape")
    assert opened.page.evaluate("document.activeElement.name") != "q"


def test_escape_clears_the_filters(show: Any) -> None:
    opened = show(shop(), fragment="#tag=smoke&q=lamp")
    opened.press("Escape")
    opened.until("location.hash === '#all'")
    assert len(opened.rows()) == 5


def test_the_keys_are_told(show: Any) -> None:
    opened = show(shop())
    opened.press("?")
    assert opened.page.get_by_role("dialog").is_visible()
    opened.press("j", "Escape")
    assert opened.page.get_by_role("dialog").count() == 0
    opened.press("?")
    opened.page.get_by_role("button", name="Close").click()
    assert opened.page.get_by_role("dialog").count() == 0


def test_focus_is_seen(show: Any) -> None:
    opened = show(shop())
    for _ in range(6):
        opened.press("Tab")
        width = opened.page.evaluate(
            "Math.max(...[null, '::after'].map((part) =>"
            " parseFloat(getComputedStyle(document.activeElement, part).outlineWidth) || 0))"
        )
        assert width >= 2


def test_everything_that_can_be_pressed_has_a_name(show: Any) -> None:
    for fragment in ("", "#thread=wavers"):
        opened = show(shop(), compare(shop(), shop_before()), fragment)
        nameless = opened.page.evaluate(
            "[...document.querySelectorAll('button, a, select, input, summary')].filter((one) =>"
            " one.checkVisibility() && !one.textContent.trim() && !one.getAttribute('aria-label') && !one.labels?.length)"
            ".map((one) => one.outerHTML)"
        )
        assert nameless == []
        levels = opened.page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, h4')].filter((one) => one.checkVisibility()).map((one) => +one.tagName[1])"
        )
        assert levels[0] == 1
        assert all(later - sooner <= 1 for sooner, later in pairwise(levels))


# ------------------------------------------------------------------------------------------------------------------ looks


def test_light_and_dark(show: Any) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        opened = show(shop(), color_scheme=scheme)
        grounds[scheme] = ground(opened)
        opened.page.locator("#theme").click()
        assert opened.page.locator("#theme").inner_text() == "Theme: light"
        assert ground(opened) == grounds["light"]
        opened.press("t")
        assert opened.page.evaluate("document.documentElement.dataset.theme") == "dark"
        opened.press("t")
        assert ground(opened) == grounds[scheme]
    assert grounds["light"] != grounds["dark"]


def ground(opened: Opened) -> str:
    return str(opened.page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize("name", ["shop", "hostile", "halted", "empty"])
def test_nothing_is_wider_than_a_small_screen(show: Any, name: str) -> None:
    run = shop() if name == "shop" else RUNS[name]
    opened = show(run, compare(run, shop_before()), wide=360)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    if run.threads:
        opened.page.locator("#list tbody a").first.click()
        opened.page.wait_for_selector("#thread-title")
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_in_print_there_is_nothing_to_press(show: Any) -> None:
    opened = show(shop(), color_scheme="dark")
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#filters").is_visible()
    assert not opened.page.locator("#theme").is_visible()
    assert opened.page.locator("#list").is_visible()


def test_without_scripts_the_failing_threads_are_read(show: Any) -> None:
    opened = show(shop(), java_script_enabled=False)
    said = opened.page.locator("main").inner_text()
    assert "order" in said
    assert "+ 2 unexpected: notify" in said
    assert opened.page.locator("#filters").is_hidden()
    assert opened.page.locator("#theme").is_hidden()


# ---------------------------------------------------------------------------------------------------------------- hostile

TEXTS: Final = [
    HOSTILE,
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "__proto__",
    "constructor",
    "\u2028\u202e\x1b[2J\x00\ufeff\ud800\U000e0041",
    "&lt;b&gt;&#60;",
    "%3Cscript%3E#&thread=x",
]


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_recorded_does_anything(show: Any, text: str) -> None:
    opened = show(hostile_run(text))
    elements = "['script', 'img', 'iframe', 'b'].map((name) => document.querySelectorAll(name + ':not(.differences *)').length)"
    assert opened.page.evaluate(elements) == [2, 0, 0, 0]
    opened.page.locator("#list tbody a").first.click()
    opened.page.wait_for_selector("#thread-title")
    opened.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.page.evaluate(elements) == [2, 0, 0, 0]
    assert not re.search("[\u2028\u202e\x1b\0\ufeff]", opened.page.locator("body").text_content().replace("\n", ""))
    opened.press("Escape")
    for select in opened.page.locator("select").all():
        select.select_option(index=1)
    assert len(opened.rows()) == 1
    opened.page.reload()
    assert len(opened.rows()) == 1


def test_what_was_recorded_is_seen_as_text(show: Any) -> None:
    opened = show(hostile_run("<i>\x1b[31m\u202e</i>"))
    opened.page.locator("#list tbody a").first.click()
    assert opened.title() == "<i>\\x1b[31m\\u202e</i>"
    for part in (".speech.user", ".call .name", ".verdicts", ".notes", ".differences"):
        assert "<i>\\x1b[31m\\u202e</i>" in opened.page.locator(part).first.inner_text()


def test_the_page_may_neither_ask_nor_make_markup(show: Any) -> None:
    opened = show(shop())
    tried = opened.page.evaluate(
        "(async () => {"
        " const said = [];"
        " try { document.body.innerHTML = '<b>'; } catch { said.push('markup'); }"
        " try { await fetch('https://example.invalid/'); } catch { said.push('request'); }"
        " const script = document.createElement('script');"
        " try { script.textContent = 'window.ran = 1'; document.body.append(script); } catch { said.push('script'); }"
        " said.push(String(window.ran));"
        " return said; })()"
    )
    assert tried == ["markup", "request", "script", "undefined"]
    assert all("Content Security Policy" in said or "Trusted" in said for said in opened.complaints)
    opened.complaints.clear()


# ------------------------------------------------------------------------------------------------------------------- size


def test_two_thousand_threads_open_and_filter_at_once(show: Any) -> None:
    began = time.perf_counter()
    opened = show(many_threads())
    opened.page.wait_for_selector("#list tbody tr")
    assert time.perf_counter() - began < 8
    for typed in ("notify", "good-77", "lamp blue"):
        opened.page.get_by_role("searchbox").fill(typed)
        began = time.perf_counter()
        opened.until(f"location.hash.includes('q={typed.replace(' ', '+')}')")
        assert time.perf_counter() - began < 3
    opened.page.get_by_role("searchbox").fill("")
    opened.until("!location.hash.includes('q=')")
    assert len(opened.rows()) == 200
    opened.page.get_by_role("button", name="Show 200 more of 1800").click()
    assert len(opened.rows()) == 400
    assert opened.focused() == "bad-200"
