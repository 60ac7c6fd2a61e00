"""Check what AI agents do: replay recorded conversations, compare today's tool calls with the recorded ones.

This module only hands names on, and imports them when they are first used: pytest loads it in every run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trajectory._version import __version__
    from trajectory.assertions import EvalAssert, evaluate, evaluate_tool_trajectory
    from trajectory.conversation import (
        NOT_RECORDED,
        AssistantMessage,
        ConversationThread,
        FunctionMessage,
        Iteration,
        MalformedArguments,
        SystemMessage,
        ToolCall,
        ToolSchema,
        Trace,
        Usage,
        UserMessage,
    )
    from trajectory.errors import (
        AgentError,
        ConfigurationError,
        EvalSetError,
        EvaluationError,
        Problem,
        TrajectoryError,
        TrajectoryMismatch,
    )
    from trajectory.evalset import (
        EvalSet,
        iter_conversation_threads,
        load_conversation_threads,
        load_eval_set,
        save_eval_set,
    )
    from trajectory.evaluations import Verdict
    from trajectory.matching import TrajectoryMatch, match_trajectory
    from trajectory.recordings import Recordings, load_recordings
    from trajectory.replay import RecordedToolError, ReplayMiss, recorded_tools
    from trajectory.rule_assertions import (
        evaluate_approval,
        evaluate_call_counts,
        evaluate_contains_match,
        evaluate_content_coverage,
        evaluate_content_safety,
        evaluate_exact_match,
        evaluate_failed_calls_recovered,
        evaluate_final_state,
        evaluate_forbidden_tools,
        evaluate_iterations,
        evaluate_known_tools,
        evaluate_latency,
        evaluate_length,
        evaluate_money,
        evaluate_no_loops,
        evaluate_pii_leakage,
        evaluate_regex_match,
        evaluate_required_tools,
        evaluate_response_schema,
        evaluate_rouge_l,
        evaluate_thread_latency,
        evaluate_token_overlap,
        evaluate_tokens,
        evaluate_tool_order,
        evaluate_valid_arguments,
    )
    from trajectory.rules import RuleSettings, rule
    from trajectory.settings import ArgumentPolicy, MatchMode

_HOMES = {
    "EvalAssert": "assertions",
    "evaluate": "assertions",
    "evaluate_tool_trajectory": "assertions",
    "evaluate_call_counts": "rule_assertions",
    "evaluate_final_state": "rule_assertions",
    "evaluate_money": "rule_assertions",
    "evaluate_tokens": "rule_assertions",
    "evaluate_approval": "rule_assertions",
    "evaluate_rouge_l": "rule_assertions",
    "evaluate_token_overlap": "rule_assertions",
    "evaluate_pii_leakage": "rule_assertions",
    "evaluate_contains_match": "rule_assertions",
    "evaluate_content_coverage": "rule_assertions",
    "evaluate_content_safety": "rule_assertions",
    "evaluate_exact_match": "rule_assertions",
    "evaluate_failed_calls_recovered": "rule_assertions",
    "evaluate_forbidden_tools": "rule_assertions",
    "evaluate_iterations": "rule_assertions",
    "evaluate_known_tools": "rule_assertions",
    "evaluate_latency": "rule_assertions",
    "evaluate_length": "rule_assertions",
    "evaluate_no_loops": "rule_assertions",
    "evaluate_regex_match": "rule_assertions",
    "evaluate_required_tools": "rule_assertions",
    "evaluate_response_schema": "rule_assertions",
    "evaluate_thread_latency": "rule_assertions",
    "evaluate_tool_order": "rule_assertions",
    "evaluate_valid_arguments": "rule_assertions",
    "__version__": "_version",
    "NOT_RECORDED": "conversation",
    "AssistantMessage": "conversation",
    "ConversationThread": "conversation",
    "FunctionMessage": "conversation",
    "Iteration": "conversation",
    "MalformedArguments": "conversation",
    "SystemMessage": "conversation",
    "ToolCall": "conversation",
    "ToolSchema": "conversation",
    "Trace": "conversation",
    "Usage": "conversation",
    "UserMessage": "conversation",
    "AgentError": "errors",
    "ConfigurationError": "errors",
    "EvalSetError": "errors",
    "EvaluationError": "errors",
    "Problem": "errors",
    "TrajectoryError": "errors",
    "TrajectoryMismatch": "errors",
    "TrajectoryMatch": "matching",
    "Verdict": "evaluations",
    "RuleSettings": "rules",
    "rule": "rules",
    "match_trajectory": "matching",
    "EvalSet": "evalset",
    "iter_conversation_threads": "evalset",
    "load_conversation_threads": "evalset",
    "load_eval_set": "evalset",
    "save_eval_set": "evalset",
    "Recordings": "recordings",
    "load_recordings": "recordings",
    "recorded_tools": "replay",
    "RecordedToolError": "replay",
    "ReplayMiss": "replay",
    "ArgumentPolicy": "settings",
    "MatchMode": "settings",
}

__all__ = [
    "NOT_RECORDED",
    "AgentError",
    "ArgumentPolicy",
    "AssistantMessage",
    "ConfigurationError",
    "ConversationThread",
    "EvalAssert",
    "EvalSet",
    "EvalSetError",
    "EvaluationError",
    "FunctionMessage",
    "Iteration",
    "MalformedArguments",
    "MatchMode",
    "Problem",
    "RecordedToolError",
    "Recordings",
    "ReplayMiss",
    "RuleSettings",
    "SystemMessage",
    "ToolCall",
    "ToolSchema",
    "Trace",
    "TrajectoryError",
    "TrajectoryMatch",
    "TrajectoryMismatch",
    "Usage",
    "UserMessage",
    "Verdict",
    "__version__",
    "evaluate",
    "evaluate_approval",
    "evaluate_call_counts",
    "evaluate_contains_match",
    "evaluate_content_coverage",
    "evaluate_content_safety",
    "evaluate_exact_match",
    "evaluate_failed_calls_recovered",
    "evaluate_final_state",
    "evaluate_forbidden_tools",
    "evaluate_iterations",
    "evaluate_known_tools",
    "evaluate_latency",
    "evaluate_length",
    "evaluate_money",
    "evaluate_no_loops",
    "evaluate_pii_leakage",
    "evaluate_regex_match",
    "evaluate_required_tools",
    "evaluate_response_schema",
    "evaluate_rouge_l",
    "evaluate_thread_latency",
    "evaluate_token_overlap",
    "evaluate_tokens",
    "evaluate_tool_order",
    "evaluate_tool_trajectory",
    "evaluate_valid_arguments",
    "iter_conversation_threads",
    "load_conversation_threads",
    "load_eval_set",
    "load_recordings",
    "match_trajectory",
    "recorded_tools",
    "rule",
    "save_eval_set",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
