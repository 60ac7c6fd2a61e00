"""What a run is made of, whoever starts it: eval sets and recordings in play, their gates, and the facts of the run."""

from trajectory.suite.baseline import FAIL_ON, BaselineInPlay
from trajectory.suite.facts import eval_set_entry, gate_entry, made_by, spent, timestamp
from trajectory.suite.gating import GateSource
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
    "load",
    "load_recorded_run",
    "made_by",
    "refuse_shared_ids",
    "refuse_unknown_tags",
    "spent",
    "timestamp",
]
