"""Match two trajectories of tool calls."""

from trajectory.matching.explanation import MARKERS
from trajectory.matching.steps import ABSENT, Difference, Step, StepKind
from trajectory.matching.trajectory_match import TrajectoryMatch, match_trajectory

__all__ = ["ABSENT", "MARKERS", "Difference", "Step", "StepKind", "TrajectoryMatch", "match_trajectory"]
