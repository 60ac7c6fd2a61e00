"""Replay: recorded user turns are fed into a fresh session of the agent, and what it does is kept."""

from trajectory.replay.agents import Agent, Session, as_agent
from trajectory.replay.failures import AgentFailure
from trajectory.replay.recorded import RecordedRun
from trajectory.replay.recorded_tools import RecordedToolError, recorded_tools
from trajectory.replay.recorded_turn import ReplayMiss
from trajectory.replay.replayer import ThreadReplay, TurnReplay, replay

__all__ = [
    "Agent",
    "AgentFailure",
    "RecordedRun",
    "RecordedToolError",
    "ReplayMiss",
    "Session",
    "ThreadReplay",
    "TurnReplay",
    "as_agent",
    "recorded_tools",
    "replay",
]
