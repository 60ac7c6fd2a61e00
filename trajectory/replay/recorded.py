"""A recorded run as an agent: its sessions answer from a recording instead of calling anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.errors import ConfigurationError, EvaluationError
from trajectory.json_values import describe
from trajectory.replay.agents import Agent, Session
from trajectory.replay.reading import refuse_no_answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.json_values import JsonObject


class RecordedRun(Agent):
    """A run of an agent that was recorded earlier; threads are found by their id.

    Args:
        threads: The recorded threads.
        name: What the recording is called in messages.

    Raises:
        ConfigurationError: A thread was recorded twice.
    """

    can_hang = False

    def __init__(self, threads: Iterable[ConversationThread], *, name: str = "the recording") -> None:
        self.threads: dict[str, ConversationThread] = {}
        self.name = name
        for thread in threads:
            if self.threads.setdefault(thread.id, thread) is not thread:
                raise ConfigurationError(f"{name} holds the thread {thread.id!r} twice")

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open the recording of a thread.

        Raises:
            EvaluationError: This thread was not recorded.
        """
        del session_id
        if thread.id not in self.threads:
            raise EvaluationError(f"{self.name} has no thread {thread.id!r}")
        return _RecordedSession(self.threads[thread.id], self.name)


class _RecordedSession(Session):
    gives_records = True

    def __init__(self, thread: ConversationThread, name: str) -> None:
        self._traces = thread.traces
        self._state = thread.final_state
        self._name = name
        self._played = 0

    def send(self, query: str) -> Trace:
        """Give the next recorded turn.

        Raises:
            EvaluationError: There is none, or it answers another query.
        """
        if self._played == len(self._traces):
            raise EvaluationError(f"{self._name} ends after {self._played} of the turns")
        trace = self._traces[self._played]
        if trace.query and trace.query.strip() != query.strip():  # some formats do not record the query
            raise EvaluationError(
                f"turn {self._played + 1} of {self._name} answers another query: {describe(trace.query)}"
            )
        refuse_no_answer(trace)
        self._played += 1
        return trace

    def final_state(self) -> JsonObject:
        """Give the state that was recorded.

        Raises:
            EvaluationError: None was.
        """
        if self._state is None:
            raise EvaluationError(f"{self._name} keeps no final state of this thread")
        return self._state

    def unplayed(self) -> tuple[Trace, ...]:
        return self._traces[self._played :]
