"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:  # pytest loads this file for the sample too, and that runs without the test extra
    pass
else:
    settings.register_profile("trajectory", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("trajectory")

pytest_plugins = ["pytester"]


@pytest.fixture
def own_rules() -> Iterator[None]:
    """Let a test make rules that nobody sees after it."""
    from trajectory import rules

    before = set(rules._RULES)
    yield
    for name in set(rules._RULES) - before - set(rules.BUILT_IN):
        del rules._RULES[name]
    rules._offered.cache_clear()


@pytest.fixture
def corpus() -> Path:
    """The folder of real files of others; it is not part of the project."""
    folder = os.environ.get("TRAJECTORY_CORPUS")
    if not folder:
        pytest.skip("TRAJECTORY_CORPUS is not set")
    return Path(folder)
