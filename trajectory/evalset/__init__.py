"""Eval sets: read from files with every problem in its place, and written back without loss."""

from __future__ import annotations

from trajectory.evalset.loading import iter_conversation_threads, load_conversation_threads, load_eval_set
from trajectory.evalset.model import EvalSet, effective_threads
from trajectory.evalset.plain_threads import eval_set_of, plain_thread
from trajectory.evalset.schema import eval_set_schema
from trajectory.evalset.writing import SHAPES, losses, save_eval_set, thread_document

__all__ = [
    "SHAPES",
    "EvalSet",
    "effective_threads",
    "eval_set_of",
    "eval_set_schema",
    "iter_conversation_threads",
    "load_conversation_threads",
    "load_eval_set",
    "losses",
    "plain_thread",
    "save_eval_set",
    "thread_document",
]
