"""Eval sets: read from files with every problem in its place, and written back without loss."""

from __future__ import annotations

from trajectory.evalset.loading import iter_conversation_threads, load_conversation_threads, load_eval_set
from trajectory.evalset.model import EvalSet, effective_threads
from trajectory.evalset.schema import eval_set_schema
from trajectory.evalset.writing import save_eval_set, thread_document

__all__ = [
    "EvalSet",
    "effective_threads",
    "eval_set_schema",
    "iter_conversation_threads",
    "load_conversation_threads",
    "load_eval_set",
    "save_eval_set",
    "thread_document",
]
