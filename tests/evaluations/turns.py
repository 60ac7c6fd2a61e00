"""Turns and threads as an agent may have played them, for tests of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.sets import TIME, conversation, trace
from trajectory.chosen_rules import read_rules
from trajectory.conversation import Trace
from trajectory.evaluations import Verdict
from trajectory.replay import ThreadReplay, TurnReplay
from trajectory.rules import find_rule

if TYPE_CHECKING:
    from collections.abc import Sequence


def turn(answer: str | None = "fine", calls: Sequence[dict[str, Any]] = (), **keys: Any) -> Trace:
    made = trace(1, "a question", calls, {"role": "assistant", "content": answer})
    return Trace.model_validate({**made, **keys})


def failed_turn() -> Trace:
    return Trace.model_validate(trace(1, "a question", [], "out of paper"))


def tool(name: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"name": name, "description": "", **({"parametersSchema": schema} if schema is not None else {})}


def iteration(*output: Any, history: Sequence[Any] = ()) -> dict[str, Any]:
    return {"history": list(history), "output": list(output), "startTime": TIME, "endTime": TIME}


def result(name: str, content: str, identity: str | None = None) -> dict[str, Any]:
    return {"role": "function", "name": name, "content": content, **({"id": identity} if identity else {})}


def replayed(*turns: Trace) -> ThreadReplay:
    thread = conversation("t", [(f"question {number}", []) for number in range(len(turns))])
    pairs = zip(thread.traces, turns, strict=True)
    return ThreadReplay(thread, "s", tuple(TurnReplay(n, e, a) for n, (e, a) in enumerate(pairs, start=1)))


def verdict(name: str, *given: Any, **settings: Any) -> Verdict:
    """Ask a rule for its verdict on (expected, actual) turns, or on a replayed thread."""
    chosen, problems = read_rules([{name: settings}])
    assert problems == []
    found = find_rule(name)
    assert found is not None
    given_verdict = found.judge(*given, chosen[0].settings)
    assert isinstance(given_verdict, Verdict)
    return given_verdict
