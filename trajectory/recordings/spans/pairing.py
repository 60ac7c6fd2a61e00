"""Which run of a tool, and which result in the history, belongs to which call."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

from trajectory.recordings.spans.facts import ToolRun

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from trajectory.conversation import FunctionMessage, ToolCall

_T = TypeVar("_T")


class _Pairs(Generic[_T]):
    """Calls with what belongs to them; each answer belongs to one call."""

    def __init__(self, calls: Sequence[ToolCall], answers: Sequence[_T]) -> None:
        self._calls = calls
        self.left = list(answers)
        self.found: dict[int, _T] = {}

    def join(self, key: Callable[[ToolCall | _T], Hashable]) -> None:
        """Join calls and answers of the same key, the earliest first; ``None`` is no key."""
        waiting: dict[Hashable, deque[int]] = {}
        for index, call in enumerate(self._calls):
            if index not in self.found and (named := key(call)) is not None:
                waiting.setdefault(named, deque()).append(index)
        left = []
        for answer in self.left:
            if queue := waiting.get(key(answer)):
                self.found[queue.popleft()] = answer
            else:
                left.append(answer)
        self.left = left


def runs_of_calls(calls: Sequence[ToolCall], runs: Sequence[ToolRun]) -> tuple[dict[int, ToolRun], list[ToolRun]]:
    """Find the run of each call: by id, or else by name with arguments, by name with a bare value, by name.

    Args:
        calls: The calls, in the order in which the model asked for them.
        runs: The runs, in the order of their beginning.

    Returns:
        The runs by the position of their call, and those that belong to none.
    """
    pairs = _Pairs(calls, runs)
    for key in (_by_id, _by_arguments, _by_value, _by_name):
        if pairs.left:
            pairs.join(key)
    return pairs.found, pairs.left


def results_of_calls(calls: Sequence[ToolCall], results: Sequence[FunctionMessage]) -> dict[int, FunctionMessage]:
    """Find the result of each call among those that a model was told at once.

    Ids count only when every one of the results bears that of a call: one writer makes them up from positions, so that
    they name other calls than they mean.

    Args:
        calls: The calls that wait for their results, in order.
        results: The results, in order.

    Returns:
        The results by the position of their call.
    """
    pairs = _Pairs(calls, results)
    trusted = {result.id for result in results} <= {call.id for call in calls if call.id is not None}
    named = all(result.name for result in results)
    pairs.join(_by_id if trusted else _by_name if named else lambda _: "")
    return pairs.found


def _by_id(fact: ToolCall | ToolRun | FunctionMessage) -> Hashable:
    return fact.id


def _by_name(fact: ToolCall | ToolRun | FunctionMessage) -> Hashable:
    return fact.name


def _by_arguments(fact: ToolCall | ToolRun) -> Hashable:
    known = isinstance(fact.arguments, dict)
    return (fact.name, json.dumps(fact.arguments, sort_keys=True)) if known else None


def _by_value(fact: ToolCall | ToolRun) -> Hashable:
    """Key by the value of the only argument; some writers keep that without its name."""
    if isinstance(fact, ToolRun):
        return None if fact.value is None else (fact.name, fact.value)
    values = list(fact.arguments.values()) if isinstance(fact.arguments, dict) else []
    return (fact.name, str(values[0])) if len(values) == 1 else None
