"""A file to put a document into."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write text, bytes or a document into a file of the working directory, and give the file's name."""
    monkeypatch.chdir(tmp_path)

    def write(content: Any, name: str = "set.json") -> str:
        if not isinstance(content, str | bytes):
            content = json.dumps(content, indent=1)
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return write
