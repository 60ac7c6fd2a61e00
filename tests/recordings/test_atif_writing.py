"""Recorded threads written as ATIF, and read again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evalset.strategies import OBJECTS
from tests.sets import call, conversation
from trajectory import load_recordings, save_recordings
from trajectory.conversation import NOT_RECORDED, FunctionMessage, MalformedArguments, ToolCall, Usage
from trajectory.errors import ConfigurationError, EvalSetError
from trajectory.recordings.atif_writing import atif_losses

FIXTURES = Path(__file__).parents[2] / "fixtures" / "recordings"
CORPUS = Path(os.environ.get("TRAJECTORY_CORPUS", "no corpus")) / "atif"
WORDS = st.text("abc é", min_size=1, max_size=6).filter(str.strip)


def facts(threads: Any) -> list[Any]:
    return [
        (
            thread.id,
            [
                (
                    turn.query,
                    turn.response or None,
                    [(one.name, one.arguments, one.result and (one.result.content or "")) for one in turn.trajectory],
                    turn.usage,
                )
                for turn in thread.traces
            ],
        )
        for thread in threads
    ]


@given(
    st.lists(
        st.tuples(
            WORDS,
            st.lists(st.tuples(WORDS, OBJECTS, st.none() | WORDS), max_size=3),
            WORDS,
            st.none() | st.builds(Usage, st.integers(1, 9), st.integers(1, 9), st.none(), st.none() | st.just(0.5)),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, turns: list[Any]) -> None:
    thread = conversation("t", [(query, []) for query, *_ in turns])
    traces = []
    for trace, (_, calls, answer, usage) in zip(thread.traces, turns, strict=True):
        made = tuple(
            ToolCall(
                name=name, arguments=given, result=None if text is None else FunctionMessage(name=name, content=text)
            )
            for name, given, text in calls
        )
        output = trace.output.model_copy(update={"content": answer})  # type: ignore[union-attr]
        traces.append(trace.model_copy(update={"tool_calls": made, "usage": usage, "output": output}))
    before = thread.model_copy(update={"traces": tuple(traces)})
    file = tmp_path_factory.mktemp("atif") / "x.json"
    save_recordings([before], file)
    again = load_recordings(file)
    assert again.format == "atif"
    read, wrote = facts(again.threads), facts([before])
    for (_, was), (_, now) in zip(wrote, read, strict=True):
        assert [turn[:3] for turn in now] == [turn[:3] for turn in was]
        for old, new in zip(was, now, strict=True):
            assert old[3] is None or (old[3].tokens, old[3].cost_usd) == (new[3].tokens, new[3].cost_usd)


@pytest.mark.parametrize(
    "file", sorted(CORPUS.glob("*.json")) if CORPUS.is_dir() else [FIXTURES / "atif.json"], ids=lambda p: p.name
)
def test_real_trajectories_come_back(file: Path, tmp_path: Path) -> None:
    recordings = load_recordings(file)
    save_recordings(recordings.threads, tmp_path / "x.json", allow_loss=True)
    again = load_recordings(tmp_path / "x.json")
    assert [[turn[:3] for turn in turns] for _, turns in facts(again.threads)] == [
        [turn[:3] for turn in turns] for _, turns in facts(recordings.threads)
    ]


def test_several_threads_and_lines(tmp_path: Path) -> None:
    threads = [conversation(name, [("hi", [call("f", a=1)])]) for name in ("a", "b")]
    for name in ("x.json", "x.jsonl"):
        save_recordings(threads, tmp_path / name)
        assert [thread.id for thread in load_recordings(tmp_path / name).threads] == ["a", "b"]
    assert len((tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_the_parts_of_a_trajectory(tmp_path: Path) -> None:
    save_recordings([conversation("t", [("hi", [call("f", a=1), call("g")])])], tmp_path / "x.json")
    document = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert document["schema_version"] == "ATIF-v1.7"
    assert [step["step_id"] for step in document["steps"]] == [1, 2, 3]
    assert [step["source"] for step in document["steps"]] == ["user", "agent", "agent"]
    assert [one["tool_call_id"] for one in document["steps"][1]["tool_calls"]] == ["call_1_1", "call_1_2"]


def test_what_is_lost_is_refused_and_named(tmp_path: Path) -> None:
    calls = (
        ToolCall(name="f", arguments=MalformedArguments("{", "no JSON")),
        ToolCall(name="g", arguments=NOT_RECORDED, agent="helper"),
        ToolCall(name="h", result=FunctionMessage(name="h", content="no", error=True)),
    )
    thread = conversation("t", [("hi", [])])
    thread = thread.model_copy(
        update={"traces": (thread.traces[0].model_copy(update={"tool_calls": calls}),), "final_state": {"a": 1}}
    )
    assert list(atif_losses([thread])) == [
        "thread 't': the state in which the session ended",
        "thread 't', turn 1: the malformed arguments of f",
        "thread 't', turn 1: that the arguments of g were not recorded",
        "thread 't', turn 1: which agent called g",
        "thread 't', turn 1: whether the call of h failed",
    ]
    with pytest.raises(EvalSetError, match="what ATIF has a place for"):
        save_recordings([thread], tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()
    save_recordings([thread], tmp_path / "x.json", allow_loss=True)


def test_formats_and_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="expected one of the formats atif, found 'otlp'"):
        save_recordings([], tmp_path / "x.json", "otlp")
    with pytest.raises(EvalSetError, match="expected a file that can be written, found No such file"):
        save_recordings([], tmp_path / "nowhere" / "x.json")
