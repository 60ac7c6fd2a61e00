"""Evaluations as functions for ordinary tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trajectory.ambient import JUDGES
from trajectory.chosen_rules import read_rule_text
from trajectory.conversation import AssistantMessage, ConversationThread, PromptTrace, UserMessage
from trajectory.errors import ConfigurationError, EvaluationError, TrajectoryMismatch
from trajectory.evaluations import Outcome, RuleResult, ThreadResult
from trajectory.evaluations.judged import NO_JUDGE
from trajectory.json_values import describe
from trajectory.judges import JudgeInForce, as_judge, judge_in_force, set_judge
from trajectory.replay import as_agent
from trajectory.report import explain_thread
from trajectory.rules import TOOL_TRAJECTORY, find_rule, label
from trajectory.running import run_thread
from trajectory.settings import THREAD_KEYS, MatchMode, ambient, merge, read_settings, refuse_contradictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trajectory.chosen_rules import ChosenRule
    from trajectory.settings import ArgumentPolicy, Repeats, Settings


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
        ConfigurationError: ``agent`` is no agent, ``thread`` is no thread, or a setting has a value that it cannot have.
    """
    __tracebackhide__ = True
    if not isinstance(thread, ConversationThread):
        raise ConfigurationError(f"expected a ConversationThread as the second argument, found {describe(thread)}")
    given = {
        "match_mode": None if match_mode is None else MatchMode.parse(match_mode),
        "arguments": arguments,
        "repeats": repeats,
        "ignore_tools": None if ignore_tools is None else tuple(ignore_tools),
        "turn_timeout": turn_timeout,
        "rules": [TOOL_TRAJECTORY],
    }
    result = judge_now(agent, thread, given, source="evaluate_tool_trajectory")
    raise_unless_passed(result)
    return result


def evaluate(
    agent: Any,
    thread: ConversationThread | str,
    *rules: str | Mapping[str, Mapping[str, Any]] | ChosenRule,
    turn_timeout: float | None = None,
    judge: Any = None,
) -> EvalAssert:
    """Replay a thread once and hold it to any rules; what they came to can then be asserted.

    What is not given here follows the command line, the thread's ``evaluation``, and the ini file, in this order.

    Args:
        agent: The agent, in any form that `trajectory.replay.as_agent` takes.
        thread: The recorded conversation; or a single query, which is put to a fresh session.
        *rules: The rules: ``"length"``, ``"length:max=200"`` or ``{"length": {"max": 200}}``.
        turn_timeout: Seconds that the agent has for one turn; 0 waits for ever.
        judge: The LLM judge for rules that ask one, in any form that `trajectory.judges.as_judge` takes; without this,
            the one that the test run configures.

    Returns:
        What the rules came to, for ``passes()``, ``fails()``, ``with_threshold(x)`` and ``results()``.

    Raises:
        ConfigurationError: ``agent`` is no agent, there is no such rule or setting, or a rule compares with a recording
            and a lone query has none.
    """
    stated = [read_rule_text(rule) if isinstance(rule, str) else rule for rule in rules]
    given = {"rules": stated or None, "turn_timeout": turn_timeout}
    return EvalAssert(judge_now(agent, thread, given, source="evaluate", judge=judge))


class EvalAssert:
    """What the rules came to on one replay, to be asserted as often as wanted.

    Attributes:
        result: The result in full.
        threshold: The lowest score that passes; without one, the verdicts of the rules count.
    """

    def __init__(self, result: ThreadResult, threshold: float | None = None) -> None:
        self.result = result
        self.threshold = threshold

    def with_threshold(self, threshold: float) -> EvalAssert:
        """Let scores decide: a rule passes when its score is at least this.

        A rule without scores has the score 1 when it held, and 0 when it was breached.

        Raises:
            ConfigurationError: It is no number from 0 to 1.
        """
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise ConfigurationError(f"threshold: expected a number from 0 to 1, found {describe(threshold)}")
        return EvalAssert(self.result, threshold)

    def results(self) -> tuple[RuleResult, ...]:
        """Return what each rule came to over the thread, whatever that is."""
        return self.result.by_rule

    def passes(self) -> EvalAssert:
        """Assert that every rule passes.

        Raises:
            TrajectoryMismatch: One does not; the text names each and explains every failing turn.
            EvaluationError: There is no verdict.
        """
        __tracebackhide__ = True
        if self.threshold is None:
            raise_unless_passed(self.result)
            return self
        below = [result for result in self._judged() if not self._reaches(result)]
        if below or self.result.surplus:
            lines = [
                f"{label(result.rule)}: the score {_score(result)} is below {self.threshold:g}" for result in below
            ]
            raise TrajectoryMismatch("\n".join([*lines, explain_thread(self.result)]))
        return self

    def fails(self) -> EvalAssert:
        """Assert that every rule is breached, such as in a test that a bad agent is found out.

        Raises:
            TrajectoryMismatch: One passes.
            EvaluationError: There is no verdict.
        """
        __tracebackhide__ = True
        held = [result for result in self._judged() if self._reaches(result)]
        if held:
            named = ", ".join(f"{label(result.rule)} (score {_score(result)})" for result in held)
            raise TrajectoryMismatch(f"expected every rule to be breached, and these were not: {named}")
        return self

    def _judged(self) -> list[RuleResult]:
        """Return what the rules came to that had something to judge.

        Raises:
            EvaluationError: There is no verdict, or none had anything to judge.
        """
        judged = [result for result in self.results() if result.outcome is not Outcome.SKIPPED]
        if self.result.outcome is Outcome.ERROR or not judged:
            raise EvaluationError(explain_thread(self.result)) from self.result.exception
        return judged

    def _reaches(self, result: RuleResult) -> bool:
        return result.outcome is Outcome.PASSED if self.threshold is None else result.score >= self.threshold


def _score(result: RuleResult) -> str:
    return f"{result.score:.3g}"


def judge_now(
    agent: Any, thread: ConversationThread | str, given: Mapping[str, Any], *, source: str, judge: Any = None
) -> ThreadResult:
    """Replay a thread, or a lone query, and judge it.

    Args:
        agent: The agent.
        thread: The thread or the query.
        given: The settings that the code states; ``None`` for one that it does not.
        source: What the code is called in messages.
        judge: The LLM judge for rules that ask one; ``None`` for the one that is configured.

    Returns:
        The result.

    Raises:
        ConfigurationError: Something is stated that cannot be carried out.
    """
    conversation = _as_thread(thread, source)
    stated = {key: value for key, value in given.items() if value is not None}
    in_code = read_settings(stated, keys=THREAD_KEYS, source=source)
    command_line, ini = ambient()
    place = f"thread {conversation.id!r}: evaluation"
    of_thread = read_settings(conversation.evaluation or {}, keys=THREAD_KEYS, source=place)
    settings = merge(in_code, command_line, of_thread, ini)
    if isinstance(thread, str):
        _refuse_without_recording(settings, source)
    refuse_contradictions(settings, source)
    before = set_judge(_judge_for(settings, judge, source))
    try:
        return run_thread(as_agent(agent), conversation, settings).deciding
    finally:
        set_judge(before)


def _judge_for(settings: Settings, judge: Any, source: str) -> JudgeInForce | None:
    """Find the judge that the rules in force ask, if one does."""
    asking = [chosen.name for chosen in settings.rules if (rule := find_rule(chosen.name)) and rule.needs_judge]
    if not asking:
        return None
    if judge is not None:
        return judge if isinstance(judge, JudgeInForce) else JudgeInForce(as_judge(judge))
    provider = JUDGES.get()
    found = judge_in_force() or (provider() if provider else None)
    if not isinstance(found, JudgeInForce):
        raise ConfigurationError(f"{source}: the rule {asking[0]} asks an LLM judge, and {NO_JUDGE}")
    return found


def _as_thread(thread: object, source: str) -> ConversationThread:
    """Make a thread of one turn of a query; a thread stays what it is."""
    if isinstance(thread, ConversationThread):
        return thread
    if not isinstance(thread, str) or not thread.strip():
        raise ConfigurationError(f"{source}: expected a ConversationThread or a query, found {describe(thread)}")
    now = datetime.now(UTC).isoformat()
    turn = PromptTrace(
        id="turn-1",
        user_message=UserMessage(content=thread),
        iterations=(),
        output=AssistantMessage(),
        tools=(),
        start_time=now,
        end_time=now,
    )
    return ConversationThread(id="query", traces=(turn,))


def _refuse_without_recording(settings: Settings, source: str) -> None:
    for chosen in settings.rules:
        found = find_rule(chosen.name)
        if found is not None and found.needs_recording:
            raise ConfigurationError(
                f"{source}: the rule {chosen.name} compares with a recording, and a lone query has none; "
                "give a ConversationThread"
            )


def raise_unless_passed(result: ThreadResult) -> None:
    """Raise what a result that is no pass is for a test.

    Raises:
        TrajectoryMismatch: A rule was breached.
        EvaluationError: There is no verdict, or nothing was evaluated.
    """
    __tracebackhide__ = True
    match result.outcome:
        case Outcome.FAILED:
            raise TrajectoryMismatch(explain_thread(result))
        case Outcome.ERROR | Outcome.SKIPPED:
            raise EvaluationError(explain_thread(result)) from result.exception
