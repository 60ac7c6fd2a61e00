"""What a framework's run recorded, as a turn: adapters dump it, and the reader of the format's recordings reads it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trajectory.conversation import UserMessage
from trajectory.errors import AgentError, EvaluationError

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread, Trace
    from trajectory.recordings.formats.base import Format


def read_turn(recorded: Format, document: Any, query: str, begun: datetime) -> Trace:
    """Read the turn that a framework has just played.

    Args:
        recorded: The format in which it was dumped.
        document: The dump, of this turn alone.
        query: What the user said.
        begun: When the turn began.

    Returns:
        The turn.

    Raises:
        EvaluationError: It is no recording of a turn.
    """
    try:
        threads = recorded.read(document).threads
    except (TypeError, ValueError) as problem:
        raise EvaluationError(f"what the agent's framework recorded cannot be read: {problem}") from problem
    traces = [trace for thread in threads for trace in thread.traces]
    if not traces:
        raise EvaluationError("the agent's framework recorded nothing for this turn")
    return traces[-1].model_copy(
        update={
            "user_message": UserMessage(content=query),
            "start_time": begun.isoformat(),
            "end_time": datetime.now(UTC).isoformat(),
        }
    )


def refuse_initial_state(thread: ConversationThread, framework: str) -> None:
    """Refuse a thread whose session would have to begin in a state, where sessions of a framework have none.

    Raises:
        AgentError: The thread states one.
    """
    if thread.initial_state is not None:
        raise AgentError(f"the thread states an initial_state, and sessions of {framework} have no state")
