"""Evaluations as functions for ordinary tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajectory.errors import EvaluationError, TrajectoryMismatch
from trajectory.evaluations import Outcome, ThreadResult, judge
from trajectory.replay import as_agent, replay
from trajectory.report import explain_thread
from trajectory.rules import TOOL_TRAJECTORY
from trajectory.settings import THREAD_KEYS, MatchMode, ambient, merge, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread
    from trajectory.settings import ArgumentPolicy, Repeats


def evaluate_tool_trajectory(  # noqa: PLR0913 - the settings of one evaluation, each with its default
    agent: Any,
    thread: ConversationThread,
    match_mode: MatchMode | str | None = None,
    *,
    arguments: ArgumentPolicy | None = None,
    repeats: Repeats | None = None,
    ignore_tools: Iterable[str] | None = None,
    turn_timeout: float | None = None,
) -> ThreadResult:
    """Replay a thread into a fresh session of the agent and compare the tool calls of every turn with the recorded ones.

    What is not given here follows the command line, the thread's ``evaluation``, and the ini file, in this order.

    Args:
        agent: The agent, in any form that `trajectory.replay.as_agent` takes.
        thread: The recorded conversation.
        match_mode: How today's calls must relate to the recorded ones.
        arguments: When the arguments of two calls agree.
        repeats: Whether repeated calls count.
        ignore_tools: Names of tools, or patterns with ``*``, whose calls are taken out of both sides.
        turn_timeout: Seconds that the agent has for one turn; 0 waits for ever.

    Returns:
        The result of a thread that passed.

    Raises:
        TrajectoryMismatch: The agent did something else; the text explains every failing turn.
        EvaluationError: There is no verdict: the agent died, timed out, or the thread has nothing to evaluate.
        ConfigurationError: ``agent`` is no agent, or a setting has a value that it cannot have.
    """
    __tracebackhide__ = True
    given = {
        "match_mode": None if match_mode is None else MatchMode.parse(match_mode),
        "arguments": arguments,
        "repeats": repeats,
        "ignore_tools": None if ignore_tools is None else tuple(ignore_tools),
        "turn_timeout": turn_timeout,
    }
    stated = {key: value for key, value in given.items() if value is not None} | {"rules": [TOOL_TRAJECTORY]}
    in_code = read_settings(stated, keys=THREAD_KEYS, source="evaluate_tool_trajectory")
    command_line, ini = ambient()
    of_thread = read_settings(thread.evaluation or {}, keys=THREAD_KEYS, source=f"thread {thread.id!r}: evaluation")
    settings = merge(in_code, command_line, of_thread, ini)
    replayed = replay(as_agent(agent), thread, turn_timeout=settings.turn_timeout)
    result = judge(replayed, settings)
    _raise_unless_passed(result)
    return result


def _raise_unless_passed(result: ThreadResult) -> None:
    __tracebackhide__ = True
    match result.outcome:
        case Outcome.FAILED:
            raise TrajectoryMismatch(explain_thread(result))
        case Outcome.ERROR | Outcome.SKIPPED:
            raise EvaluationError(explain_thread(result)) from result.exception
