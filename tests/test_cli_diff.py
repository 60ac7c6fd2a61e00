"""The command that shows two runs side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.command_line import Desk, bad, good
from tests.sets import call

if TYPE_CHECKING:
    from pathlib import Path

ABC = {"a": good(1), "b": good(2), "c": good(3)}
HOSTILE = "\x1b[31m```\n::error::<script>\u202e|x"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)


def test_the_same(desk: Desk) -> None:
    desk.lines(ABC, "one.jsonl")
    desk.eval_set(ABC, "two.evalset.json")
    said = desk.run("diff", "one.jsonl", "two.evalset.json")
    assert (said.code, said.err) == (0, "")
    assert "3 of 3 threads are the same" in said.out
    assert "3 recorded threads paired by id" in said.out
    assert "time not recorded; tokens not recorded; cost not recorded" in said.out


def test_what_differs_is_shown_and_what_does_not_is_folded(desk: Desk) -> None:
    desk.lines({**ABC, "long": [*good(1), *good(2), *good(3)]}, "one.jsonl")
    desk.lines({**ABC, "long": [*good(1), *bad(2), *good(3)]}, "two.jsonl")
    said = desk.run("diff", "one.jsonl", "two.jsonl")
    assert said.code == 1
    assert "thread long" in said.out
    assert "thread a " not in said.out
    assert "they part in turn 2, and do the same again from turn 3 on" in said.out
    assert "turn 1: the same, 1 call" in said.out
    assert '~ 1 add {"a": 2, "b": 1}' in said.out
    assert "/b  1 -> 2" in said.out
    assert "3 of 4 threads are the same" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    assert "turn 1: the same\n" in desk.run("diff", "one.jsonl", "two.jsonl", "--full").out


def test_threads_of_one_side_alone_are_named(desk: Desk) -> None:
    desk.lines({"a": good(1), "left": good(4)}, "one.jsonl")
    desk.lines({"a": good(1), "right": good(5)}, "two.jsonl")
    said = desk.run("diff", "one.jsonl", "two.jsonl")
    assert said.code == 1
    assert "only in the first: left" in said.out
    assert "only in the second: right" in said.out
    assert "1 of 1 thread is the same" in said.out
    assert desk.run("diff", "one.jsonl", "two.jsonl", "--thread", "a").code == 0


def test_threads_are_paired_by_what_the_user_said(desk: Desk) -> None:
    desk.lines(ABC, "one.jsonl")
    desk.lines({f"run-{name}": turns for name, turns in ABC.items()}, "two.jsonl")
    assert desk.run("diff", "one.jsonl", "two.jsonl").code == 0
    assert desk.run("diff", "one.jsonl", "two.jsonl", "--pair-by", "id").code == 1


def test_run_files_show_what_the_agent_did(desk: Desk) -> None:
    desk.eval_set(ABC)
    desk.lines(ABC, "one.jsonl")
    desk.lines({**ABC, "b": bad(2)}, "two.jsonl")
    for name in ("one", "two"):
        desk.run("check", "x.evalset.json", f"{name}.jsonl", "--results", f"{name}.json")
    said = desk.run("diff", "one.json", "two.json")
    assert said.code == 1
    assert "they part in turn 1" in said.out
    assert desk.run("diff", "one.json", "one.jsonl").code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 1),
        (("--ignore-path", "/b"), 0),
        (("--arguments", "ignore"), 0),
        (("--ignore-tool", "add"), 0),
        (("--tolerance", "absolute=2"), 0),
        (("--tolerance", "absolute=0.5"), 1),
    ],
)
def test_options_say_when_two_calls_are_the_same(desk: Desk, words: tuple[str, ...], code: int) -> None:
    desk.lines({"a": good(2)}, "one.jsonl")
    desk.lines({"a": bad(2)}, "two.jsonl")
    assert desk.run("diff", "one.jsonl", "two.jsonl", *words).code == code


def test_json_has_every_difference(desk: Desk) -> None:
    desk.lines({"a": good(2)}, "one.jsonl")
    desk.lines({"a": bad(2)}, "two.jsonl")
    document = json.loads(desk.run("diff", "one.jsonl", "two.jsonl", "-f", "json").out)
    assert (document["format"], document["same"]) == ("trajectory-diff", False)
    (thread,) = document["threads"]
    assert (thread["diverges"], thread["meets"]) == (1, None)
    (step,) = thread["turns"][0]["steps"]
    assert step["differences"] == [{"pointer": "/b", "first": 1, "second": 2, "absent": None}]


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_nothing_recorded_acts(desk: Desk, form: str) -> None:
    hostile = {HOSTILE: [(HOSTILE, [call(HOSTILE, x=HOSTILE)])]}
    desk.lines(hostile, "one.jsonl")
    desk.lines({HOSTILE: [(HOSTILE, [call(HOSTILE, x="y")])]}, "two.jsonl")
    said = desk.run("diff", "one.jsonl", "two.jsonl", "-f", form)
    assert said.code == 1
    assert not set("\x1b\u202e") & set(said.out)
    assert not any(line.startswith(("::", "```\n")) for line in said.out.splitlines())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("one.jsonl", "nothing.jsonl"), "nothing.jsonl: expected a file, found nothing of that name"),
        (("one.jsonl", "one.jsonl", "--thread", "aa"), "one.jsonl has no thread 'aa'"),
        (("one.jsonl", "one.jsonl", "--pair-by", "ids"), "--pair-by: expected one of id, query, order, found 'ids'"),
        (("one.jsonl", "one.jsonl", "--tolerance", "x"), "--tolerance: expected"),
        (("one.jsonl",), "Missing argument 'RUN_B'"),
        (("none.json", "none.json"), "neither has a thread, so there is nothing to compare"),
    ],
)
def test_bad_input(desk: Desk, words: tuple[str, ...], says: str) -> None:
    desk.lines({"a": good(1)}, "one.jsonl")
    desk.write("none.json", '{"id": "", "name": "", "description": "", "threads": []}')
    said = desk.run("diff", *words)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
