"""Eval sets: read from files, checked as a whole, every problem with its place."""

from __future__ import annotations

from trajectory.evalset.loading import iter_conversation_threads, load_conversation_threads, load_eval_set
from trajectory.evalset.model import EvalSet, effective_threads

__all__ = [
    "EvalSet",
    "effective_threads",
    "iter_conversation_threads",
    "load_conversation_threads",
    "load_eval_set",
]
