"""Run one thread: replay it as often as it asks for, and judge every replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajectory.errors import EvaluationError
from trajectory.evaluations import judge
from trajectory.replay import AgentFailure, ThreadReplay, TurnReplay, replay
from trajectory.running.budget import Budget
from trajectory.running.repetitions import ThreadRuns

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.evaluations import ThreadResult
    from trajectory.replay import Agent
    from trajectory.settings import Settings


class RunHalted(EvaluationError):  # noqa: N818 - what happened
    """The run may take nothing more, so a thread was not begun."""


def run_thread(
    agent: Agent, thread: ConversationThread, settings: Settings, budget: Budget | None = None
) -> ThreadRuns:
    """Replay a thread as often as its settings ask for, each time into a fresh session, and judge what the agent did.

    Args:
        agent: The agent.
        thread: The thread.
        settings: What is in force for it.
        budget: What the run may take. When it is used up, no further turn starts.

    Returns:
        What came of every run.

    Raises:
        RunHalted: The budget was used up before the first.
    """
    budget = budget or Budget()
    runs: list[ThreadResult] = []
    for _ in range(settings.repetitions):
        if reason := budget.halt():
            if not runs:
                raise RunHalted(reason)
            break
        replayed = replay(
            agent,
            thread,
            turn_timeout=settings.turn_timeout,
            arguments=settings.arguments,
            meter=budget,
            teacher_forced=settings.teacher_forced,
        )
        runs.append(judge(replayed, settings))
    budget.thread_ended()
    return ThreadRuns(tuple(runs), settings.pass_runs or settings.repetitions, settings.repetitions)


def given_up(thread: ConversationThread, settings: Settings, reason: BaseException) -> ThreadRuns:
    """Say of a thread that it was not waited for any longer, so that there is no verdict on it.

    Args:
        thread: The thread.
        settings: What is in force for it.
        reason: What was raised while it was waited for.

    Returns:
        One run, of which the first turn is an error and the others were not run.
    """
    failures = [AgentFailure.of_giving_up(reason), *[None] * (len(thread.traces) - 1)]
    turns = [
        TurnReplay(number, trace, failure=failure)
        for number, (trace, failure) in enumerate(zip(thread.traces, failures, strict=True), start=1)
    ]
    judged = judge(ThreadReplay(thread, "", tuple(turns)), settings)
    return ThreadRuns((judged,), settings.pass_runs or settings.repetitions, settings.repetitions)
