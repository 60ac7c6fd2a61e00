"""A recorded run in the place of an agent."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import call, conversation
from trajectory.errors import ConfigurationError
from trajectory.replay import RecordedRun, ThreadReplay, replay

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread

ADD = [call("add", a=1)]


def played(thread: ConversationThread, *recorded: ConversationThread) -> ThreadReplay:
    return replay(RecordedRun(recorded), thread, turn_timeout=20)


def failures(replayed: ThreadReplay) -> list[str]:
    return [turn.failure.text if turn.failure else "" for turn in replayed.turns]


def test_it_answers_turn_by_turn_as_often_as_it_is_asked() -> None:
    recorded = conversation("t", [("a", ADD), ("b", [])])
    run = RecordedRun([recorded])
    for _ in range(2):
        replayed = replay(run, conversation("t", [("a", []), (" b\n", [])]), turn_timeout=20)
        actual = [turn.actual.trajectory for turn in replayed.turns if turn.actual]
        assert actual == [recorded.traces[0].trajectory, ()]
        assert replayed.surplus == ()


def test_it_needs_no_thread_of_its_own() -> None:
    before = threading.active_count()
    seen: list[int] = []

    class Watching(RecordedRun):
        def open(self, thread: Any, session_id: str) -> Any:
            seen.append(threading.active_count())
            return super().open(thread, session_id)

    recorded = conversation("t", [("a", [])])
    replay(Watching([recorded]), recorded, turn_timeout=20)
    assert seen == [before]


def test_a_thread_that_was_not_recorded() -> None:
    replayed = played(conversation("t", [("a", []), ("b", [])]), conversation("other", []))
    assert failures(replayed) == ["the recording has no thread 't'", ""]


def test_turns_that_were_not_recorded() -> None:
    replayed = played(conversation("t", [("a", []), ("b", []), ("c", [])]), conversation("t", [("a", [])]))
    assert failures(replayed) == ["", "the recording ends after 1 of the turns", ""]
    assert replayed.surplus == ()


def test_turns_that_only_the_recording_has() -> None:
    recorded = conversation("t", [("a", []), ("b", ADD)])
    assert played(conversation("t", [("a", [])]), recorded).surplus == recorded.traces[1:]
    assert played(conversation("t", []), recorded).surplus == recorded.traces


def test_another_conversation_under_the_same_id() -> None:
    replayed = played(conversation("t", [("a", []), ("b", [])]), conversation("t", [("a", []), ("c", []), ("d", [])]))
    assert failures(replayed) == ["", 'turn 2 of the recording answers another query: the string "c"']
    assert replayed.surplus == ()


def test_a_recorded_turn_without_an_answer_passes_nothing() -> None:
    recorded = conversation("t", [("a", [])])
    silent = recorded.traces[0].model_copy(update={"output": "quota exceeded"})
    replayed = played(recorded, recorded.model_copy(update={"traces": (silent,)}))
    assert failures(replayed) == ["the turn ended in an error: quota exceeded"]


def test_two_recordings_of_one_thread_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"the recording run\.json holds the thread 'a' twice"):
        RecordedRun([conversation("a", []), conversation("a", [("x", ADD)])], name="the recording run.json")
