"""Eval sets made of recorded threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sets import conversation
from trajectory import eval_set_of, load_eval_set, load_recordings, save_eval_set
from trajectory.conversation import NOT_RECORDED, FunctionMessage, MalformedArguments, ToolCall, Usage
from trajectory.errors import EvalSetError

if TYPE_CHECKING:
    from pathlib import Path

    from trajectory.conversation import ConversationThread


def recorded(*calls: ToolCall, name: str = "t") -> ConversationThread:
    thread = conversation(name, [("hello", [])])
    changed = {"tool_calls": calls, "usage": Usage(1, 2), "models": ("m",)}
    return thread.model_copy(update={"traces": (thread.traces[0].model_copy(update=changed),), "final_state": {"a": 1}})


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    failed = FunctionMessage(name="f", content="no", error=True, end_time=(5, 0.0), id="1")
    thread = recorded(ToolCall(name="f", arguments={"a": 1}, id="1", result=failed, agent="x"))
    eval_set = eval_set_of([thread], id="s", name="Set")
    save_eval_set(eval_set, tmp_path / "x.evalset.json")
    again = load_eval_set(tmp_path / "x.evalset.json")
    assert again == eval_set
    (call,) = again.threads[0].traces[0].trajectory
    assert call.result is not None
    assert (call.name, call.result.content) == ("f", "no")
    assert again.threads[0].failed_calls == ("/traces/0/toolCalls/0",)


def test_what_cannot_be_expected_is_refused_with_its_place() -> None:
    bad = recorded(ToolCall(name="f"), ToolCall(name="g", arguments=MalformedArguments("{", "no JSON")))
    bare = recorded(ToolCall(name="h", arguments=NOT_RECORDED), name="u")
    with pytest.raises(EvalSetError) as caught:
        eval_set_of([bad, bare, bare], id="s")
    assert str(caught.value).splitlines() == [
        "thread t: /traces/0/toolCalls/1/arguments expected arguments of an expected call, found malformed ones of g (no JSON)",
        "thread u: /traces/0/toolCalls/0/arguments expected arguments of an expected call, found that those of h were not recorded",
        "thread u: /traces/0/toolCalls/0/arguments expected arguments of an expected call, found that those of h were not recorded",
        "thread u: /id expected an id that no other thread has, found 'u'",
    ]


def test_a_recording_becomes_an_eval_set(tmp_path: Path) -> None:
    recordings = load_recordings("fixtures/recorded_run.json")
    save_eval_set(eval_set_of(recordings.threads, id="run"), tmp_path / "x.evalset.json")
    again = load_eval_set(tmp_path / "x.evalset.json")
    assert [t.trajectory for one in again.threads for t in one.traces] == [
        t.trajectory for one in recordings.threads for t in one.traces
    ]
