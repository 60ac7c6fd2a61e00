"""Feed the recorded user turns of a thread, in order, into a fresh session of an agent (outcomes, sections 1 and 2)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

from trajectory.errors import EvaluationError
from trajectory.json_values import NotJson, describe, plain_json
from trajectory.replay.failures import AgentFailure
from trajectory.replay.reading import read_result
from trajectory.replay.recorded_turn import CURRENT_TURN, EXACT, RecordedTurn
from trajectory.replay.workers import InlineWorker, ThreadWorker, TurnTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.json_values import JsonObject
    from trajectory.replay.agents import Agent, Session
    from trajectory.replay.workers import Worker
    from trajectory.settings import ArgumentPolicy


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """One recorded turn and what the agent did when it was given its query.

    Attributes:
        number: Which turn of the thread this is, from 1.
        expected: The turn as recorded in the eval set.
        actual: What the agent did; ``None`` when that is not known.
        failure: Why it is not known; ``None`` for a turn that was played, and for one that was not run at all.
        seconds: How long the agent took.
    """

    number: int
    expected: Trace
    actual: Trace | None = None
    failure: AgentFailure | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ThreadReplay:
    """A thread that was replayed once.

    Attributes:
        thread: The thread of the eval set.
        session_id: The id of the session that it was replayed into.
        turns: Every turn of the thread, also those that were not run.
        surplus: Turns that a recorded run holds beyond those of the thread.
        notes: What else happened that a reader should know.
        final_state: The state in which the session ended, where the thread says what to expect of it.
        state_failure: Why that is not known.
    """

    thread: ConversationThread
    session_id: str
    turns: tuple[TurnReplay, ...]
    surplus: tuple[Trace, ...] = ()
    notes: tuple[str, ...] = ()
    final_state: JsonObject | None = None
    state_failure: AgentFailure | None = None


class Meter(Protocol):
    """Counts what turns take, and says when no further one may start."""

    def charge(self, trace: Trace) -> Trace:
        """Add what a turn took; give the turn with all that is known of its cost."""

    def went_live(self) -> None:
        """Note that a turn called live tools where the recording had no answer."""

    def halt(self) -> str:
        """Say why no further turn may start; empty while one may."""


def replay(  # noqa: PLR0913 - each with its default
    agent: Agent,
    thread: ConversationThread,
    *,
    turn_timeout: float,
    arguments: ArgumentPolicy = EXACT,
    meter: Meter | None = None,
    teacher_forced: bool = False,
) -> ThreadReplay:
    """Replay a thread into a fresh session.

    What the agent raises, returns or fails to return ends up in the turns; nothing of it is raised.

    Args:
        agent: The agent.
        thread: The thread whose user turns are replayed.
        turn_timeout: Seconds that the agent has for a turn (and for opening the session). 0 waits for ever, and then
            everything runs in the calling thread.
        arguments: When a recorded call answers for one that is made, where tools answer from the recording.
        meter: What counts the turns, and may halt them.
        teacher_forced: Before each turn, the session's history is set to the recording, so that an earlier divergence
            of the agent cannot bring about a later one.

    Returns:
        What happened, turn by turn.
    """
    session_id = f"trajectory-{uuid.uuid4()}"
    with ThreadWorker(turn_timeout) if agent.can_hang and turn_timeout else InlineWorker() as worker:
        player = _Player(worker, thread, turn_timeout, arguments, meter, teacher_forced=teacher_forced)
        failure = None
        try:
            worker.attend(lambda: player.play(agent, session_id))
        except TurnTimeout:
            failure = AgentFailure.of_timeout(turn_timeout)
        except (Exception, KeyboardInterrupt, SystemExit):
            raise  # the ways out of the whole run
        except BaseException as gave_up:  # noqa: BLE001 - what test runners interrupt a single test with
            failure = AgentFailure.of_giving_up(gave_up)
    return player.replayed(session_id, failure)


class _Player:
    """Plays the turns of one thread until something goes wrong; the turns after that are not run."""

    def __init__(  # noqa: PLR0913 - what `replay` is given
        self,
        worker: Worker,
        thread: ConversationThread,
        timeout: float,
        arguments: ArgumentPolicy,
        meter: Meter | None,
        *,
        teacher_forced: bool,
    ) -> None:
        self._worker = worker
        self._thread = thread
        self._timeout = timeout
        self._arguments = arguments
        self._meter = meter
        self._teacher_forced = teacher_forced
        self._turns: list[TurnReplay] = []
        self._surplus: tuple[Trace, ...] = ()
        self._notes: list[str] = []
        self._final: tuple[JsonObject | None, AgentFailure | None] | None = None

    def play(self, agent: Agent, session_id: str) -> None:
        """Open a session, give it the turns, and close it."""
        session: Session | None
        session, not_opened = self._attempt(lambda: agent.open(self._thread, session_id))
        for number, expected in enumerate(self._thread.traces, start=1):
            turn = self._turn(session, number, expected) if session else TurnReplay(number, expected, None, not_opened)
            self._turns.append(turn)
            if turn.failure is not None:
                break
        if session is not None:
            self._end(session)

    def replayed(self, session_id: str, failure: AgentFailure | None) -> ThreadReplay:
        """Say what happened.

        Args:
            session_id: The session's id.
            failure: Why the session was given up on, if it was. Its thread may still run, and change nothing more.
        """
        turns, notes, final = tuple(self._turns), list(self._notes), self._final
        if failure is not None and not _failed(turns) and len(turns) < len(self._thread.traces):
            turns = (*turns, TurnReplay(len(turns) + 1, self._thread.traces[len(turns)], None, failure))
        elif failure is not None and not _failed(turns) and self._asks_for_state and final is None:
            final = None, failure
        elif failure is not None:
            notes.append(_went_wrong_closing(failure))
        not_run = enumerate(self._thread.traces[len(turns) :], start=len(turns) + 1)
        turns = (*turns, *(TurnReplay(number, expected) for number, expected in not_run))
        return ThreadReplay(self._thread, session_id, turns, self._surplus, tuple(notes), *(final or (None, None)))

    def _turn(self, session: Session, number: int, expected: Trace) -> TurnReplay:
        failure = self._prepare(session, number)
        if failure is not None:
            return TurnReplay(number, expected, failure=failure)
        begun, start = datetime.now(UTC), time.perf_counter()
        recorded = RecordedTurn(number, expected, self._arguments, self._thread.failed_calls)

        def send() -> Any:
            CURRENT_TURN.set(recorded)  # in the context of the session, where the agent's tools find it
            return session.send(expected.query)

        if session.gives_records:
            actual, failure = self._attempt(send)
        else:
            actual, failure = self._attempt(send, read=lambda result: read_result(result, expected.query, begun))
        if recorded.misses:  # whatever the agent made of them
            actual, failure = None, AgentFailure.of(recorded.misses[0])
        if recorded.live:
            self._notes.append(f"turn {number}: live calls, not answered by the recording: {', '.join(recorded.live)}")
        if self._meter is not None:
            actual = self._metered(self._meter, actual, went_live=bool(recorded.live))
        return TurnReplay(number, expected, actual, failure, time.perf_counter() - start)

    @staticmethod
    def _metered(meter: Meter, actual: Trace | None, *, went_live: bool) -> Trace | None:
        if went_live:
            meter.went_live()
        return None if actual is None else meter.charge(actual)

    def _prepare(self, session: Session, number: int) -> AgentFailure | None:
        """Make sure that the turn may start, and that it starts from the right history."""
        if self._meter is not None and (reason := self._meter.halt()):
            return AgentFailure(reason)
        if number == 1 or not self._teacher_forced:
            return None
        _, failure = self._attempt(lambda: session.set_history(self._thread.traces[: number - 1]))
        return failure

    def _end(self, session: Session) -> None:
        """Ask for what is known after the last turn, and close the session: what goes wrong with that is only noted."""
        if not _failed(self._turns):
            self._surplus = session.unplayed()
            if self._asks_for_state:
                self._final = self._attempt(session.final_state, read=_state)
        _, failure = self._attempt(session.close)
        if failure is not None:
            self._notes.append(_went_wrong_closing(failure))

    @property
    def _asks_for_state(self) -> bool:
        return self._thread.expected_final_state is not None

    def _attempt(
        self, call: Callable[[], Any], read: Callable[[Any], Any] = lambda result: result
    ) -> tuple[Any, AgentFailure | None]:
        try:
            found, problem = self._worker.run(call, read)
        except TurnTimeout:
            return None, AgentFailure.of_timeout(self._timeout)
        return found, None if problem is None else AgentFailure.of(problem)


def _failed(turns: Sequence[TurnReplay]) -> bool:
    return bool(turns) and turns[-1].failure is not None


def _went_wrong_closing(failure: AgentFailure) -> str:
    return f"closing the session went wrong: {failure.text}"


def _state(value: Any) -> JsonObject:
    """Take a state as plain JSON: a mapping, or an object that can be dumped as one."""
    dumped = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    if isinstance(dumped, Mapping):
        dumped = dict(dumped)
    try:
        plain = plain_json(dumped)
    except NotJson as problem:
        raise EvaluationError(f"the session's state is no plain JSON: {problem}") from None
    if not isinstance(plain, dict):
        raise EvaluationError(f"the session's state is {describe(plain)}, not an object")
    return plain
