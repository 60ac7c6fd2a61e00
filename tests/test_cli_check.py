"""The command that checks recorded runs: nothing passes by accident (outcomes, section 7)."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.command_line import Desk, bad, good, lines_of, openai, outcomes, untimed
from tests.sets import call, eval_set, thread
from trajectory.cli.check import command
from trajectory.cli.run import command as run_command
from trajectory.evaluations import Outcome
from trajectory.runs import load_run, save_run
from trajectory.setting_options import SETTING_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ABC = {"a": good(1), "b": good(2), "c": good(3)}
CHECK = ("check", "x.evalset.json", "run.jsonl")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)


class Row(NamedTuple):
    """What happens, and what must come of it."""

    code: int
    says: Sequence[str]
    asked: Any = ABC
    recorded: Any = ABC
    words: Sequence[str] = ()
    keys: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    end: str = ""


def _bare(identity: str, query: str, function: dict[str, Any]) -> dict[str, Any]:
    """Messages of OpenAI with one call just as it stands."""
    asked = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }
    return {"id": identity, "messages": [{"role": "user", "content": query}, asked]}


MALFORMED = [_bare("a", "add 1 1", {"name": "add", "arguments": "{'a': 1"})]
LINES = {"a": good(1), "b": good(2)}

ROWS = {
    "all is well": Row(0, ["3/3 threads passed", "3 recorded threads paired by id"]),
    "an empty eval set": Row(2, ["x.evalset.json: the eval set has no threads"], asked={}),
    "an empty recording": Row(2, ["run.jsonl: expected recordings, found an empty file"], recorded={}),
    "a tag that nobody has": Row(2, ["--evalset-tag smoke: no thread has this tag"], words=["--evalset-tag", "smoke"]),
    "an id that nobody has": Row(2, ["--thread cc: no thread has this id"], words=["--thread", "a", "--thread", "cc"]),
    "an option misspelt": Row(2, ["--match-mod", "Did you mean '--match-mode'?"], words=["--match-mod", "STRICT"]),
    "a mode misspelt": Row(2, ["--match-mode: ", "did you mean 'SUPERSET'?"], words=["--match-mode", "SUPERSETT"]),
    "a policy misspelt": Row(2, ["--arguments: ", "did you mean 'exact'?"], words=["--arguments", "exct"]),
    "a rule misspelt": Row(2, ["--rule: ", "did you mean 'length'?"], words=["--rule", "lenght"]),
    "a way misspelt": Row(2, ["--pair-by: ", "did you mean 'query'?"], words=["--pair-by", "querry"]),
    "a fail-on misspelt": Row(2, ["--fail-on: ", "did you mean 'regression'?"], words=["--fail-on", "regresion"]),
    "a setting misspelt": Row(
        2, ["/evaluation/match_mod", "'match_mode'"], keys={"evaluation": {"match_mod": "STRICT"}}
    ),
    "a rate of 80 in the file": Row(2, ["from 0 to 1", "80"], keys={"evaluation": {"min_pass_rate": 80}}),
    **{
        f"a rate of {rate!r}": Row(
            2, ["--min-pass-rate: expected a number from 0 to 1"], words=["--min-pass-rate", rate]
        )
        for rate in ("80", "1.2", "nan", "-0.1", "inf", "", "most")
    },
    "no errors allowed but -1": Row(2, ["--max-errors: "], words=["--max-errors", "-1"]),
    "a last line cut off": Row(
        3,
        ["run.jsonl:4:", "this line was left out", "is incomplete", "NOT EVALUATED: 3 passed"],
        end='{"id": "d", "tra',
    ),
    "a missing thread": Row(
        3, ["the recording run.jsonl has no thread 'c'", "1 error"], recorded={"a": good(1), "b": good(2)}
    ),
    "a missing thread, and an error allowed, but not all pass": Row(
        1, ["2 of 3 threads passed, 3 must"], recorded={"a": good(1), "b": good(2)}, words=["--max-errors", "1"]
    ),
    "surplus turns": Row(
        1,
        ["is in the recording only", "user: add 9 1"],
        recorded={**ABC, "a": good(1, 9)},
        words=["--match-mode", "SUBSET"],
    ),
    "fewer turns": Row(3, ["turn 2 of 2", "ends after 1 of the turns"], asked={**ABC, "a": good(1, 9)}),
    "another query": Row(3, ["answers another query", "add 9 1"], recorded={**ABC, "a": good(9)}),
    "another call": Row(1, ["/b 1 -> 2", "2/3 threads passed"], recorded={**ABC, "a": bad(1)}),
    "an unmatched thread": Row(
        3, ["threads that no eval set knows of: stray", "3 passed"], recorded={**ABC, "stray": good(7)}
    ),
    "an unmatched thread that is allowed": Row(
        0, ["3/3 threads passed"], recorded={**ABC, "stray": good(7)}, words=["--allow-unmatched"]
    ),
    "only unmatched threads, and they are allowed": Row(
        3, ["3 threads could not be evaluated"], recorded={"stray": good(7)}, words=["--allow-unmatched"]
    ),
    "no verdict at all, and everything is tolerated": Row(
        3,
        ["nothing was evaluated: no thread came to a verdict"],
        recorded={"stray": good(7)},
        words=["--allow-unmatched", "--min-pass-rate", "0", "--max-errors", "9"],
    ),
    "one id twice in a file": Row(
        2,
        ['run.jsonl:2: expected thread ids that no other recording has, found the string "a" again', "line 1"],
        recorded=[thread("a", good(1)), thread("a", good(1))],
    ),
    "nothing evaluated": Row(3, ["nothing was evaluated"], asked={"a": []}, recorded={"a": []}),
    "a vacuous match": Row(
        0,
        ["nothing to check in a"],
        asked={"a": [("hi", [])]},
        recorded={"a": [("hi", [])]},
        words=["--match-mode", "SUBSET"],
    ),
    "a gate that is off": Row(
        0,
        ["the gate is off", "3 failed"],
        recorded={k: bad(n) for n, k in enumerate("abc", 1)},
        words=["--min-pass-rate", "0"],
    ),
    "a gate that is off does not let errors through": Row(
        3, ["could not be evaluated"], recorded={"a": good(1), "b": good(2)}, words=["--min-pass-rate", "0"]
    ),
    "a thread that must pass": Row(
        1,
        ["'a' must pass"],
        asked=[thread("a", good(1), evaluation={"must_pass": True}), thread("b", good(2))],
        recorded={"a": bad(1), "b": good(2)},
        words=["--min-pass-rate", "0.5"],
    ),
    "a rate that three threads of five cannot reach": Row(
        1,
        ["3 of 5 threads passed, 4 must"],
        asked={str(n): good(n) for n in range(5)},
        recorded={str(n): (good if n < 3 else bad)(n) for n in range(5)},
        words=["--min-pass-rate", "0.7"],
    ),
    "a missing baseline": Row(
        2,
        ["none.json: expected a run file, found nothing of that name"],
        words=["--compare", "none.json", "--fail-on", "regression"],
    ),
    "a regression without a baseline": Row(
        2, ["--fail-on regression: name the baseline"], words=["--fail-on", "regression"]
    ),
    "a report of no known form": Row(
        2, ["--report r.yaml: expected a name that ends in"], words=["--report", "r.yaml"]
    ),
    "a report with no place": Row(2, ["no/such/r.json", "cannot be written"], words=["--report", "no/such/r.json"]),
    "results with no place": Row(
        2, ["no/such/r.json: the results cannot be written"], words=["--results", "no/such/r.json"]
    ),
    "jobs of -1": Row(2, ["--jobs"], words=["--jobs", "-1"]),
    "an option of live runs": Row(2, ["--repetitions"], words=["--repetitions", "2"]),
    "a floor for calls that are not compared": Row(
        2,
        ["min_macro_f1 0.5 needs the rule tool_trajectory"],
        words=["--min-macro-f1", "0.5", "--rule", "length:min=1"],
    ),
    "a setting that nothing uses": Row(0, ["warning: ", "adt"], words=["--ignore-tool", "adt"]),
}


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in ROWS.items()])
def test_never_green_by_accident(desk: Desk, row: Row) -> None:
    desk.eval_set(row.asked, **row.keys)
    desk.lines(row.recorded, end=row.end)
    said = desk.run(*CHECK, *row.words)
    assert [text for text in row.says if text not in said.words] == []
    assert said.code == row.code
    assert (said.out == "") == (row.code == 2)
    assert ("PASSED: " in said.out.replace("tool trajectory: ", "")) == (row.code == 0) or row.code in {1, 3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing argument 'EVALSET'"),
        (("x.evalset.json",), "Missing argument 'RECORDED...'"),
        (("y*.evalset.json", "run.jsonl"), "the eval set y*.evalset.json: matches no file"),
        (("y.evalset.json", "run.jsonl"), "the eval set y.evalset.json: does not exist"),
        (("x.evalset.jsn", "run.jsonl"), "did you mean 'x.evalset.json'?"),
        (("x.evalset.json", "no*.jsonl"), "no*.jsonl: expected recordings, found a pattern that matches no file"),
        (
            ("x.evalset.json", "rum.jsonl"),
            "rum.jsonl: expected a file, found nothing of that name (did you mean 'run.jsonl'?)",
        ),
        (("x.evalset.json", "hollow"), "hollow: "),
        (("x.evalset.json", "text.txt"), "text.txt"),
        (("text.txt", "run.jsonl"), "text.txt"),
        (("hollow", "run.jsonl"), "hollow: "),
        (("", "run.jsonl"), "the eval set: expected a file or a glob, found an empty name"),
        (("x.evalset.json", ""), "the recording: expected a file, a folder or a glob, found an empty name"),
        (
            ("x.evalset.json", "run.jsonl", "run.jsonl"),
            'found the string "a" again (the first one stands in run.jsonl)',
        ),
        (("x.evalset.json", "run.jsonl", "other.jsonl"), "the first one stands in run.jsonl"),
        (("x.evalset.json", "x.evalset.json"), "x.evalset.json: this is the eval set itself"),
        (("x.evalset.json", "x*.json"), "x.evalset.json: this is the eval set itself"),
        (("x.evalset.json", "."), "x.evalset.json: this is the eval set itself"),
        (("run.jsonl", "./run.jsonl"), "./run.jsonl: this is the eval set itself"),
        (("x.evalset.json", "both"), "the first one stands in both/1.jsonl"),
    ],
)
def test_files_that_are_not_there_or_make_no_sense(desk: Desk, words: Sequence[str], message: str) -> None:
    desk.eval_set(ABC)
    desk.lines(ABC)
    desk.lines({"c": good(3)}, "other.jsonl")
    desk.lines({"c": good(3)}, "both/1.jsonl")
    desk.lines({"c": good(3)}, "both/2.jsonl")
    desk.write("text.txt", "not JSON at all\n")
    (desk.folder / "hollow").mkdir()
    said = desk.run("check", *words)
    assert message in said.words
    assert (said.code, said.out) == (2, "")


@pytest.mark.parametrize("place", [1, 2, 29, 30], ids=["first", "second", "middle", "last"])
@pytest.mark.parametrize(
    "damage", ['{"id": "x", "tra', "nonsense", "[]", '{"id": "x"}', '{"id": "t2", "id": "x"}', "\udcff"]
)
def test_a_line_that_is_broken(desk: Desk, place: int, damage: str) -> None:
    """It makes no verdict on the others wrong, and the run is no pass, or the file is refused as a whole."""
    threads = {f"t{number}": good(number) for number in range(30)}
    desk.eval_set(threads)
    lines = lines_of(eval_set(threads)["threads"]).splitlines()
    lines.insert(place - 1, damage)
    desk.write("run.jsonl", "\n".join(lines).encode(errors="surrogateescape") + b"\n")
    said = desk.run(*CHECK)
    assert said.code == 3 if said.out else 2
    if said.out:
        assert f"run.jsonl:{place}:" in said.words
        assert "NOT EVALUATED: 30 passed" in said.out
    else:
        assert said.err.startswith("run.jsonl:")


def test_malformed_arguments_count_and_are_shown(desk: Desk) -> None:
    desk.eval_set({"a": [("add 1 1", [{"name": "add"}])]})
    desk.write("run.jsonl", lines_of(MALFORMED))
    said = desk.run(*CHECK)
    assert said.code == 1
    assert "malformed arguments" in said.words


def test_arguments_that_were_not_recorded_are_an_error_where_they_are_needed(desk: Desk) -> None:
    desk.eval_set({"a": [("add 1 1", [{"name": "add"}])]})
    span = {
        "traceId": "0" * 31 + "1",
        "spanId": "0" * 15 + "1",
        "name": "chat",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.conversation.id", "value": {"stringValue": "a"}},
            {
                "key": "gen_ai.input.messages",
                "value": {
                    "stringValue": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "add 1 1"}]}])
                },
            },
        ],
    }
    tool = {
        "traceId": span["traceId"],
        "spanId": "0" * 15 + "2",
        "parentSpanId": span["spanId"],
        "name": "execute_tool add",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "add"}},
        ],
    }
    spans = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [span, tool]}]}]}
    desk.write("run.jsonl", json.dumps(spans))
    said = desk.run(*CHECK)
    assert said.code == 3
    assert "not recorded" in said.words
    assert desk.run(*CHECK, "--arguments", "ignore").code == 0


def test_a_recorded_turn_that_ended_in_an_error(desk: Desk) -> None:
    recorded = eval_set({"a": [("hello", [])]})["threads"]
    recorded[0]["traces"][0]["output"] = "quota exceeded"
    desk.eval_set({"a": [("hello", [])]})
    desk.write("run.jsonl", lines_of(recorded))
    said = desk.run(*CHECK, "--match-mode", "SUBSET")
    assert said.code == 3
    assert "the turn ended in an error: quota exceeded" in said.words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--results", "x.evalset.json"),
            "--results x.evalset.json: this file is read in the same run; name another one",
        ),
        (("--results", "./run.jsonl"), "--results ./run.jsonl: this file is read in the same run"),
        (("--results", "notes.txt"), "notes.txt: the results would replace a file that is no run file"),
        (("--report", "x.evalset.json"), "--report x.evalset.json: this file is read in the same run"),
        (("--results", "r.json", "--report", "r.json"), "--report r.json: this file is written in the same run"),
        (("--results", "."), "the results cannot be written: this is a folder"),
        (("--report", "folder.html"), "--report folder.html: the report cannot be written: this is a folder"),
        (("--report", "r.json", "--report", "./r.json"), "--report ./r.json: this file is written in the same run"),
    ],
)
def test_nothing_is_overwritten_by_mistake(desk: Desk, words: Sequence[str], message: str) -> None:
    desk.eval_set(ABC)
    desk.lines(ABC)
    desk.write("notes.txt", "mine")
    (desk.folder / "folder.html").mkdir()
    before = {file.name: file.read_bytes() for file in desk.folder.iterdir() if file.is_file()}
    said = desk.run(*CHECK, *words)
    assert message in said.words
    assert (said.code, said.out) == (2, "")
    assert {file.name: file.read_bytes() for file in desk.folder.iterdir() if file.is_file()} == before


def test_threads_that_nobody_knows_are_named_and_counted(desk: Desk) -> None:
    desk.eval_set(ABC)
    desk.lines({**ABC, **{f"stray-{number}": good(number) for number in range(100, 300)}})
    said = desk.run(*CHECK)
    assert said.code == 3
    assert "stray-100, stray-101, " in said.words
    assert "and 180 more" in said.words
    assert "stray-299" not in said.out
    allowed = desk.run(*CHECK, "--allow-unmatched")
    assert allowed.code == 0
    assert "note: the recording run.jsonl has threads that no eval set knows of: stray-100" in allowed.words


# ----------------------------------------------------------------------------------------------------------- baselines


def test_only_a_thread_that_fails_newly_is_a_regression(desk: Desk) -> None:
    desk.eval_set(ABC)
    desk.lines({**ABC, "a": bad(1)})
    assert desk.run(*CHECK, "--results", "base.json").code == 1
    assert desk.run("baseline", "accept", "base.json", "-o", "accepted.json").code == 0
    regression = ("--compare", "accepted.json", "--fail-on", "regression")
    assert desk.run(*CHECK, *regression).code == 0
    desk.lines({**ABC, "b": bad(2)})
    said = desk.run(*CHECK, *regression)
    assert said.code == 1
    assert "b" in said.words
    desk.lines({"a": good(1), "b": good(2)})
    assert desk.run(*CHECK, *regression).code == 3


@pytest.mark.parametrize(
    "change",
    [
        {"complete": False},
        {"halted": "the run halted on its budget"},
        {"threads": ()},
        {"eval_sets": (), "threads": ()},
    ],
    ids=["incomplete", "halted", "without threads", "without eval sets"],
)
def test_a_baseline_that_is_none(desk: Desk, change: dict[str, Any]) -> None:
    desk.eval_set(ABC)
    desk.lines(ABC)
    assert desk.run(*CHECK, "--results", "base.json").code == 0
    save_run(load_run(desk.folder / "base.json").model_copy(update=change), desk.folder / "base.json")
    said = desk.run(*CHECK, "--compare", "base.json", "--fail-on", "regression")
    assert said.code != 0
    assert "base.json" in said.words


def test_a_baseline_of_another_eval_set(desk: Desk) -> None:
    desk.eval_set({"q": good(7)}, name="other.evalset.json")
    desk.lines({"q": good(7)}, "q.jsonl")
    assert desk.run("check", "other.evalset.json", "q.jsonl", "--results", "base.json").code == 0
    assert desk.run("baseline", "accept", "base.json", "-o", "accepted.json").code == 0
    desk.eval_set(ABC)
    desk.lines(ABC)
    assert desk.run(*CHECK, "--compare", "accepted.json", "--fail-on", "regression").code != 0


# ------------------------------------------------------------------------------------------------------------ settings


def test_settings_of_the_eval_set_and_of_a_thread_are_in_force(desk: Desk) -> None:
    loose = {"match_mode": "SUPERSET"}
    extra = [("add 1 1", [call("add", a=1, b=1), call("log")])]
    threads = [thread(name, good(1)) for name in "ab"]
    recorded = {"a": extra, "b": extra}
    desk.lines(recorded)
    desk.eval_set(threads)
    assert desk.run(*CHECK).code == 1
    desk.eval_set(threads, evaluation=loose)
    assert desk.run(*CHECK).code == 0
    assert desk.run(*CHECK, "--match-mode", "STRICT").code == 1  # the command line wins
    desk.eval_set([thread("a", good(1), evaluation=loose), thread("b", good(1))])
    said, report = desk.report(*CHECK)
    assert said.code == 1
    assert outcomes(report) == {"a": "passed", "b": "failed"}


def test_only_what_was_selected_is_checked(desk: Desk) -> None:
    desk.eval_set([thread("a", good(1), tags=["smoke"]), thread("b", good(2)), thread("c", good(3))])
    desk.lines({"a": good(1), "b": bad(2), "c": good(3)})
    for words in (("--evalset-tag", "smoke"), ("--thread", "a"), ("--thread", "a", "--thread", "c")):
        said, report = desk.report(*CHECK, *words)
        assert said.code == 0
        assert set(outcomes(report)) <= {"a", "c"}
    assert desk.run(*CHECK, "--thread", "b").code == 1
    assert desk.run(*CHECK, "--thread", "b", "--evalset-tag", "smoke").code == 2


@pytest.mark.parametrize("flag", [option.flag for option in SETTING_OPTIONS])
def test_the_options_are_those_of_pytest(flag: str) -> None:
    live = {word for parameter in run_command.params for word in parameter.opts}
    offline = {word for parameter in command.params for word in parameter.opts}
    assert flag in live
    how_agents_run = {"--turn-timeout", "--teacher-forced", "--concurrency", "--repetitions", "--pass-runs"}
    assert (flag in offline) == (flag not in how_agents_run and not flag.startswith("--budget-"))


# ---------------------------------------------------------------------------------------------------- files of results


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_results_of_a_check_are_those_of_its_report(desk: Desk, jobs: str) -> None:
    threads = {f"t{number}": good(number) for number in range(8)}
    desk.eval_set(threads)
    mixed = dict(reversed({**threads, "t3": bad(3), "t5": good(77)}.items()))
    del mixed["t6"]
    desk.lines(mixed)
    said, whole = desk.report(*CHECK)
    assert said.code == 3
    assert untimed(desk.run(*CHECK, "--results", "run.json", "--jobs", jobs).out) == untimed(said.out)
    run = load_run(desk.folder / "run.json")
    assert [entry.id for entry in run.threads] == list(threads)
    assert run.threads[3].outcome is Outcome.FAILED
    assert run.threads[3].runs[0].turns[0].actual is not None
    assert run.threads[3].runs[0].turns[0].actual.calls
    assert run.threads[0].content_hash
    assert run.threads[0].runs[0].turns[0].query == "add 0 1"
    assert desk.run("report", "run.json", "-o", "again.json").code == 3
    again = json.loads((desk.folder / "again.json").read_text("utf-8"))
    assert outcomes(again) == outcomes(whole)
    assert not list(desk.folder.glob("*.partial"))


def test_every_report_is_written(desk: Desk) -> None:
    desk.eval_set(ABC)
    desk.lines({**ABC, "a": bad(1)})
    files = ["r.txt", "r.json", "r.xml", "r.md", "r.html"]
    assert desk.run(*CHECK, *(word for file in files for word in ("--report", file))).code == 1
    for file in files:
        assert "add" in (desk.folder / file).read_text("utf-8")


def test_a_report_that_needs_an_extra_is_refused_before_anything_is_checked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.eval_set(ABC)
    desk.lines(ABC)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in [name for name in sys.modules if name.startswith("trajectory.report.html")]:
        monkeypatch.delitem(sys.modules, name)
    said = desk.run(*CHECK, "--report", "r.html")
    assert (said.code, said.out) == (2, "")
    assert "needs the package jinja2" in said.words


# ------------------------------------------------------------------------------------------- a recording as the eval set


def test_a_recording_says_what_is_expected(desk: Desk) -> None:
    desk.write("before.jsonl", lines_of(openai(name, turns) for name, turns in ABC.items()))
    desk.write("now.jsonl", lines_of(openai(name, turns) for name, turns in {**ABC, "b": bad(2)}.items()))
    said, report = desk.report("check", "before.jsonl", "now.jsonl")
    assert said.code == 1
    assert outcomes(report) == {"a": "passed", "b": "failed", "c": "passed"}
    assert "what was recorded" in said.words


def test_recordings_without_ids_are_paired_by_what_the_user_said(desk: Desk) -> None:
    records = [openai("", turns) for turns in ABC.values()]
    for record in records:
        del record["id"]
    desk.write("before.jsonl", lines_of(records))
    desk.write("now.jsonl", lines_of(reversed(records)))
    said = desk.run("check", "before.jsonl", "now.jsonl")
    assert said.code == 0
    assert "now-1 -> before-3" in said.words


def test_an_incomplete_recording_is_no_eval_set(desk: Desk) -> None:
    desk.lines(ABC)
    desk.lines(ABC, "before.jsonl", end='{"id": "d", "tr')
    said = desk.run("check", "before.jsonl", "run.jsonl")
    assert (said.code, said.out) == (2, "")
    assert "incomplete" in said.words


def test_a_folder_says_what_is_expected(desk: Desk) -> None:
    for name, turns in ABC.items():
        desk.write(f"before/{name}.json", json.dumps(openai(name, turns)))
    desk.lines(ABC)
    assert desk.run("check", "before", "run.jsonl").code == 0
    assert desk.run("check", "before/", "before/*.json").code == 2
