"""Run one thread: replay it as often as it asks for, and judge every replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.evaluations import judge
from trajectory.replay import replay
from trajectory.running.repetitions import ThreadRuns

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.replay import Agent
    from trajectory.settings import Settings


def run_thread(agent: Agent, thread: ConversationThread, settings: Settings) -> ThreadRuns:
    """Replay a thread as often as its settings ask for, each time into a fresh session, and judge what the agent did.

    Args:
        agent: The agent.
        thread: The thread.
        settings: What is in force for it.

    Returns:
        What came of every run.
    """
    runs = [
        judge(replay(agent, thread, turn_timeout=settings.turn_timeout, arguments=settings.arguments), settings)
        for _ in range(settings.repetitions)
    ]
    return ThreadRuns(tuple(runs), settings.pass_runs or settings.repetitions, settings.repetitions)
