"""The fixture of all tests of the plugin."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.folder import Folder


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Folder:
    return Folder(pytester)
