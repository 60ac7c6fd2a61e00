"""A function for ordinary tests for each rule of this package, all made in one place."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Protocol

from trajectory.assertions import judge_now, raise_unless_passed
from trajectory.chosen_rules import read_rules
from trajectory.described import descriptions
from trajectory.errors import ConfigurationError
from trajectory.rules import find_rule, summary
from trajectory.settings import SettingsError

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.evaluations import ThreadResult
    from trajectory.rules import Rule


class RuleFunction(Protocol):
    """Replays a thread, or puts a query to a fresh session, and holds it to one rule."""

    def __call__(
        self,
        agent: Any,
        thread: ConversationThread | str,
        *,
        turn_timeout: float | None = None,
        judge: Any = None,
        **settings: Any,
    ) -> ThreadResult:
        """Return the result of a thread that passed; the settings are those of the rule."""


def rule_function(name: str) -> RuleFunction:
    """Make the function of a rule.

    Args:
        name: The name of the rule.

    Returns:
        The function ``evaluate_<name>``, with the settings of the rule as its keyword arguments.

    Raises:
        ConfigurationError: There is no such rule.
    """
    found = find_rule(name)
    if found is None:
        raise ConfigurationError(f"there is no rule {name!r}")
    source = f"evaluate_{name}"

    def evaluate_rule(
        agent: Any,
        thread: ConversationThread | str,
        *,
        turn_timeout: float | None = None,
        judge: Any = None,
        **settings: Any,
    ) -> ThreadResult:
        __tracebackhide__ = True
        chosen, problems = read_rules([{name: settings}])
        if problems:
            raise SettingsError(source, [(_key(problem[0]), *problem[1:]) for problem in problems])
        if judge is not None and not found.needs_judge:
            raise ConfigurationError(f"{source}: this rule asks no judge")
        given = {"rules": chosen, "turn_timeout": turn_timeout}
        result = judge_now(agent, thread, given, source=source, judge=judge)
        raise_unless_passed(result)
        return result

    evaluate_rule.__name__ = evaluate_rule.__qualname__ = source
    evaluate_rule.__doc__ = _docstring(found)
    evaluate_rule.__signature__ = _signature(evaluate_rule, found)  # type: ignore[attr-defined]  # read by inspect
    return evaluate_rule


def _key(pointer: str) -> str:
    """Take the list of rules and the name of the rule off a pointer: here there is only the one."""
    return "".join(f"/{step}" for step in pointer.split("/")[3:])


def _signature(function: Any, found: Rule) -> inspect.Signature:
    """Show the settings of the rule in the place of ``**settings``."""
    plain = inspect.signature(function)
    settings = [
        inspect.Parameter(
            key,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.is_required() else field.default,
            annotation=field.annotation,
        )
        for key, field in found.settings.model_fields.items()
    ]
    first, second, timeout, judge, _ = plain.parameters.values()
    last = [timeout, judge] if found.needs_judge else [timeout]
    return plain.replace(parameters=[first, second, *settings, *last])


def _docstring(found: Rule) -> str:
    what = "The recorded conversation." if found.needs_recording else "The recorded conversation; or a single query."
    said = descriptions(found.settings)
    lines = [f"    {key}: {said.get(key)}" for key in found.settings.model_fields]
    return "\n".join(
        [
            summary(found),
            "",
            "The thread is replayed into a fresh session of the agent.",
            "",
            "Args:",
            "    agent: The agent, in any form that `trajectory.replay.as_agent` takes.",
            f"    thread: {what}",
            *lines,
            "    turn_timeout: Seconds that the agent has for one turn; 0 waits for ever.",
            *(["    judge: The LLM judge; without this, the one that the test run configures."] * found.needs_judge),
            "",
            "Returns:",
            "    The result of a thread that passed.",
            "",
            "Raises:",
            "    TrajectoryMismatch: The rule was breached.",
            "    EvaluationError: There is no verdict, or nothing to evaluate.",
            "    ConfigurationError: A setting has a value that it cannot have, or ``agent`` is no agent.",
            "",
        ]
    )


evaluate_accuracy = rule_function("accuracy")
evaluate_approval = rule_function("approval")
evaluate_bias = rule_function("bias")
evaluate_call_counts = rule_function("call_counts")
evaluate_clarity = rule_function("clarity")
evaluate_coherence = rule_function("coherence")
evaluate_completeness = rule_function("completeness")
evaluate_conciseness = rule_function("conciseness")
evaluate_contains_match = rule_function("contains_match")
evaluate_content_coverage = rule_function("content_coverage")
evaluate_content_safety = rule_function("content_safety")
evaluate_error_recovery = rule_function("error_recovery")
evaluate_exact_match = rule_function("exact_match")
evaluate_failed_calls_recovered = rule_function("failed_calls_recovered")
evaluate_final_state = rule_function("final_state")
evaluate_forbidden_tools = rule_function("forbidden_tools")
evaluate_groundedness = rule_function("groundedness")
evaluate_helpfulness = rule_function("helpfulness")
evaluate_instruction_following = rule_function("instruction_following")
evaluate_iterations = rule_function("iterations")
evaluate_known_tools = rule_function("known_tools")
evaluate_latency = rule_function("latency")
evaluate_length = rule_function("length")
evaluate_money = rule_function("money")
evaluate_no_loops = rule_function("no_loops")
evaluate_path_efficiency = rule_function("path_efficiency")
evaluate_pii_leakage = rule_function("pii_leakage")
evaluate_reasoning_quality = rule_function("reasoning_quality")
evaluate_regex_match = rule_function("regex_match")
evaluate_relevance = rule_function("relevance")
evaluate_required_tools = rule_function("required_tools")
evaluate_response_schema = rule_function("response_schema")
evaluate_rouge_l = rule_function("rouge_l")
evaluate_rubric = rule_function("rubric")
evaluate_safety = rule_function("safety")
evaluate_semantic_similarity = rule_function("semantic_similarity")
evaluate_thread_latency = rule_function("thread_latency")
evaluate_token_overlap = rule_function("token_overlap")
evaluate_tokens = rule_function("tokens")
evaluate_tone = rule_function("tone")
evaluate_tool_order = rule_function("tool_order")
evaluate_toxicity = rule_function("toxicity")
evaluate_valid_arguments = rule_function("valid_arguments")
