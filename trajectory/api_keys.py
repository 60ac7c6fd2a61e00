"""Keys of endpoints, which no text shows."""

from __future__ import annotations

import json
import os
import re
from typing import Final

from trajectory.errors import ConfigurationError
from trajectory.json_values import printable, shorten

_KEY: Final = re.compile(r"[!-~]+")
"""What a header can hold: a key with anything else in it would come back in the text of an error."""
_READ: Final = 1000
_SHOWN: Final = 300


class ApiKey:
    """The key of one endpoint, or none. Endpoints, and what is between, may send it back: what they say is cleaned of it.

    Attributes:
        headers: The headers that bring it to the endpoint.
    """

    def __init__(self, variable: str | None, whose: str) -> None:
        """Read the key.

        Args:
            variable: The name of the environment variable that holds it; ``None`` for no key.
            whose: Whose key it is, for messages.

        Raises:
            ConfigurationError: The variable is not set, or holds what can be no key. Where somebody wrote the key in the
                place of the variable's name, the text does not show it.
        """
        key = "" if variable is None else os.environ.get(variable, "").strip()
        if variable is not None:
            _check(key, variable, whose)
        self._key = key
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def out_of(self, text: str) -> str:
        """Take the key out of a text, also where the text is JSON."""
        if not self._key:
            return text
        return text.replace(self._key, "[key]").replace(json.dumps(self._key)[1:-1], "[key]")

    def quoted(self, text: str) -> str:
        """Quote what an endpoint said, in a message: without the key, printable and short."""
        return shorten(printable(self.out_of(text)[:_READ].strip()), _SHOWN) or "an empty body"


def _check(key: str, variable: str, whose: str) -> None:
    named = f"the environment variable {variable}" if variable.isupper() else "the variable that api_key_env names"
    if not key:
        raise ConfigurationError(f"{whose} key: {named} is not set (api_key_env is the name, not the key)")
    if not _KEY.fullmatch(key):
        raise ConfigurationError(f"{whose} key: {named} holds characters that no key has")
