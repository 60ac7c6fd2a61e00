"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

settings.register_profile("trajectory", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trajectory")


@pytest.fixture
def corpus() -> Path:
    """The folder of real files of others; it is not part of the project."""
    folder = os.environ.get("TRAJECTORY_CORPUS")
    if not folder:
        pytest.skip("TRAJECTORY_CORPUS is not set")
    return Path(folder)
