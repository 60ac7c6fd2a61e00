"""Match two trajectories of tool calls."""

from trajectory.matching.explanation import MARKERS
from trajectory.matching.matcher_check import MatcherFinding, check_matchers
from trajectory.matching.overlap import Overlap
from trajectory.matching.steps import ABSENT, Difference, Step, StepKind
from trajectory.matching.trajectory_match import TrajectoryMatch, match_trajectory
from trajectory.matching.unused import unused_settings

__all__ = [
    "ABSENT",
    "MARKERS",
    "Difference",
    "MatcherFinding",
    "Overlap",
    "Step",
    "StepKind",
    "TrajectoryMatch",
    "check_matchers",
    "match_trajectory",
    "unused_settings",
]
