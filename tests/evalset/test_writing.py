"""What is read is written back without loss, as a whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

import trajectory
from tests.evalset.documents import TIME, eval_set_document, thread_document, trace_document
from tests.evalset.strategies import EVAL_SETS
from trajectory.conversation import (
    NOT_RECORDED,
    AssistantMessage,
    ConversationThread,
    MalformedArguments,
    ToolCall,
    Trace,
    UserMessage,
)
from trajectory.errors import ConfigurationError, EvalSetError
from trajectory.evalset import EvalSet, load_eval_set, save_eval_set

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[..., str]

CORPUS = os.environ.get("TRAJECTORY_CORPUS")


def exactly(value: Any) -> str:
    """Write a value so that 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


@given(document=EVAL_SETS)
@settings(max_examples=75, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_load_save_load_is_the_identity(write: Write, document: Any) -> None:
    loaded = load_eval_set(write(document))
    save_eval_set(loaded, "saved.json")
    again = load_eval_set("saved.json")
    assert again == loaded
    assert exactly(again.model_dump(mode="json")) == exactly(loaded.model_dump(mode="json"))
    save_eval_set(again, "twice.json")
    assert Path("twice.json").read_bytes() == Path("saved.json").read_bytes()


def test_the_text_that_is_written(write: Write) -> None:
    call = {"name": "f", "arguments": {"é": None}, "id": "c"}
    iterations = [
        {
            "history": [{"role": "user", "content": "hi"}],
            "output": [{"role": "assistant", "toolCalls": [call]}],
            "startTime": [0, 0.5],
            "endTime": TIME,
        }
    ]
    thread = thread_document("a", trace_document(iterations=iterations), tags=[], evaluation={"match_mode": "SUBSET"})
    save_eval_set(load_eval_set(write(eval_set_document(thread, created_on="x"))), "saved.json")
    text = Path("saved.json").read_text("utf-8")
    assert text.startswith(
        '{\n  "id": "set",\n  "name": "n",\n  "description": "d",\n  "created_on": "x",\n  "threads": [\n'
    )
    assert text.endswith("}\n")
    assert '"é": null' in text
    saved = json.loads(text)["threads"][0]
    assert list(saved) == ["id", "description", "evaluation", "traces"]
    assert saved["traces"][0]["iterations"][0] | {"history": []} == {
        "history": [],
        "output": {"role": "assistant", "content": None, "toolCalls": [call]},
        "startTime": [0, 0.5],
        "endTime": TIME,
    }
    assert list(saved["traces"][0]) == ["id", "userMessage", "iterations", "output", "tools", "startTime", "endTime"]


def set_with(call: ToolCall) -> EvalSet:
    trace = Trace(
        id="t",
        user_message=UserMessage(content="hi"),
        iterations=(),
        output=AssistantMessage(),
        tools=(),
        tool_calls=(call,),
        start_time=TIME,
        end_time=TIME,
    )
    return EvalSet(id="x", threads=(ConversationThread(id="a", traces=(trace,)),))


def test_a_set_made_in_code(tmp_path: Path) -> None:
    made = set_with(ToolCall(name="f", arguments={"a": (1, 2)}))
    save_eval_set(made, tmp_path / "made.json")
    assert load_eval_set(tmp_path / "made.json") == made


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        (
            set_with(ToolCall(name="f", arguments=MalformedArguments("{oops", "x"))),
            '/threads/0/traces/0/toolCalls/0/arguments expected an object, found the string "{oops"',
        ),
        (set_with(ToolCall(name="f", arguments=NOT_RECORDED)), 'expected an object, found the string "not recorded"'),
        (
            EvalSet(id="x", threads=(), more={1, 2}),
            "expected plain JSON, found a value of type set is not JSON at /more",
        ),
        (EvalSet(id="x", threads=(), more={1: 2}), "the key 1 is not a string at /more"),
        (EvalSet(id="x", threads=(), more=float("nan")), "nan is not a JSON number at /more"),
        (EvalSet(id="x", threads=(), more="\ud800"), "expected Unicode text, found half of a surrogate pair"),
        (EvalSet(id="x", threads=(), evaluation={"match_mod": 1}), "found the unknown key 'match_mod'"),
        (
            EvalSet(id="x", threads=(ConversationThread(id="a", traces=()),) * 2),
            "/threads/1/id expected an id that no other thread has",
        ),
    ],
)
def test_nothing_is_written_that_could_not_be_read(tmp_path: Path, eval_set: EvalSet, message: str) -> None:
    target = tmp_path / "set.json"
    target.write_text("old", "utf-8")
    with pytest.raises(EvalSetError) as caught:
        save_eval_set(eval_set, target)
    assert message in str(caught.value)
    assert [(file.name, file.read_text("utf-8")) for file in tmp_path.iterdir()] == [("set.json", "old")]


def test_a_crash_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_: int) -> None:
        raise KeyboardInterrupt

    target = tmp_path / "set.json"
    target.write_text("old", "utf-8")
    monkeypatch.setattr("os.fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        save_eval_set(EvalSet(id="x", threads=()), target)
    assert [(file.name, file.read_text("utf-8")) for file in tmp_path.iterdir()] == [("set.json", "old")]


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "set.json", tmp_path / "link.json"
    target.write_text("old", "utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    save_eval_set(EvalSet(id="x", threads=()), link)
    assert (link.is_symlink(), target.stat().st_mode & 0o777, load_eval_set(target).id) == (True, 0o640, "x")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(EvalSetError, match=r"set.json: expected a file that can be written, found No such file"):
        save_eval_set(EvalSet(id="x", threads=()), tmp_path / "no" / "set.json")


def test_shapes_and_names_that_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected one of the shapes native, adk, found 'nativ'"):
        save_eval_set(EvalSet(id="x", threads=()), tmp_path / "set.json", shape="nativ")
    with pytest.raises(ConfigurationError, match=r"a \.jsonl file holds threads only"):
        save_eval_set(EvalSet(id="x", threads=()), tmp_path / "set.jsonl")


def test_the_name_is_at_the_top_of_the_package() -> None:
    assert trajectory.save_eval_set is save_eval_set


@pytest.mark.skipif(CORPUS is None, reason="TRAJECTORY_CORPUS is not set")
def test_a_set_of_the_editor_comes_back(tmp_path: Path) -> None:
    loaded = load_eval_set(Path(CORPUS or "") / "ballerina" / "sessions.evalset.json")
    save_eval_set(loaded, tmp_path / "set.json")
    assert load_eval_set(tmp_path / "set.json") == loaded
