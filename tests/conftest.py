"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:  # pytest loads this file for the sample too, and that runs without the test extra
    pass
else:
    settings.register_profile("trajectory", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("trajectory")

pytest_plugins = ["pytester"]


@pytest.fixture
def corpus() -> Path:
    """The folder of real files of others; it is not part of the project."""
    folder = os.environ.get("TRAJECTORY_CORPUS")
    if not folder:
        pytest.skip("TRAJECTORY_CORPUS is not set")
    return Path(folder)
