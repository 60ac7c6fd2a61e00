"""Eval sets written as Google ADK writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.evalset.strategies import THREADS
from tests.sets import call, conversation
from trajectory import EvalSet, load_eval_set, save_eval_set
from trajectory.conversation import FunctionMessage, PromptTrace, ToolCall
from trajectory.errors import EvalSetError
from trajectory.evalset import eval_set_of, losses

CORPUS = Path(os.environ.get("TRAJECTORY_CORPUS", "no corpus")) / "adk_evalset"
FILES = sorted(CORPUS.glob("*.json")) if CORPUS.is_dir() else []


def written(eval_set: EvalSet, folder: Path, **options: Any) -> tuple[EvalSet, dict[str, Any]]:
    file = folder / "written.evalset.json"
    save_eval_set(eval_set, file, "adk", **options)
    return load_eval_set(file), json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.skipif(not FILES, reason="TRAJECTORY_CORPUS is not set")
def test_every_file_of_the_corpus_comes_back_as_it_was(tmp_path: Path) -> None:
    seen = 0
    for file in FILES:
        try:
            eval_set = load_eval_set(file)
        except EvalSetError:
            continue
        again, _ = written(eval_set, tmp_path, allow_loss=True)
        if eval_set.shape == "Google ADK eval set":
            seen += 1
            assert again.threads == eval_set.threads, file.name
        else:
            assert [[t.query for t in one.traces] for one in again.threads] == [
                [t.query for t in one.traces] for one in eval_set.threads
            ]
    assert seen >= 10


@given(THREADS)
def test_what_adk_can_say_of_any_thread_is_kept(
    tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any]
) -> None:
    threads = EvalSet.model_validate({"id": "s", "threads": [document]}).threads
    folder = tmp_path_factory.mktemp("adk")
    (read,), (was,) = written(EvalSet(id="s", threads=threads), folder, allow_loss=True)[0].threads, threads
    assert (read.id, read.description, read.tags, read.initial_state) == (
        was.id,
        was.description,
        was.tags,
        was.initial_state,
    )
    for turn, before in zip(read.traces, was.traces, strict=True):
        assert (turn.id or "turn-1", turn.query, turn.response or None) == (
            before.id or turn.id or "turn-1",
            before.query,
            before.response or None,
        )
        assert turn.trajectory == before.trajectory
        assert turn.states_expectation


def test_results_and_states_are_kept(tmp_path: Path) -> None:
    result = FunctionMessage(name="look", content='{"at": "door"}', id="1")
    looked = ToolCall(name="look", arguments={"x": 1}, id="1", result=result)
    thread = conversation("t", [("hello", [])], initial_state={"a": 1}, expected_final_state={"a": 2})
    thread = thread.model_copy(update={"traces": (thread.traces[0].model_copy(update={"tool_calls": (looked,)}),)})
    read, document = written(eval_set_of([thread], id="s"), tmp_path)
    (again,) = read.threads
    assert again.traces[0].trajectory == (looked,)
    assert again.traces[0].trajectory[0].result is not None
    assert json.loads(again.traces[0].trajectory[0].result.content or "") == {"at": "door"}
    assert (again.initial_state, again.expected_final_state) == ({"a": 1}, {"a": 2})
    case = document["eval_cases"][0]
    assert case["session_input"] == {"app_name": "app", "user_id": "user", "state": {"a": 1}}
    assert case["conversation"][0]["intermediate_data"]["tool_responses"] == [
        {"name": "look", "response": {"at": "door"}, "id": "1"}
    ]


def test_a_result_that_is_no_object_is_wrapped(tmp_path: Path) -> None:
    looked = ToolCall(name="look", result=FunctionMessage(name="look", content="3 degrees"))
    thread = conversation("t", [("hello", [])])
    thread = thread.model_copy(update={"traces": (thread.traces[0].model_copy(update={"tool_calls": (looked,)}),)})
    _, document = written(eval_set_of([thread], id="s"), tmp_path)
    data = document["eval_cases"][0]["conversation"][0]["intermediate_data"]
    assert data["tool_responses"] == [{"name": "look", "response": {"result": "3 degrees"}}]


def test_no_expectation_is_not_no_calls(tmp_path: Path) -> None:
    thread = conversation("t", [("one", []), ("two", [])])
    prompt = PromptTrace(**dict(thread.traces[1]))
    read, document = written(
        EvalSet(id="s", threads=(thread.model_copy(update={"traces": (thread.traces[0], prompt)}),)), tmp_path
    )
    assert [turn.states_expectation for turn in read.threads[0].traces] == [True, False]
    assert ["intermediate_data" in turn for turn in document["eval_cases"][0]["conversation"]] == [True, False]


def test_what_is_lost_is_refused_and_named(tmp_path: Path) -> None:
    thread = conversation("t", [("one", [call("f")])], evaluation={"match_mode": "SUBSET"}, note="mine")
    eval_set = EvalSet(id="s", threads=(thread,), evaluation={"min_pass_rate": 0.5})
    with pytest.raises(EvalSetError) as caught:
        written(eval_set, tmp_path)
    assert list(losses(eval_set, "adk")) == [
        "the settings of the set (evaluation)",
        "thread 't': its settings (evaluation)",
        "thread 't': the key 'note'",
    ]
    assert "found thread 't': the key 'note' (allow_loss leaves it out)" in str(caught.value)
    assert not (tmp_path / "written.evalset.json").exists()
    assert losses(eval_set, "native") == ()
    assert len(written(eval_set, tmp_path, allow_loss=True)[0].threads) == 1
