"""Gives the agent for the eval set in this folder."""

import sys
from pathlib import Path


def pytest_trajectory_agent():
    """Import the agent only when it is wanted: the framework may be absent."""
    sys.path.insert(0, str(Path(__file__).parent))
    from langgraph_weather import agent

    return agent
