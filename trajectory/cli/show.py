"""``trajectory show``: a thread as a person reads a conversation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from trajectory.cli.reading import read_source
from trajectory.conversation import MalformedArguments, NotRecorded
from trajectory.json_values import printable, shorten
from trajectory.report.text import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.cli.reading import Source
    from trajectory.conversation import ConversationThread, ToolCall, Trace

_FOLDED = 160


@click.command("show")
@click.argument("file", metavar="FILE")
@click.argument("thread", required=False, metavar="[THREAD]")
@click.option("--full", is_flag=True, help="Show arguments and results whole, not folded to one line.")
def command(file: str, thread: str | None, *, full: bool) -> None:
    """Show the conversations in an eval set or a recording, or one of them.

    Without THREAD, the threads are listed with their first words. Nothing of a file is ever carried out or sent to the
    terminal as a control code.

    \b
    Examples:
      trajectory show sample.evalset.json
      trajectory show recorded.jsonl order-two-lamps --full
    """
    source = read_source(file)
    lines = (
        _listing(source) if thread is None and len(source.threads) != 1 else _conversations(source, thread, full=full)
    )
    for line in lines:
        click.echo(line)


def _listing(source: Source) -> Iterator[str]:
    count = len(source.threads)
    yield f"{source.name}: {source.kind}, {count} thread{'s' * (count != 1)}"
    yield from (line for note in source.notes for line in wrapped("  note: ", note))
    width = min(40, max((len(thread.id) for thread in source.threads), default=0))
    for thread in source.threads:
        first = thread.traces[0].query if thread.traces else "(no turns)"
        calls = sum(len(trace.trajectory) for trace in thread.traces)
        facts = f"{len(thread.traces)} turns, {calls} calls"
        yield f"{printable(thread.id):{width}}  {facts:20}  {shorten(printable(first), 60)}"


def _conversations(source: Source, name: str | None, *, full: bool) -> Iterator[str]:
    thread = source.thread(name) if name is not None else source.threads[0]
    yield f"{source.name}: {source.kind}, thread {printable(thread.id)}"
    yield from (line for note in source.notes for line in wrapped("  note: ", note))
    if thread.description:
        yield f"  {printable(thread.description)}"
    yield from _facts(thread)
    for number, trace in enumerate(thread.traces, start=1):
        yield ""
        yield from _turn(trace, number, full=full)


def _facts(thread: ConversationThread) -> Iterator[str]:
    for key in ("tags", "initial_state", "expected_final_state", "evaluation", "final_state"):
        value = getattr(thread, key)
        if value:
            yield f"  {key}: {printable(json.dumps(value, ensure_ascii=False))}"


def _turn(trace: Trace, number: int, *, full: bool) -> Iterator[str]:
    yield f"turn {number}"
    yield f"  user: {_text(trace.query, full=full)}"
    for call in trace.trajectory:
        by = f" ({printable(call.agent)})" if call.agent else ""
        yield f"  -> {printable(call.name)}{by} {_folded(_arguments(call), full=full)}"
        if call.result is not None:
            failed = " failed:" if call.result.error else ""
            yield f"  <-{failed} {_folded(call.result.content or '(nothing)', full=full)}"
    if not trace.states_expectation:
        yield "  (states no expectation)"
    if trace.error is not None:
        yield f"  ended in an error: {_text(trace.error, full=full)}"
    else:
        yield f"  agent: {_text(trace.response or '(no text)', full=full)}"
    if trace.usage is not None and trace.usage.tokens is not None:
        cost = f", {trace.usage.cost_usd:.4g} USD" if trace.usage.cost_usd is not None else ""
        yield f"  took {trace.usage.tokens:,} tokens{cost}"


def _arguments(call: ToolCall) -> str:
    match call.arguments:
        case MalformedArguments():
            return f"malformed: {call.arguments.text}"
        case NotRecorded():
            return "(not recorded)"
        case _:
            return json.dumps(call.arguments, ensure_ascii=False) if call.arguments else ""


def _folded(text: str, *, full: bool) -> str:
    return printable(text) if full else shorten(printable(text), _FOLDED)


def _text(text: str, *, full: bool) -> str:
    lines = [printable(line) for line in text.splitlines()] or [""]
    shown = lines if full else lines[:5]
    more = f" ... ({len(lines) - len(shown)} more lines)" if len(lines) > len(shown) else ""
    return "\n        ".join(shown) + more
