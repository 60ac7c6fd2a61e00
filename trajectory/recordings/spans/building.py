"""One turn, put together from what models said and what tools did."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from trajectory.conversation import NOT_RECORDED, AssistantMessage, FunctionMessage, ToolCall, UserMessage
from trajectory.json_values import printable
from trajectory.recordings.messages import turn_from_messages
from trajectory.recordings.spans.pairing import results_of_calls, runs_of_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import Trace
    from trajectory.recordings.spans.facts import Exchange, ToolRun
    from trajectory.recordings.spans.span import Span
    from trajectory.recordings.spans.turns import Turn

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Step:
    """Something that the agent said, and what came back for each of its calls."""

    start: int
    said: AssistantMessage
    results: dict[int, FunctionMessage] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.said.tool_calls or ()


class TraceBuilder:
    """Puts a turn together.

    Attributes:
        notes: What is missing in the turn, and what was left out of it.
        incomplete: Whether calls were made, or may have been, that nothing in the recording shows.
    """

    def __init__(self, turn: Turn, after: Exchange | None) -> None:
        """Take a turn, and the first request of the turn behind it, which may tell how this one ended."""
        self.notes: list[str] = []
        self.incomplete = False
        self._turn = turn
        self._steps: list[_Step] = []
        for span, exchange in turn.exchanges:
            self._hear(exchange)
            self._steps += [_Step(span.start, said) for said in exchange.said]
        if after is not None:
            self._hear(after)

    def trace(self, name: str) -> Trace:
        """Build the turn.

        Args:
            name: The id that it gets.

        Returns:
            The turn.
        """
        self._join_runs()
        self._note_gaps()
        answer: list[AssistantMessage | FunctionMessage] = []
        for step in self._steps:
            answer += [step.said, *step.results.values()]
        start, end = _moment(self._turn.begin), _moment(self._turn.end)
        trace = turn_from_messages(answer, self._query() or "", start=start, end=end, id=name)
        tools = [tool for _, exchange in self._turn.exchanges for tool in exchange.tools]
        return trace.model_copy(
            update={"tools": tuple({tool.name: tool for tool in tools}.values()), **self._failure(answer)}
        )

    def _hear(self, exchange: Exchange) -> None:
        """Take the results of the latest calls from what the model was told next, and see whether it knows of more calls."""
        known = sum(len(step.calls) for step in self._steps)
        self.incomplete |= self._turn.complete and known < sum(map(len, _calls_of_turn(exchange)))
        calling = next((step for step in reversed(self._steps) if step.calls), None)
        if calling is not None and not calling.results:
            found = results_of_calls(calling.calls, list(_latest_results(exchange)))
            calling.results = {at: _labelled(result, calling.calls[at]) for at, result in found.items()}

    # ------------------------------------------------------------------------------------------------------- tools

    def _join_runs(self) -> None:
        calls = [(step, index) for step in self._steps for index in range(len(step.calls))]
        runs = [run for _, run in self._turn.tools]
        found, left = runs_of_calls([step.calls[index] for step, index in calls], runs)
        spans = {id(run): span for span, run in self._turn.tools}
        for position, run in found.items():
            _complete(*calls[position], run, spans[id(run)])
        if calls and self._turn.complete:
            self._note_left(left)
        else:
            self._steps += [_step_of(spans[id(run)], run) for run in left]
            self._steps.sort(key=lambda step: step.start)
        for step in self._steps:
            step.results = dict(sorted(step.results.items()))

    def _note_left(self, runs: list[ToolRun]) -> None:
        if runs:
            names = ", ".join(printable(run.name) for run in runs)
            self.notes.append(f"runs of tools for which no model asked are left out: {names}")

    # ---------------------------------------------------------------------------------------------------- the rest

    def _query(self) -> str | None:
        if self._turn.query is not None:
            return self._turn.query
        given = [message for _, exchange in self._turn.agents for message in exchange.given]
        return next((message.content for message in reversed(given) if isinstance(message, UserMessage)), None)

    def _note_gaps(self) -> None:
        if self.incomplete:
            self.notes.append("a model was reminded of calls that no recorded answer makes: spans are missing")
        if self._query() is None:
            self.notes.append("what the user said is not recorded")
        answered = any(exchange.said for _, exchange in self._turn.exchanges)
        if not (self._turn.complete or self._turn.tools or answered):
            self.incomplete = True
            self.notes.append("requests to models kept no messages and no tool ran: nothing tells what was called")
        elif not self._turn.complete:
            self.notes.append("some requests to models kept no messages, so runs of tools count as calls as well")
        elif not answered:
            self.notes.append("what the agent answered is not recorded")
        bare = sorted({call.name for step in self._steps for call in step.calls if call.arguments is NOT_RECORDED})
        if bare:
            self.notes.append(f"the arguments are not recorded for calls of {', '.join(map(printable, bare))}")
        if self._turn.others:
            texts = len(self._turn.others)
            self.notes.append(f"{texts} requests to models begin with other words than the user's; they open no turn")

    def _failure(self, answer: list[AssistantMessage | FunctionMessage]) -> dict[str, str]:
        """Tell the error in which a turn without an answer ended, as a change to its output."""
        if answer and isinstance(answer[-1], AssistantMessage) and not answer[-1].tool_calls:
            return {}
        spans = [span for span, _ in (*self._turn.exchanges[-1:], *self._turn.agents)]
        words = next((words for span in spans if (words := span.failure)), None)
        return {} if words is None else {"output": words}


def _calls_of_turn(exchange: Exchange) -> Iterator[tuple[ToolCall, ...]]:
    """Give the calls that a model was reminded of, back to what the user said last."""
    for message in reversed(exchange.given):
        if isinstance(message, UserMessage):
            return
        if isinstance(message, AssistantMessage):
            yield message.tool_calls or ()


def _labelled(result: FunctionMessage, call: ToolCall) -> FunctionMessage:
    """Give a result the name and the id of its call; its own may be missing or made up."""
    return FunctionMessage(name=call.name, content=result.content, id=call.id)


def _latest_results(exchange: Exchange) -> Iterator[FunctionMessage]:
    """Give the results that a model was told last, before what the user may have said then."""
    given = list(exchange.given)
    while given and isinstance(given[-1], UserMessage):
        given.pop()
    begin = next((at for at in range(len(given), 0, -1) if not isinstance(given[at - 1], FunctionMessage)), 0)
    yield from (message for message in given[begin:] if isinstance(message, FunctionMessage))


def _complete(step: _Step, index: int, run: ToolRun, span: Span) -> None:
    """Add to a call what its run knows better: the result, and what the model's message leaves open."""
    call = step.calls[index]
    if call.arguments is NOT_RECORDED or call.id is None:
        arguments = run.arguments if call.arguments is NOT_RECORDED else call.arguments
        call = ToolCall(name=call.name, arguments=arguments, id=call.id or run.id)
        calls = (*step.calls[:index], call, *step.calls[index + 1 :])
        step.said = step.said.model_copy(update={"tool_calls": calls})
    if run.result is None and index in step.results:
        return
    step.results |= _result(index, call, run, span)


def _result(index: int, call: ToolCall, run: ToolRun, span: Span) -> dict[int, FunctionMessage]:
    content = span.failure if run.result is None else run.result
    return {} if content is None else {index: FunctionMessage(name=call.name, content=content, id=call.id)}


def _step_of(span: Span, run: ToolRun) -> _Step:
    call = ToolCall(name=run.name, arguments=run.arguments, id=run.id)
    return _Step(span.start, AssistantMessage(tool_calls=(call,)), _result(0, call, run, span))


def _moment(nanoseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
