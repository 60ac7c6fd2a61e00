"""What a run is made of, whoever starts it: eval sets and recordings in play, their gates, and the facts of the run."""

from trajectory.suite.baseline import FAIL_ON, BaselineInPlay
from trajectory.suite.checker import Checker, Kept
from trajectory.suite.engine import Engine, Finished
from trajectory.suite.facts import (
    eval_set_entry,
    gate_entry,
    made_by,
    notes_of,
    spent,
    timestamp,
    unmatched_reason,
)
from trajectory.suite.gating import GateSource, gate_names, gate_source
from trajectory.suite.kept import still_holds, take_up
from trajectory.suite.live_work import LiveWork
from trajectory.suite.loading import (
    LoadedEvalSet,
    absolute,
    find_files,
    load,
    refuse_shared_ids,
    refuse_unknown_tags,
)
from trajectory.suite.opening import find_agent, judge_for, open_eval_sets, open_recordings
from trajectory.suite.pairing import PairBy
from trajectory.suite.recorded_run import LoadedRun, load_recorded_run
from trajectory.suite.recorded_work import RecordedWork, for_recordings
from trajectory.suite.warnings import run_warnings

__all__ = [
    "FAIL_ON",
    "BaselineInPlay",
    "Checker",
    "Engine",
    "Finished",
    "GateSource",
    "Kept",
    "LiveWork",
    "LoadedEvalSet",
    "LoadedRun",
    "PairBy",
    "RecordedWork",
    "absolute",
    "eval_set_entry",
    "find_agent",
    "find_files",
    "for_recordings",
    "gate_entry",
    "gate_names",
    "gate_source",
    "judge_for",
    "load",
    "load_recorded_run",
    "made_by",
    "notes_of",
    "open_eval_sets",
    "open_recordings",
    "refuse_shared_ids",
    "refuse_unknown_tags",
    "run_warnings",
    "spent",
    "still_holds",
    "take_up",
    "timestamp",
    "unmatched_reason",
]
