"""Which run of a tool, and which result in the history, belongs to which call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from trajectory.conversation import NOT_RECORDED, FunctionMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajectory.conversation import ToolCall
    from trajectory.recordings.spans.facts import ToolRun

_T = TypeVar("_T")


class Pairs(Generic[_T]):
    """Calls with what belongs to them; each answer belongs to one call."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self._calls = calls
        self.found: dict[int, _T] = {}

    def join(self, answers: Sequence[_T], *tests: Callable[[ToolCall, _T], bool]) -> list[_T]:
        """Join calls and answers, by the surest test first, each time the earliest of both.

        Args:
            answers: What looks for its call.
            tests: Tell whether an answer may belong to a call.

        Returns:
            The answers that belong to no call.
        """
        left = list(answers)
        for test in tests:
            left = [answer for answer in left if not self._place(answer, test)]
        return left

    def _place(self, answer: _T, test: Callable[[ToolCall, _T], bool]) -> bool:
        for index, call in enumerate(self._calls):
            if index not in self.found and test(call, answer):
                self.found[index] = answer
                return True
        return False


def runs_of_calls(calls: Sequence[ToolCall], runs: Sequence[ToolRun]) -> tuple[dict[int, ToolRun], list[ToolRun]]:
    """Find the run of each call.

    Args:
        calls: The calls, in the order in which the model asked for them.
        runs: The runs, in the order of their beginning.

    Returns:
        The runs by the position of their call, and those that belong to none.
    """
    pairs = Pairs["ToolRun"](calls)
    left = pairs.join(runs, _same_id, _same_arguments, _same_value, _same_name)
    return pairs.found, left


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
    pairs = Pairs["FunctionMessage"](calls)
    if {result.id for result in results} <= {call.id for call in calls if call.id is not None}:
        pairs.join(results, lambda call, result: call.id == result.id)
    else:
        pairs.join(results, lambda call, result: result.name in ("", call.name))
    return pairs.found


def _same_id(call: ToolCall, run: ToolRun) -> bool:
    return run.id is not None and call.id == run.id


def _fits(call: ToolCall, run: ToolRun) -> bool:
    return call.name == run.name


def _same_arguments(call: ToolCall, run: ToolRun) -> bool:
    return _fits(call, run) and run.arguments is not NOT_RECORDED and call.arguments == run.arguments


def _same_value(call: ToolCall, run: ToolRun) -> bool:
    values = list(call.arguments.values()) if isinstance(call.arguments, dict) else []
    return _fits(call, run) and run.value is not None and [str(value) for value in values] == [run.value]


def _same_name(call: ToolCall, run: ToolRun) -> bool:
    return _fits(call, run)
