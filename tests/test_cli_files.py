"""The commands that read, show and convert files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.sets import call, eval_set_text
from trajectory import load_eval_set, load_recordings
from trajectory.cli import main
from trajectory.recordings.detection import known_formats

FIXTURES = Path(__file__).parents[1] / "fixtures" / "recordings"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    threads: dict[str, Any] = {
        "talk": [("hi\nthere", [call("look", at="door")]), ("bye", [])],
        "other": [("\x1b[31mred", [])],
    }
    (tmp_path / "x.evalset.json").write_text(
        eval_set_text(threads, evaluation={"min_pass_rate": 0.5}), encoding="utf-8"
    )
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(list(words)) == code
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_threads_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "show", "x.evalset.json").splitlines()
    assert lines[0] == "x.evalset.json: native, 2 threads"
    assert lines[1].split() == ["talk", "2", "turns,", "1", "calls", "hi\\u000athere"]
    assert "\x1b" not in lines[2]
    assert "\\u001b[31mred" in lines[2]


def test_a_thread_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "show", "x.evalset.json", "talk")
    assert "turn 1\n  user: hi\n        there\n" in text
    assert '  -> look {"at": "door"}\n' in text
    assert "  agent: answer to bye\n" in text


def test_a_recording_is_shown_with_what_came_back(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "show", str(FIXTURES / "anthropic.json"), "--full")
    assert "anthropic, thread anthropic" in text
    assert "-> get_weather" in text
    assert "\n  <- " in text


def test_notes_of_a_recording_fit_on_the_screen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chat.json").write_text('[{"role": "user", "content": "hi"}]', "utf-8")
    notes = said(capsys, "show", "chat.json").splitlines()[1:3]
    assert notes[0].startswith("  note: chat.json: no message shows a tool call")
    assert notes[1].startswith("        ")
    assert max(map(len, notes)) <= 80


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "x.evalset.json", "tlak"), "x.evalset.json has no thread 'tlak' (did you mean 'talk'?)"),
        (("show", "nothing.json"), "nothing.json: expected"),
        (("convert", "x.evalset.json", "-o", "y.json", "--select", "tlak"), "has no thread 'tlak'"),
        (
            ("convert", "x.evalset.json", "-o", "x.evalset.json"),
            "x.evalset.json is there already (--force replaces it)",
        ),
        (("convert", "x.evalset.json"), "Missing option '-o'"),
        (("schema", "other"), "'other' is not one of 'evalset', 'run'"),
    ],
)
def test_bad_input(folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert message in said(capsys, *words, code=2)


def test_schemas(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(said(capsys, "schema"))
    document = json.loads((folder / "x.evalset.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert "threads" in json.loads(said(capsys, "schema", "run"))["properties"]


def test_formats(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "formats").splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "native",
        *(known.name for known in known_formats()),
    ]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    "name", ["otlp.jsonl", "openai_chat_rows.jsonl", "langchain_dump.json", "adk_session.json", "claude_code.jsonl"]
)
def test_recordings_become_eval_sets(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert ": native, 1 thread" in said(capsys, "convert", str(FIXTURES / name), "-o", "y.evalset.json")
    (made,), (was,) = load_eval_set("y.evalset.json").threads, load_recordings(FIXTURES / name).threads
    assert [trace.trajectory for trace in made.traces] == [trace.trajectory for trace in was.traces]


def test_what_cannot_be_carried_over_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "convert", "x.evalset.json", "-o", "adk.evalset.json", "--to", "adk", code=1)
    assert "not carried over: the settings of the set (evaluation)" in text
    assert "adk.evalset.json was not written" in text
    assert not (folder / "adk.evalset.json").exists()
    said(capsys, "convert", "x.evalset.json", "-o", "adk.evalset.json", "--to", "adk", "--force", code=1)
    assert load_eval_set("adk.evalset.json").shape == "Google ADK eval set"


def test_to_atif_and_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "convert", "x.evalset.json", "-o", "a.json", "--to", "atif", "--select", "talk")
    assert load_recordings("a.json").format == "atif"
    said(capsys, "convert", "a.json", "-o", "back.evalset.json")
    (back,), talk = load_eval_set("back.evalset.json").threads, load_eval_set("x.evalset.json").threads[0]
    assert [(trace.query, trace.response) for trace in back.traces] == [
        (trace.query, trace.response) for trace in talk.traces
    ]
