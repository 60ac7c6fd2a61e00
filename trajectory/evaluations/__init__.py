"""Rules: what was expected and what was done, turned into verdicts."""

from trajectory.evaluations.tool_trajectory import judge_tool_trajectory
from trajectory.evaluations.verdicts import Outcome, ThreadResult, TurnResult

__all__ = ["Outcome", "ThreadResult", "TurnResult", "judge_tool_trajectory"]
