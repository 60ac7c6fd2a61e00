"""Replace files as a whole."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def replace_file(target: Path, data: bytes | Iterable[bytes]) -> None:
    """Write beside a file and move into its place, so that a crash leaves either the old file or the new one.

    Args:
        target: The file; links are followed.
        data: What it is to hold, whole or piece by piece.

    Raises:
        OSError: It cannot be written.
    """
    target = target.resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with beside.open("xb") as stream:
            stream.writelines([data] if isinstance(data, bytes) else data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
