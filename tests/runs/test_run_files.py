"""Run files: what a run came to can be written, kept while it goes on, and read again."""

from __future__ import annotations

import errno
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sets import call, conversation
from trajectory import report
from trajectory.errors import ConfigurationError
from trajectory.replay import as_agent
from trajectory.running import run_thread
from trajectory.runs import (
    JOURNAL_SUFFIX,
    Journal,
    RunFile,
    ThreadEntry,
    content_hash,
    load_run,
    save_run,
    settings_hash,
    thread_entry,
)
from trajectory.settings import MatchMode, Settings

if TYPE_CHECKING:
    from pathlib import Path

THREAD = conversation("t", [("one", [call("add", a=1)]), ("two", [])], tags=["x"])
HEAD = RunFile(started="2026-12-01T00:00:00Z", agent="agent m:a")


def entry(answer: Any, settings: Settings | None = None) -> ThreadEntry:
    chosen = settings or Settings()
    runs = run_thread(as_agent(lambda _: answer), THREAD, chosen)
    return thread_entry(runs, THREAD, chosen, eval_set="x.evalset.json", words=report)


GOOD = entry({"output": "done", "tool_calls": [call("add", a=1)]})
ANSWERS = st.sampled_from(
    [
        "text",
        "half a pair: \ud800",
        {"output": "x", "tool_calls": [call("add", a="\udfff"), call("sub\ud83d", a=[1, {"b": None}])]},
        {"output": "x", "tool_calls": [{"name": "add", "arguments": "{not JSON"}]},
        {"output": "x", "tool_calls": [call("add", a=10**40, b=1.5e300)]},
        {"output": None, "tool_calls": [call("add", a=1)] * 3},
        None,
    ]
)


@given(ANSWERS, st.sampled_from(MatchMode), st.integers(1, 3))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, answer: Any, mode: MatchMode, n: int
) -> None:
    path = tmp_path_factory.mktemp("runs") / "run.json"
    run = HEAD.model_copy(update={"threads": (entry(answer, Settings(match_mode=mode, repetitions=n)),)})
    save_run(run, path)
    assert load_run(path) == run


def test_an_entry_says_what_was_expected_and_what_was_done() -> None:
    turn = entry({"output": "done", "tool_calls": [call("add", a=2)]}).runs[0].turns[0]
    assert (turn.query, turn.expected.calls[0].arguments, turn.actual and turn.actual.calls[0].arguments) == (
        "one",
        {"a": 1},
        {"a": 2},
    )
    assert turn.match is not None
    (step,) = turn.match.steps
    assert (step.kind, step.differences[0].pointer, step.differences[0].expected, step.differences[0].actual) == (
        "differs",
        "/a",
        1,
        2,
    )


def test_malformed_arguments_are_kept_as_text() -> None:
    made = entry({"output": "x", "tool_calls": [{"name": "add", "arguments": "{no"}]}).runs[0].turns[0].actual
    assert made is not None
    assert (made.calls[0].arguments, made.calls[0].arguments_state) == ("{no", "malformed")


# -------------------------------------------------------------------------------------------------------------- hashes


def test_the_hash_of_a_thread_looks_at_what_it_says() -> None:
    same = conversation("t", [("one", [call("add", a=1)]), ("two", [])], evaluation={"match_mode": "SUBSET"})
    other = conversation("t", [("one", [call("add", a=2)]), ("two", [])])
    assert content_hash(THREAD) == content_hash(same)
    assert content_hash(THREAD) != content_hash(other)


@pytest.mark.parametrize(
    ("settings", "same"),
    [
        (Settings(), True),
        (Settings(repetitions=3, pass_runs=2), True),
        (Settings(turn_timeout=1.0), True),
        (Settings(match_mode=MatchMode.SUBSET), False),
        (Settings(ignore_tools=("a",)), False),
    ],
)
def test_the_hash_of_settings_looks_at_what_a_verdict_rests_on(settings: Settings, same: bool) -> None:  # noqa: FBT001
    assert (settings_hash(settings) == settings_hash(Settings())) is same


# ------------------------------------------------------------------------------------------------------------- journal


def test_an_interrupted_run_keeps_what_it_had(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    journal = Journal(path, HEAD)
    journal.add(GOOD)
    journal.add(GOOD.model_copy(update={"id": "u"}))
    kept = load_run(path)
    assert [thread.id for thread in kept.threads] == ["t", "u"]
    assert not kept.complete


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    journal = Journal(path, HEAD)
    journal.add(GOOD)
    file = path.with_name(path.name + JOURNAL_SUFFIX)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(GOOD.model_dump_json()[:100])
    assert [thread.id for thread in load_run(path).threads] == ["t"]
    assert load_run(file) == load_run(path)


def test_the_last_run_of_a_thread_counts(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    journal = Journal(path, HEAD)
    journal.add(GOOD)
    journal.add(GOOD.model_copy(update={"headline": "again"}))
    assert [thread.headline for thread in load_run(path).threads] == ["again"]


def test_the_file_takes_the_place_of_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    journal = Journal(path, HEAD)
    journal.finish(HEAD.model_copy(update={"complete": True}))
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    assert load_run(path).complete


def test_a_full_disk_stops_the_writing_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    journal = Journal(path, HEAD)
    journal.add(GOOD)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.open", full)
        journal.add(GOOD.model_copy(update={"id": "lost"}))
    journal.add(GOOD.model_copy(update={"id": "not tried"}))
    journal.finish(HEAD)
    assert journal.problem is not None
    assert journal.problem.strerror == "No space left on device"
    journal_file = path.with_name(path.name + JOURNAL_SUFFIX)
    assert [thread.id for thread in load_run(journal_file).threads] == ["t"]


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a run file, found no JSON: Expecting value: line 1 column 1"),
        ("[]", "expected a run file, found an empty array"),
        (
            '{"threads": []}',
            "expected a run file, found an object with the keys threads .a run file is written by --results",
        ),
        ('{"format": "trajectory-run", "version": 2}', "expected a run file of version 1, found version 2"),
        ('{"format": "trajectory-run", "version": 1}', "expected .* the setting 'started'|found an object"),
        ('{"format": "trajectory-run", "version": 1, "started": "x", "thread": []}', "found the unknown key 'thread'"),
    ],
)
def test_what_is_no_run_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_run(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert re.search(message, str(caught.value))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected a run file, found nothing of that name"):
        load_run(tmp_path / "run.json")


def test_the_schema_of_a_run_file_describes_every_key() -> None:
    schema = RunFile.model_json_schema()
    for definition in [schema, *schema["$defs"].values()]:
        for name, field in definition.get("properties", {}).items():
            assert field.get("description"), name
    assert json.loads(GOOD.model_dump_json())["id"] == "t"
