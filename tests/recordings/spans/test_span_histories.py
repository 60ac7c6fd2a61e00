"""Histories that grow are read for what is new, and say the same as if each was read as a whole."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recordings.spans.making import PARIS, assistant, chat, result, threads, user
from trajectory.recordings.spans.histories import Histories
from trajectory.recordings.spans.parts import read_conversation

MESSAGES = st.sampled_from([user("hi"), user("]"), user(","), assistant("yes", PARIS), result(PARIS, {"a": [1]}), {}])
TEXTS = st.builds(
    lambda messages, indent, end: json.dumps(messages, indent=indent) + end,
    st.lists(MESSAGES, max_size=5),
    st.sampled_from([None, None, 1]),
    st.sampled_from(["", " ", "\n"]),
)


def whole(text: str) -> object:
    value = json.loads(text)
    return read_conversation(value) if value else None


@given(st.lists(TEXTS, max_size=4))
def test_any_texts(texts: list[str]) -> None:
    histories = Histories()
    assert [histories.read(text) for text in texts] == [whole(text) for text in texts]


@given(st.lists(MESSAGES, min_size=1), st.sampled_from([None, 2]))
def test_texts_that_go_on(messages: list[object], indent: int | None) -> None:
    histories = Histories()
    for length in range(1, len(messages) + 1):
        text = json.dumps(messages[:length], indent=indent)
        assert histories.read(text) == whole(text)


@pytest.mark.parametrize(
    "broken", ["[", '[{"role": "user"}', '[{"role": "user"}, ]', '[{"role": "user"}]]', "{}", "", "x"]
)
def test_what_is_no_list_of_messages(broken: str) -> None:
    histories = Histories()
    assert histories.read(broken) is None
    histories.read('[{"role": "user"}]')
    assert histories.read(broken) is None


def test_a_long_turn_takes_a_time_in_proportion_to_its_text() -> None:
    history, spans = [user("hi")], []
    for number in range(400):
        said = assistant({**PARIS, "id": f"call_{number}"})
        spans.append(chat(f"c{number}", number, history, [said]))
        history = [*history, said, result({"id": f"call_{number}"}, "rain")]
    begin = time.monotonic()
    ((trace,),) = (thread.traces for thread in threads(*spans))
    assert time.monotonic() - begin < 5
    assert len(trace.trajectory) == 400
