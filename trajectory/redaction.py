"""Mask what looks like a secret before it is written into a file that people share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.json_values import JsonValue

Redactor: TypeAlias = Callable[[str], str]

_TELLING_KEYS: Final = (
    r"api[_-]?key|apikey|passw(?:or)?d|passphrase|client[_-]?secret|secret[_-]?key|secret|private[_-]?key|"
    r"access[_-]?token|refresh[_-]?token|auth[_-]?token|bearer[_-]?token|session[_-]?token|authorization"
)
_KEY: Final = re.compile(rf"(?:.*[_\-.])?(?:{_TELLING_KEYS})", re.IGNORECASE | re.ASCII)
_PEM_LABEL: Final = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?"
SECRETS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(pattern, flags | re.ASCII))
    for kind, pattern, flags in (
        (
            "private key",
            # the headers of an encrypted one hold hyphens, and one that was cut off has no end
            rf"-----BEGIN {_PEM_LABEL}-----(?:[^-]|-(?!----)){{0,20000}}(?:-----END {_PEM_LABEL}-----)?",
            0,
        ),
        ("AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", 0),
        ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b", 0),
        ("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,250}", 0),
        ("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}\b", 0),
        ("Google key", r"\bAIza[0-9A-Za-z_-]{35}", 0),
        ("model provider key", r"\bsk-[A-Za-z0-9_-]{20,250}", 0),
        (
            "JSON Web Token",
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,1000}",
            0,
        ),
        ("bearer token", r"(?<=\bbearer )[A-Za-z0-9._~+/=-]{8,4000}", re.IGNORECASE),
        (
            "secret value",
            rf"(?<=\b)(?:{_TELLING_KEYS})(?P<lead>[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"'])(?P<value>[^\"'\s][^\"'\n]{{3,500}})(?=[\"'])",
            re.IGNORECASE,
        ),
    )
)
"""Every kind of secret that is known by its look, with the pattern that finds it."""


class Masking:
    """Masks secrets, and counts what it masked.

    Attributes:
        masked: How many of each kind were masked.
    """

    def __init__(self, redact: Redactor | None = None) -> None:
        """Prepare.

        Args:
            redact: What else is to be taken out of a text; it is given each text after the usual secrets are masked.
        """
        self.masked: Counter[str] = Counter()
        self._redact = redact

    def mask(self, value: JsonValue, key: str = "") -> Any:
        """Mask the secrets in a JSON value.

        Args:
            value: The value.
            key: The key at which it stands: a text at a key such as ``api_key`` is masked whole.

        Returns:
            A copy without them.
        """
        match value:
            case str() if key and value and _KEY.fullmatch(key):
                self.masked["secret value"] += 1
                return "[masked: secret value]"
            case str():
                return self._mask_text(value)
            case list():
                return [self.mask(item, key) for item in value]
            case dict():
                return {name: self.mask(item, name) for name, item in value.items()}
            case _:
                return value

    def _mask_text(self, text: str) -> str:
        for kind, pattern in SECRETS:
            text, count = pattern.subn(lambda found, kind=kind: _mask_of(kind, found), text)  # type: ignore[misc]
            self.masked[kind] += count
        if self._redact is None:
            return text
        redacted = self._redact(text)
        self.masked["by the hook"] += redacted != text
        return redacted

    def summary(self) -> str:
        """Say what was masked, such as ``2 x bearer token``; empty when nothing was."""
        return ", ".join(self._counts())

    def _counts(self) -> Iterator[str]:
        for kind, count in sorted(self.masked.items()):
            if count:
                yield f"{count} x {kind}"


def _mask_of(kind: str, found: re.Match[str]) -> str:
    mask = f"[masked: {kind}]"
    groups = found.groupdict()
    return found[0].replace(groups["value"], mask) if "value" in groups else mask
