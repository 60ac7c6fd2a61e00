"""What the replayer itself takes for a turn, and how well threads run at once."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from tests.sets import conversation
from trajectory.replay import as_agent
from trajectory.running import Ahead, run_thread
from trajectory.settings import Settings

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Comparison

THREADS, TURNS = 200, 10
ANSWER = {"output": "done", "tool_calls": [{"name": "f", "arguments": {"a": 1}}]}
PLAIN = [
    conversation(f"t{n}", [(f"turn {k}", [{"name": "f", "arguments": {"a": 1}}]) for k in range(TURNS)])
    for n in range(THREADS)
]


def agent(query: str) -> dict[str, Any]:
    del query
    return ANSWER


def test_the_cost_of_a_turn(compare: Comparison) -> None:
    adapted, settings = as_agent(agent), Settings()
    compare(
        "replay and judge 200 threads of 10 turns",
        lambda: [run_thread(adapted, thread, settings) for thread in PLAIN],
        reference="the same calls of the agent, a hundred times",
        against=lambda: [agent(trace.query) for _ in range(100) for thread in PLAIN for trace in thread.traces],
        at_most=120,
    )


def test_threads_at_once() -> None:
    """1,000 threads at a concurrency of 50, with an agent that sleeps 20 ms a turn, against the ideal."""
    threads, at_once, turns, nap = 1000, 50, 2, 0.02

    async def sleeping(query: str) -> str:
        await asyncio.sleep(nap)
        return query

    adapted, settings = as_agent(sleeping), Settings()
    set_of = [conversation(f"t{n}", [(f"turn {k}", []) for k in range(turns)]) for n in range(threads)]

    def run() -> None:
        ahead: Ahead[Any] = Ahead(at_once)
        for thread in set_of:
            ahead.plan(thread.id, lambda thread=thread: run_thread(adapted, thread, settings))  # type: ignore[misc]
        for thread in set_of:
            ahead.take(thread.id)
        ahead.stop()

    ideal = threads / at_once * turns * nap
    begun = time.perf_counter()
    run()
    assert time.perf_counter() - begun < 6 * ideal  # the goal is 1.3
