"""What a run is made of, whoever starts it: eval sets and recordings in play, their gates, and the facts of the run."""

from trajectory.suite.baseline import FAIL_ON, BaselineInPlay
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
from trajectory.suite.loading import (
    LoadedEvalSet,
    LoadedRun,
    absolute,
    find_files,
    load,
    load_recorded_run,
    refuse_shared_ids,
    refuse_unknown_tags,
)
from trajectory.suite.warnings import run_warnings

__all__ = [
    "FAIL_ON",
    "BaselineInPlay",
    "GateSource",
    "LoadedEvalSet",
    "LoadedRun",
    "absolute",
    "eval_set_entry",
    "find_files",
    "gate_entry",
    "gate_names",
    "gate_source",
    "load",
    "load_recorded_run",
    "made_by",
    "notes_of",
    "refuse_shared_ids",
    "refuse_unknown_tags",
    "run_warnings",
    "spent",
    "still_holds",
    "take_up",
    "timestamp",
    "unmatched_reason",
]
