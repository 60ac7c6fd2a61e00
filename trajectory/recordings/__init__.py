"""Recorded runs: read from files, and from the messages that programs hand around."""

from __future__ import annotations

from trajectory.recordings.atif_writing import save_recordings
from trajectory.recordings.loading import Recordings, load_recordings
from trajectory.recordings.messages import read_messages, turn_from_messages
from trajectory.recordings.streaming import iter_recordings

__all__ = ["Recordings", "iter_recordings", "load_recordings", "read_messages", "save_recordings", "turn_from_messages"]
