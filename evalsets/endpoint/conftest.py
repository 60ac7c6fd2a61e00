"""Gives the agent for the eval set in this folder."""

import sys
from pathlib import Path


def pytest_trajectory_agent():
    """Import the agent only when it is wanted: httpx may be absent."""
    sys.path.insert(0, str(Path(__file__).parent))
    from endpoint_weather import make_agent

    return make_agent()
