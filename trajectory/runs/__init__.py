"""Finished runs as records that can be kept in a file, compared and reported."""

from trajectory.runs.building import thread_entry
from trajectory.runs.files import JOURNAL_SUFFIX, Journal, load_run, save_run
from trajectory.runs.gating import decide_run, deciding_run, thread_score
from trajectory.runs.hashes import content_hash, settings_hash
from trajectory.runs.records import (
    FORMAT,
    Accepted,
    CallEntry,
    DifferenceEntry,
    EvalSetEntry,
    GateEntry,
    MatchEntry,
    OverlapEntry,
    RunEntry,
    RunFile,
    Spent,
    StepEntry,
    ThreadEntry,
    TurnEntry,
    TurnSide,
    VerdictEntry,
)

__all__ = [
    "FORMAT",
    "JOURNAL_SUFFIX",
    "Accepted",
    "CallEntry",
    "DifferenceEntry",
    "EvalSetEntry",
    "GateEntry",
    "Journal",
    "MatchEntry",
    "OverlapEntry",
    "RunEntry",
    "RunFile",
    "Spent",
    "StepEntry",
    "ThreadEntry",
    "TurnEntry",
    "TurnSide",
    "VerdictEntry",
    "content_hash",
    "decide_run",
    "deciding_run",
    "load_run",
    "save_run",
    "settings_hash",
    "thread_entry",
    "thread_score",
]
