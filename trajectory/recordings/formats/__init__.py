"""Formats of recordings, each in a module of its own."""

from __future__ import annotations

from trajectory.recordings.formats.base import Format, FormatOfLines, Reading
from trajectory.recordings.formats.registry import FORMATS

__all__ = ["FORMATS", "Format", "FormatOfLines", "Reading"]
