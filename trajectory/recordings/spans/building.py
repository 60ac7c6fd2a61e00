"""One turn, put together from what models said and what tools did."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from trajectory.conversation import NOT_RECORDED, AssistantMessage, FunctionMessage, ToolCall, Usage, UserMessage
from trajectory.json_values import printable
from trajectory.recordings.messages import turn_from_messages
from trajectory.recordings.spans.envelopes import statuses_in
from trajectory.recordings.spans.pairing import results_of_calls, runs_of_calls
from trajectory.recordings.spans.span import decoded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from trajectory.conversation import Trace
    from trajectory.recordings.spans.facts import Exchange, ToolRun
    from trajectory.recordings.spans.span import Span
    from trajectory.recordings.spans.turns import Turn

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OUTPUTS: Final = ("output.value", "traceloop.entity.output", "outputs")
"""Where spans that are neither requests nor runs of tools show LangChain's messages."""


_SMOLAGENTS: Final = "smolagents"
_FINAL: Final = "final_answer"


@dataclass(slots=True)
class _Step:
    """Something that the agent said, and what came back for each of its calls."""

    start: int
    said: AssistantMessage
    agent: str | None = None
    results: dict[int, FunctionMessage] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.said.tool_calls or ()

    def replace(self, index: int, call: ToolCall) -> None:
        calls = (*self.calls[:index], call, *self.calls[index + 1 :])
        self.said = self.said.changed(tool_calls=calls)

    def messages(self) -> list[AssistantMessage | FunctionMessage]:
        """Give what was said, each call with its result, and the results of which something is recorded."""
        self.results = dict(sorted(self.results.items()))
        calls = tuple(
            ToolCall.of_sound(
                name=call.name,
                arguments=call.arguments,
                id=call.id,
                result=self.results.get(index),
                agent=call.agent or self.agent,
            )
            for index, call in enumerate(self.calls)
        )
        said = AssistantMessage.of_sound(content=self.said.content, tool_calls=calls) if calls else self.said
        return [said, *(result for result in self.results.values() if result.content is not None)]


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
        self._known = 0
        for span, exchange in turn.exchanges:
            self._hear(exchange)
            self._steps += [_Step(span.start, said, exchange.agent) for said in exchange.said]
            self._known += sum(len(said.tool_calls or ()) for said in exchange.said)
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
        self._take_statuses()
        self._note_gaps()
        answer = [message for step in self._steps for message in step.messages()]
        start, end = _moment(self._turn.begin), _moment(self._turn.end)
        trace = turn_from_messages(answer, self._query() or "", start=start, end=end, id=name)
        tools = [tool for _, exchange in self._turn.exchanges for tool in exchange.tools]
        models = dict.fromkeys(request.model for request in self._turn.requests if request.model)
        return trace.changed(
            tools=tuple({tool.name: tool for tool in tools}.values()),
            usage=Usage.total(request.usage for request in self._turn.requests),
            models=tuple(models) or None,
            **(self._final_answer(trace) or self._failure(answer)),
        )

    def _hear(self, exchange: Exchange) -> None:
        """Take the results of the latest calls from what the model was told next, and see whether it knows of more calls."""
        self.incomplete |= self._turn.complete and self._known < sum(map(len, _calls_of_turn(exchange)))
        calling = next((step for step in reversed(self._steps) if step.calls), None)
        if calling is not None and not calling.results:
            found = results_of_calls(calling.calls, _latest_results(exchange))
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

    def _take_statuses(self) -> None:
        """Take whether calls without runs failed from messages of LangChain, which only other spans show."""
        untold: dict[str, list[tuple[_Step, int]]] = {}
        for step in self._steps:
            for index, result in step.results.items():
                if result.error is None and result.start_time is None and result.id is not None:
                    untold.setdefault(result.id, []).append((step, index))
        told: dict[str, set[bool]] = {}
        for identity, failed in _statuses(self._turn.rest, untold) if untold else ():
            told.setdefault(identity, set()).add(failed)
        for identity, statuses in told.items():
            for step, index in untold[identity] if len(statuses) == 1 else ():
                step.results[index] = step.results[index].changed(error=True in statuses)

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

    def _final_answer(self, trace: Trace) -> dict[str, AssistantMessage]:
        """Tell the answer that an agent of smolagents gave by a call of a tool, as a change to the turn's output."""
        last = trace.trajectory[-1] if trace.trajectory else None
        gave = (
            last is not None and last.name == _FINAL and any(_SMOLAGENTS in span.scope for span, _ in self._turn.tools)
        )
        return {"output": AssistantMessage(content=last.result.content)} if gave and last and last.result else {}

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
        if message.role == "user":
            return
        if message.role == "assistant":
            yield message.tool_calls or ()


def _labelled(result: FunctionMessage, call: ToolCall) -> FunctionMessage:
    """Give a result the name and the id of its call; its own may be missing or made up."""
    return FunctionMessage.of_sound(name=call.name, content=result.content, id=call.id, error=result.error)


def _statuses(spans: Iterable[Span], identities: Collection[str]) -> Iterator[tuple[str, bool]]:
    for span in spans:
        for key in _OUTPUTS:
            value = span.attributes.get(key)
            if not isinstance(value, str) or any(identity in value for identity in identities):
                yield from (found for found in statuses_in(decoded(value)) if found[0] in identities)


def _latest_results(exchange: Exchange) -> list[FunctionMessage]:
    """Give the results that a model was told last, before what the user may have said then."""
    found: list[FunctionMessage] = []
    for message in reversed(exchange.given):
        if message.role == "function":
            found.append(message)
        elif found or message.role != "user":
            break
    return found[::-1]


def _complete(step: _Step, index: int, run: ToolRun, span: Span) -> None:
    """Add to a call what its run knows better: the result, and what the model's message leaves open."""
    call = step.calls[index]
    if call.arguments is NOT_RECORDED or None in (call.id, step.agent):
        arguments = run.arguments if call.arguments is NOT_RECORDED else call.arguments
        identity, agent = call.id or run.id, step.agent or run.agent
        if arguments is not call.arguments or identity != call.id or agent != call.agent:
            call = ToolCall.of_sound(name=call.name, arguments=arguments, id=identity, agent=agent)
            step.replace(index, call)
    result = _result(call, run, span, step.results.get(index))
    step.results |= {} if result is None else {index: result}


def _result(call: ToolCall, run: ToolRun, span: Span, told: FunctionMessage | None = None) -> FunctionMessage | None:
    """Make the result of a run; where its span has none, of what the model was told, or of the words of its failure."""
    content = span.failure if run.result is None else run.result
    if run.result is None and told is not None:
        content = told.content
    if content is None and span.end is None:
        return None
    return FunctionMessage.of_sound(
        name=call.name,
        content=content,
        id=call.id,
        error=_failed(run, span),
        start_time=_time(span.start),
        end_time=_time(span.end),
    )


def _failed(run: ToolRun, span: Span) -> bool | None:
    if run.failed or span.failure is not None:
        return True
    return None if run.failed is None or span.end is None else False


def _step_of(span: Span, run: ToolRun) -> _Step:
    call = ToolCall.of_sound(name=run.name, arguments=run.arguments, id=run.id)
    result = _result(call, run, span)
    said = AssistantMessage.of_sound(tool_calls=(call,))
    return _Step(span.start, said, run.agent, {} if result is None else {0: result})


def _time(nanoseconds: int | None) -> str | None:
    return _moment(nanoseconds).isoformat() if nanoseconds else None


def _moment(nanoseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
