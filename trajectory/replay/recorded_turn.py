"""The recording of the turn that is being replayed, from which wrapped tools answer."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import ToolCall
from trajectory.errors import EvaluationError
from trajectory.json_values import printable, shorten
from trajectory.matching import match_trajectory
from trajectory.settings import ArgumentPolicy

if TYPE_CHECKING:
    from collections.abc import Collection

    from trajectory.conversation import FunctionMessage, Trace

EXACT: Final = ArgumentPolicy()
_CALL_SHOWN: Final = 200


class ReplayMiss(EvaluationError):  # noqa: N818 - the field's name for it
    """A tool was called that has no recorded result to answer with."""


class RecordedTurn:
    """The recorded calls of a turn, each to be answered from once.

    Attributes:
        misses: What was called without a recording, in order.
        live: The calls that went to live tools instead, by name.
    """

    def __init__(
        self, number: int, trace: Trace, policy: ArgumentPolicy = EXACT, failed_calls: Collection[str] = ()
    ) -> None:
        """Take a turn.

        Args:
            number: Which turn of the thread it is, from 1.
            trace: The turn as it was recorded.
            policy: When a recorded call accepts the arguments of one that is made.
            failed_calls: JSON Pointers inside the thread to the calls that failed when they were recorded.
        """
        self.number = number
        self.misses: list[ReplayMiss] = []
        self.live: list[str] = []
        self._left = [
            _failed(call) if f"/traces/{number - 1}/toolCalls/{place}" in failed_calls else call
            for place, call in enumerate(trace.trajectory)
        ]
        self._policy = policy
        self._lock = threading.Lock()  # tools may be called in parallel, from several threads

    def answer(self, name: str, arguments: dict[str, Any]) -> FunctionMessage | None:
        """Find what the tool gave back when it was called so; each recorded call answers once, in the recorded order.

        Args:
            name: The tool's name.
            arguments: The arguments by name.

        Returns:
            The recorded result; ``None`` where there is none.
        """
        made = ToolCall.read({"name": name, "arguments": arguments})
        with self._lock:
            index = self._find(made, EXACT)
            index = self._find(made, self._policy) if index is None else index
            found = None if index is None else self._left.pop(index)
        return None if found is None else found.result

    def _find(self, made: ToolCall, policy: ArgumentPolicy) -> int | None:
        """Find the first call left that accepts one that is made."""
        for index, recorded in enumerate(self._left):
            if match_trajectory([recorded], [made], arguments=policy):
                return index
        return None

    def miss(self, name: str, arguments: dict[str, Any]) -> ReplayMiss:
        """Note that a call has no recording, so that the turn gets no verdict even if the agent goes on."""
        shown = shorten(
            printable(f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"), _CALL_SHOWN
        )
        left = ", ".join(dict.fromkeys(printable(call.name) for call in self._left))
        hint = f"recorded and not yet called in this turn: {left}" if left else "no recorded call is left in this turn"
        problem = ReplayMiss(f"turn {self.number} has no recorded result for {shown} ({hint})")
        self.misses.append(problem)
        return problem

    def went_live(self, name: str) -> None:
        """Note that a call went to the live tool."""
        self.live.append(name)


def _failed(call: ToolCall) -> ToolCall:
    if call.result is None:
        return call
    return call.model_copy(update={"result": call.result.model_copy(update={"error": True})})


CURRENT_TURN: Final[ContextVar[RecordedTurn | None]] = ContextVar("trajectory_recorded_turn", default=None)
"""The turn that is being replayed, in the context of the agent's own code."""
