"""An eval set as a record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ConfigDict, PrivateAttr

from trajectory.conversation import ConversationThread, Optional, PlainObject, Record
from trajectory.settings import EVAL_SET_KEYS, THREAD_KEYS

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an eval set comes from. Two origins are always equal: where a set was read is no part of what it says."""

    path: str | None = field(default=None, compare=False)
    shape: str = field(default="native", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)


class EvalSet(Record):
    """A set of recorded conversations that an agent is checked against.

    The record is open: keys that the format does not know are kept in `extras`.

    Attributes:
        id: Names the set.
        name: Its title.
        description: What it is about.
        threads: The conversations, in the order of the file.
        evaluation: How its threads are to be evaluated, as stated in the file (see `trajectory.settings`).
    """

    model_config = ConfigDict(extra="allow")

    id: str
    name: str = ""
    description: str = ""
    threads: tuple[ConversationThread, ...]
    evaluation: Optional[PlainObject] = None

    _origin: Origin = PrivateAttr(default=Origin())

    @property
    def extras(self) -> JsonObject:
        """The keys that the format does not know, with their values."""
        return dict(self.model_extra or {})

    @property
    def path(self) -> str | None:
        """The file that the set was read from, as it was named there; ``None`` for a set made in code."""
        return self._origin.path

    @property
    def shape(self) -> str:
        """The shape of that file."""
        return self._origin.shape

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader had to say about the file: nothing that keeps it from being used."""
        return self._origin.notes

    def read_from(self, origin: Origin) -> EvalSet:
        """Copy the set with the facts about its file."""
        copy = self.model_copy()
        copy._origin = origin  # noqa: SLF001 - its own
        return copy


def effective_threads(eval_set: EvalSet) -> tuple[ConversationThread, ...]:
    """Lay what the root of an eval set states about evaluation under what each thread states, key by key.

    Args:
        eval_set: The eval set.

    Returns:
        Its threads, each with the `evaluation` that is in force for it. What only the root may state is left out.
    """
    stated = eval_set.evaluation or {}
    root = {key: value for key, value in stated.items() if key in THREAD_KEYS or key not in EVAL_SET_KEYS}
    return tuple(_effective(thread, root) for thread in eval_set.threads) if root else eval_set.threads


def _effective(thread: ConversationThread, root: JsonObject) -> ConversationThread:
    own = thread.evaluation or {}
    merged = root | own
    if "arguments" in root and "arguments" in own:
        merged["arguments"] = _arguments(root["arguments"], own["arguments"])
    return thread.model_copy(update={"evaluation": merged})


def _arguments(root: JsonObject, own: JsonObject) -> JsonObject:
    tools = root.get("tools", {}), own.get("tools", {})
    both = {name: tools[0].get(name, {}) | tools[1].get(name, {}) for name in (*tools[0], *tools[1])}
    return root | own | ({"tools": both} if both else {})
