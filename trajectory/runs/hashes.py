"""Hashes that tell whether a thread, or the settings that its verdict rests on, changed between two runs."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread
    from trajectory.settings import Settings

GATE_KEYS: Final = frozenset(
    {
        "budget_seconds",
        "budget_tokens",
        "budget_usd",
        "concurrency",
        "max_errors",
        "min_macro_f1",
        "min_pass_rate",
        "must_pass",
        "pass_runs",
        "repetitions",
        "turn_timeout",
    }
)
"""Settings that do not change what one run of a thread comes to."""

_FLOORS: Final = ("min_pass_rate", "min_macro_f1")


def content_hash(thread: ConversationThread) -> str:
    """Hash what an eval set says of a thread: everything but how it is to be evaluated, and its tags."""
    return _hash(thread.model_dump(exclude={"evaluation", "tags"}))


def settings_document(settings: Settings) -> dict[str, Any]:
    """Write settings as plain JSON."""
    document = settings.model_dump(mode="json", exclude={"rules", "min_pass_rate", "min_macro_f1"})
    rules = [{chosen.name: chosen.settings.model_dump(mode="json", fallback=str)} for chosen in settings.rules]
    floors = {name: None if (floor := getattr(settings, name)) is None else str(floor) for name in _FLOORS}
    return {**document, "rules": rules, **floors}


def settings_hash(settings: Settings) -> str:
    """Hash the settings that the verdict on one run of a thread rests on."""
    return hash_of_document(settings_document(settings))


def hash_of_document(document: dict[str, Any]) -> str:
    """Hash settings that were written as plain JSON: those that the verdict on one run of a thread rests on."""
    return _hash({key: value for key, value in document.items() if key not in GATE_KEYS})


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
