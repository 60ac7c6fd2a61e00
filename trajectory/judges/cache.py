"""Answers of judges, kept in a file: the same question to the same judge is asked once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from typing import TYPE_CHECKING

from trajectory.errors import ConfigurationError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)"
_WAIT = 30.0


class JudgeCache:
    """A kept file of answers; several processes may use it at once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file, or begin it.

        Args:
            path: The file.

        Raises:
            ConfigurationError: It cannot be opened, or is no such file.
        """
        self._path = str(path)
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(self._path, timeout=_WAIT, check_same_thread=False)
            with self._connection:
                self._connection.execute(_SCHEMA)
        except sqlite3.Error as problem:
            raise ConfigurationError(
                f"{self._path}: the judge's cache cannot be used: {problem}; name another file, or remove this one"
            ) from None

    @staticmethod
    def key(**facts: str | float | Mapping[str, str] | None) -> str:
        """Hash everything that decides an answer."""
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> str | None:
        """Return the answer that is kept under a key.

        Raises:
            ConfigurationError: The file is damaged.
        """
        with self._lock:
            try:
                row = self._connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
            except sqlite3.Error as problem:
                raise ConfigurationError(f"{self._path}: the judge's cache cannot be read: {problem}") from None
        return None if row is None else str(row[0])

    def put(self, key: str, answer: str) -> None:
        """Keep an answer.

        Raises:
            ConfigurationError: It cannot be written.
        """
        with self._lock:
            try:
                with self._connection:
                    self._connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, answer))
            except sqlite3.Error as problem:
                raise ConfigurationError(f"{self._path}: the judge's cache cannot be written: {problem}") from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
