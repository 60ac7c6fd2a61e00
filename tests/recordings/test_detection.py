"""A file has exactly one format, told by its content, or is refused."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evalset.documents import thread_document, trace_document
from trajectory.conversation import ConversationThread
from trajectory.errors import ConfigurationError, EvalSetError
from trajectory.recordings import load_recordings
from trajectory.recordings.detection import known_formats
from trajectory.recordings.formats import Reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Fruit:
    """A format of another package."""

    name = "fruit"

    def matches(self, document: Any) -> bool:
        return isinstance(document, dict) and "fruit" in document

    def read(self, document: Any) -> Reading:
        if document["fruit"] == "rotten":
            raise TypeError("expected a fruit, found something rotten")
        threads = tuple(ConversationThread(id=name, traces=()) for name in document["fruit"])
        return Reading(threads, ("fresh",), incomplete=document.get("bitten", False))


class Greedy(Fruit):
    name = "greedy"

    def matches(self, document: Any) -> bool:
        return bool(document)


class Clumsy(Fruit):
    name = "clumsy"

    def matches(self, document: Any) -> bool:
        raise RuntimeError(f"cannot look at {document}")


NO_FORMAT = object()
FRUIT, GREEDY, CLUMSY = Fruit(), Greedy(), Clumsy()
TAKEN = type("Taken", (Fruit,), {"name": "openai-chat"})()


@pytest.fixture
def adds(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Add formats by entry points, as another package would."""

    def add(*names: str) -> None:
        points = [EntryPoint(name.lower(), f"another:{name}", "trajectory.recordings") for name in names]
        monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.value.split(":")[1]])
        monkeypatch.setattr("trajectory.recordings.detection.entry_points", lambda **_: points)

    return add


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.chdir(tmp_path)

    def write(value: Any, name: str = "run.json") -> None:
        lines = name.endswith("l")
        text = "\n".join(json.dumps(record) for record in value) if lines else json.dumps(value)
        (tmp_path / name).write_text(text, "utf-8")

    return write


def refused(name: str = "run.json") -> str:
    with pytest.raises(EvalSetError) as caught:
        load_recordings(name)
    return str(caught.value)


EVENTS = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]


@pytest.mark.parametrize("key", ["events", "log", "items"])
def test_a_recording_under_a_usual_key(write: Callable[..., None], key: str) -> None:
    write({"exported": "2026-08-01", key: EVENTS, "count": 1})
    found = load_recordings("run.json")
    assert (found.format, found.notes[0]) == ("ag-ui", f"run.json: only what stands under {key!r} is read")


@pytest.mark.parametrize("value", [{"events": EVENTS, "items": EVENTS}, {"mine": EVENTS}, {"events": 5}])
def test_what_else_an_export_may_hold_is_not_guessed(write: Callable[..., None], value: Any) -> None:
    write(value)
    assert "expected a recording of a known format" in refused()


def test_a_format_of_another_package(adds: Callable[..., None], write: Callable[..., None]) -> None:
    adds("FRUIT")
    write({"fruit": ["", "pear"], "bitten": True})
    recordings = load_recordings("run.json")
    assert (recordings.format, recordings.notes, recordings.incomplete) == ("fruit", ("run.json: fresh",), True)
    assert [thread.id for thread in recordings.threads] == ["run-1", "pear"]


def test_a_reader_that_refuses(adds: Callable[..., None], write: Callable[..., None]) -> None:
    adds("FRUIT")
    write({"fruit": "rotten"})
    assert refused() == (
        "run.json: expected a recording of the format fruit, found one that breaks it: "
        "expected a fruit, found something rotten"
    )


def test_one_id_twice_in_a_file(adds: Callable[..., None], write: Callable[..., None]) -> None:
    adds("FRUIT")
    write({"fruit": ["pear", "pear"]})
    assert 'found the string "pear" again (the first one stands in run.json)' in refused()


def test_no_conversation_is_noted(adds: Callable[..., None], write: Callable[..., None]) -> None:
    adds("FRUIT")
    write({"fruit": []})
    assert load_recordings("run.json").notes[-1] == "run.json: no conversation stands in it"


def test_more_than_one_format_fits(adds: Callable[..., None], write: Callable[..., None]) -> None:
    adds("FRUIT", "GREEDY")
    write({"fruit": []})
    assert "expected a file of one format, found one that fruit and greedy fit" in refused()
    write({"threads": []})
    assert "found one that native and greedy fit" in refused()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NO_FORMAT", "has no name, matches and read"),
        ("TAKEN", "the name 'openai-chat' is taken"),
        ("MISSING", "cannot be loaded: 'MISSING'"),
    ],
)
def test_what_another_package_adds_may_be_wrong(adds: Callable[..., None], name: str, message: str) -> None:
    adds(name)
    with pytest.raises(ConfigurationError, match=message):
        known_formats()


def test_a_format_that_fails_is_named(adds: Callable[..., None], write: Callable[..., None]) -> None:
    adds("CLUMSY")
    write({"fruit": []})
    with pytest.raises(ConfigurationError, match="the format 'clumsy' fails to recognise files: RuntimeError"):
        load_recordings("run.json")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({}, "an empty object"),
        ([], "an empty array"),
        (5, "the number 5"),
        ([5, 6], "an array of 2 items"),
        ({"messages": []}, "an object with the keys messages"),
        ({"messages": [{"role": "robot"}]}, "an object with the keys messages"),
        ([{"role": "user", "content": "x"}, 5], "an array of 2 items"),
    ],
)
def test_no_format_fits(write: Callable[..., None], value: Any, found: str) -> None:
    write(value)
    message = refused()
    assert message.startswith(
        f"run.json:1:1: expected a recording of a known format, found {found} "
        f"(`trajectory formats` tells how each is recognised; known are native, "
    )
    assert "openai-chat, anthropic, langchain" in message


def test_no_format_fits_records(write: Callable[..., None]) -> None:
    write([{"a": 1}, {"b": 2}], "run.jsonl")
    assert "found records, the first one is an object with the keys a (`trajectory formats`" in refused("run.jsonl")


def test_native_lines_of_which_the_last_is_cut_off(write: Callable[..., None], tmp_path: Path) -> None:
    write([thread_document("a", trace_document()), thread_document("b")], "run.jsonl")
    text = (tmp_path / "run.jsonl").read_text("utf-8")
    (tmp_path / "run.jsonl").write_text(text[:-5], "utf-8")
    recordings = load_recordings("run.jsonl")
    assert (recordings.format, [thread.id for thread in recordings.threads]) == ("native", ["a"])
    assert recordings.incomplete


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
KEYS = st.sampled_from(
    [
        "role",
        "type",
        "content",
        "messages",
        "parts",
        "events",
        "author",
        "kind",
        "tool_calls",
        "response",
        "output",
        "choices",
        "message",
        "sessionId",
        "task_id",
        "steps",
        "schema_version",
        "history",
        "jsonrpc",
        "samples",
        "input",
    ]
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["user", "assistant", "tool", "human", "request", "function_call", "2.0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
@settings(max_examples=200)
def test_recognising_never_fails(value: Any) -> None:
    assert all(known.matches(value) in (True, False) for known in known_formats())
