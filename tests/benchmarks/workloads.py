"""What is measured: eval sets and trajectories of a given size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.evalset.documents import TIME, thread_document, trace_document
from tests.sets import call, eval_set_text

if TYPE_CHECKING:
    from tests.sets import Call


def tool_calls(count: int) -> list[Call]:
    """Calls of one tool that all differ, and differ late: the worst case of whoever compares them pair by pair."""
    return [call("search", limit=10, filters={"colours": ["green", "blue"], "new": True}, page=n) for n in range(count)]


def plain_run(threads: int, turns: int, calls: int) -> str:
    """Write an eval set of which every turn lists its calls, and nothing else."""

    def turn(thread: int, number: int) -> tuple[str, list[Call]]:
        made = [
            call(f"tool_{n}", query=f"{thread} {number}", limit=n, filters={"sizes": [1, 2, 3]}) for n in range(calls)
        ]
        return f"question {number} of thread {thread}", made

    return eval_set_text({f"thread-{n}": [turn(n, number) for number in range(turns)] for n in range(threads)})


def recorded_thread(identity: str) -> dict[str, Any]:
    """Make a thread as editors record it: most of the text stands in the histories of the iterations."""
    asked = call("search", query="tool trajectories", limit=10, score=0.5)
    asks = {"role": "assistant", "content": None, "toolCalls": [asked]}
    answer = {"role": "function", "name": "search", "content": "nothing of that kind " * 5}
    history = [{"role": "system", "content": "You search. " * 20}, {"role": "user", "content": "hi"}, asks, answer]
    rounds = [
        {"history": history * length, "output": asks, "startTime": TIME, "endTime": [1_785_574_802, 0.25]}
        for length in (1, 2, 3)
    ]
    tool = {"name": "search", "description": "Searches", "parametersSchema": {"type": "object", "properties": {}}}
    turn = trace_document(iterations=rounds, toolCalls=[asked] * 3, tools=[tool] * 4)
    return thread_document(identity, *[turn] * 4)
