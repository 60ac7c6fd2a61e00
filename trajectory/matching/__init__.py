"""Match two trajectories of tool calls."""

from trajectory.matching.trajectory_match import TrajectoryMatch, match_trajectory

__all__ = ["TrajectoryMatch", "match_trajectory"]
