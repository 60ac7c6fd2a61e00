"""Gives the eval sets of this folder their agent."""  # noqa: INP001 - a folder of data, no package

from __future__ import annotations

from fixtures.sample_agent import SampleAgent


def pytest_trajectory_agent() -> type[SampleAgent]:
    """Return the agent that the eval sets beside this file are replayed into."""
    return SampleAgent
