"""Check what AI agents do: replay recorded conversations, compare today's tool calls with the recorded ones.

This module only hands names on, and imports them when they are first used: pytest loads it in every run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trajectory._version import __version__
    from trajectory.assertions import evaluate_tool_trajectory
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
    from trajectory.rules import RuleSettings, rule
    from trajectory.settings import ArgumentPolicy, MatchMode

_HOMES = {
    "evaluate_tool_trajectory": "assertions",
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
    "EvalSet",
    "EvalSetError",
    "EvaluationError",
    "FunctionMessage",
    "Iteration",
    "MalformedArguments",
    "MatchMode",
    "Problem",
    "Recordings",
    "RuleSettings",
    "SystemMessage",
    "ToolCall",
    "ToolSchema",
    "Trace",
    "TrajectoryError",
    "TrajectoryMatch",
    "TrajectoryMismatch",
    "UserMessage",
    "Verdict",
    "__version__",
    "evaluate_tool_trajectory",
    "iter_conversation_threads",
    "load_conversation_threads",
    "load_eval_set",
    "load_recordings",
    "match_trajectory",
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
