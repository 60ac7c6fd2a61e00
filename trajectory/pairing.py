"""Which result belongs to which call."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from trajectory.messages import AssistantMessage, UserMessage
from trajectory.tool_calls import FunctionMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajectory.messages import IterationOutput, Message
    from trajectory.tool_calls import ToolCall


@dataclass(frozen=True, slots=True)
class Pairing:
    """Calls with their results.

    Attributes:
        calls: The calls, each with its result where there is one.
        unpaired: The results that belong to no call.
    """

    calls: tuple[ToolCall, ...]
    unpaired: tuple[FunctionMessage, ...] = ()


def calls_in(messages: Iterable[Message | IterationOutput]) -> tuple[ToolCall, ...]:
    """Collect the calls that the messages of a model ask for."""
    return tuple(
        call for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls or ()
    )


def messages_of_turn(history: Sequence[Message]) -> Sequence[Message]:
    """Give the messages behind what the user said last."""
    begin = next((at for at in range(len(history), 0, -1) if isinstance(history[at - 1], UserMessage)), 0)
    return history[begin:]


def pair_results(calls: Sequence[ToolCall], messages: Sequence[Message | IterationOutput]) -> Pairing:
    """Give each call its result: by id the nearest earlier call without one, else by the tool's name, else by order.

    Args:
        calls: The calls, in order. One that has a result already keeps it.
        messages: What was said in the turn, in order.

    Returns:
        The calls with their results.
    """
    if not any(isinstance(message, FunctionMessage) for message in messages):
        return Pairing(tuple(calls))
    pairs = _Pairs(calls)
    waiting = [message for message in messages if not pairs.take(message)]
    pairs.ask(len(calls))
    unpaired = [message for message in waiting if isinstance(message, FunctionMessage) and not pairs.answer(message)]
    return Pairing(tuple(pairs.joined()), tuple(unpaired))


@dataclass(slots=True)
class _Pairs:
    calls: Sequence[ToolCall]
    results: dict[int, FunctionMessage] = field(default_factory=dict)
    _asked: int = 0
    _open: dict[int, None] = field(default_factory=dict)
    _by_id: dict[str, list[int]] = field(default_factory=dict)

    def take(self, message: Message | IterationOutput) -> bool:
        """Follow the conversation by one message; tell whether nothing is left to do about it."""
        if isinstance(message, FunctionMessage):
            return self.answer(message)
        for made in calls_in([message]):
            if self._asked < len(self.calls) and self.calls[self._asked].name == made.name:
                self.ask(self._asked + 1)
        return True

    def ask(self, number: int) -> None:
        """Let the calls up to this number wait for their results."""
        for index in range(self._asked, number):
            self._open[index] = None
            if (named := self.calls[index].id) is not None:
                self._by_id.setdefault(named, []).append(index)
        self._asked = max(number, self._asked)

    def answer(self, result: FunctionMessage) -> bool:
        """Give a result to the call that it belongs to, if one waits for it."""
        same_id = self._by_id.get(result.id, []) if result.id is not None else []
        index = same_id.pop() if same_id else self._first_like(result)
        if index is None:
            return False
        del self._open[index]
        if not same_id and (named := self.calls[index].id) in self._by_id:
            self._by_id[named] = [other for other in self._by_id[named] if other != index]
        self.results[index] = result
        return True

    def _first_like(self, result: FunctionMessage) -> int | None:
        """Find the first call of the tool that waits, where ids say nothing."""
        for index in self._open:
            call = self.calls[index]
            if result.name in {"", call.name} and None in (result.id, call.id):
                return index
        return None

    def joined(self) -> Iterable[ToolCall]:
        """Give the calls with their results."""
        for index, call in enumerate(self.calls):
            result = self.results.get(index)
            yield call if result is None or call.result is not None else call.changed(result=result)


def said_in(
    outputs: Iterable[Sequence[IterationOutput]], history: Sequence[Message]
) -> list[Message | IterationOutput]:
    """Give what was said in a turn: the outputs of its iterations, or where those keep no results, its history.

    Args:
        outputs: What came of each iteration.
        history: What the model was given for the last one.

    Returns:
        The messages, in order.
    """
    said: list[Message | IterationOutput] = list(chain.from_iterable(outputs))
    if any(isinstance(message, FunctionMessage) for message in said):
        return said
    return [*messages_of_turn(history), *said]
