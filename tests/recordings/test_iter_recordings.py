"""Recordings one after the other: the same ones, in bounded memory, or an error at the line that is wrong."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evalset.documents import thread_document
from tests.recordings.mutations import CHANGES, DAMAGES, Change, Damage, changed, damaged
from trajectory import ConversationThread, iter_recordings, load_recordings
from trajectory.errors import EvalSetError
from trajectory.recordings.containers import read_content

FOLDER = Path(__file__).parents[2] / "fixtures" / "recordings"
ONE_A_LINE = ("openai_chat.json", "anthropic.json", "langchain_dump.json", "vercel_ai_ui.json", "atif.json")
CALL = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
MESSAGES = st.lists(
    st.sampled_from(
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "yes"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}]},
            {"type": "human", "content": "hi"},
        ]
    ),
    max_size=4,
)
RECORDS = st.lists(
    st.one_of(
        st.builds(lambda messages: {"messages": messages}, MESSAGES),
        st.builds(lambda messages, name: {"messages": messages, "id": name}, MESSAGES, st.integers(0, 3)),
        MESSAGES,
        st.just({"messages": [{"role": "user", "content": "hi"}], "response": {"choices": [{"message": {}}]}}),
        st.just({"role": "user", "content": "hi"}),
    ),
    min_size=1,
    max_size=6,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams") / "run.jsonl"


def write(file: Path, *records: Any) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return file


def loaded(file: Path) -> tuple[ConversationThread, ...] | None:
    try:
        recordings = load_recordings(file)
    except EvalSetError:
        return None
    return None if recordings.incomplete else recordings.threads


def streamed(file: Path) -> tuple[ConversationThread, ...] | None:
    try:
        return tuple(iter_recordings(file))
    except EvalSetError:
        return None


def talk(number: int) -> dict[str, Any]:
    said = [{"role": "user", "content": "x" * 2000}, {"role": "assistant", "content": "y" * 2000, "tool_calls": [CALL]}]
    return {"id": f"talk-{number}", "messages": said}


@pytest.mark.parametrize("recording", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_the_same_conversations(recording: Path) -> None:
    assert streamed(recording) == loaded(recording)


@pytest.mark.parametrize("name", ONE_A_LINE)
@pytest.mark.parametrize("lines", [1, 2, 30])
def test_one_conversation_a_line(file: Path, name: str, lines: int) -> None:
    value = json.loads((FOLDER / name).read_text("utf-8"))
    record = value if isinstance(value, dict) else {"messages": value}
    write(file, *({**record, "id": f"t{number}", "session_id": f"s{number}"} for number in range(lines)))
    found = streamed(file)
    assert found is not None
    assert (len(found), found) == (lines, loaded(file))


def test_threads_of_the_native_shape(file: Path) -> None:
    write(file, *(thread_document(f"t{number}") for number in range(25)))
    found = streamed(file)
    assert found is not None
    assert (len(found), found) == (25, loaded(file))


@given(records=RECORDS)
def test_what_is_given_is_what_is_loaded(file: Path, records: list[Any]) -> None:
    write(file, *records)
    found = streamed(file)
    assert found is None or found == loaded(file)


@given(changes=CHANGES, damages=DAMAGES, kind=st.integers(0, 2))
def test_damaged_files(file: Path, changes: list[Change], damages: list[Damage], kind: int) -> None:
    records = [document.value for document in read_content(str(FOLDER / "openai_chat_rows.jsonl")).documents] * 2
    lines = changed(records, changes) if kind != 1 else records
    write(file, *(lines if isinstance(lines, list) else [lines]))
    if kind:
        file.write_bytes(damaged(file.read_bytes(), damages))
    found = streamed(file)
    assert found is None or found == loaded(file)


def test_memory_is_bounded(file: Path) -> None:
    write(file, *map(talk, range(2_000)))
    size = file.stat().st_size
    tracemalloc.start()
    try:
        assert sum(len(thread.traces) for thread in iter_recordings(file)) == 2_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < size / 8


def test_the_first_conversations_are_given_before_the_rest_is_read(file: Path) -> None:
    write(file, *map(talk, range(25)))
    with file.open("a") as stream:
        stream.write("oops\n")
    stream_of_threads = iter_recordings(file)
    assert [thread.id for thread in islice(stream_of_threads, 25)] == [f"talk-{number}" for number in range(25)]
    with pytest.raises(EvalSetError, match=r"run\.jsonl:26:1: expected a value, found 'oops'"):
        next(stream_of_threads)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"resourceSpans": []}, "run.jsonl:31:1: expected a conversation of the format openai-chat, as on the lines before"),
        ([talk(1)], "run.jsonl:31:1: expected a conversation of the format openai-chat"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}, "run.jsonl:31:1: expected a conv"),
        ({"messages": [{"role": "user", "content": "hi"}], "response": {"choices": [{"message": {}}]}}, "run.jsonl:31:1: "),
        ({"messages": [{"role": "user", "content": {"a": 1}}]}, "run.jsonl:31: expected a recording of the format openai-c"),
        (talk(3), 'run.jsonl:31: expected thread ids that no other recording has, found the string "talk-3" again (the'),
    ],
)  # fmt: skip
def test_a_later_line_that_does_not_belong_there(
    file: Path, monkeypatch: pytest.MonkeyPatch, record: Any, message: str
) -> None:
    write(file, *map(talk, range(30)), record)
    monkeypatch.chdir(file.parent)
    with pytest.raises(EvalSetError) as caught:
        list(iter_recordings(file.name))
    assert str(caught.value).startswith(message)


def test_what_is_incomplete_is_an_error(file: Path) -> None:
    whole = json.loads((FOLDER / "atif.json").read_text("utf-8"))
    write(file, {**whole, "continued_trajectory_ref": "b.json"})
    with pytest.raises(
        EvalSetError, match=r"run\.jsonl:1: expected a recording that is whole, found one of which .*b\.js"
    ):
        list(iter_recordings(file))
    file.write_text((FOLDER / "otlp.jsonl").read_text("utf-8") + "{", "utf-8")
    with pytest.raises(EvalSetError, match=r"load_recordings reads what is there"):
        list(iter_recordings(file))


def test_what_is_no_plain_file_is_loaded_whole(file: Path) -> None:
    packed = file.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(write(file, talk(1), talk(2)).read_bytes()))
    assert streamed(packed) == loaded(packed) == loaded(file)
    assert streamed(FOLDER / "strands_session") == loaded(FOLDER / "strands_session")
    with pytest.raises(EvalSetError, match="nothing of that name"):
        list(iter_recordings(file.with_name("none.jsonl")))
