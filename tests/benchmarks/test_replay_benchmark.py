"""What the replayer itself takes for a turn, and how well threads run at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import conversation
from trajectory.replay import as_agent
from trajectory.running import Ahead, run_thread
from trajectory.settings import Settings

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Comparison
    from trajectory.conversation import ConversationThread

THREADS, TURNS = 200, 10
ANSWER = {"output": "done", "tool_calls": [{"name": "f", "arguments": {"a": 1}}]}
PLAIN = [
    conversation(f"t{n}", [(f"turn {k}", [{"name": "f", "arguments": {"a": 1}}]) for k in range(TURNS)])
    for n in range(THREADS)
]


def agent(query: str) -> dict[str, Any]:
    del query
    return ANSWER


@pytest.mark.parametrize(
    ("where", "turn_timeout"),
    [("in the calling thread", 0), ("in a thread that is watched", 120)],
    ids=["here", "there"],
)
def test_the_cost_of_a_turn(compare: Comparison, where: str, turn_timeout: float) -> None:
    """The goal: under 200 microseconds."""
    adapted, settings = as_agent(agent), Settings(turn_timeout=turn_timeout)
    compare(
        f"replay and judge 2,000 turns {where}",
        lambda: [run_thread(adapted, thread, settings) for thread in PLAIN],
        reference="the agent alone, called a hundred times for each turn",
        against=lambda: [agent(trace.query) for _ in range(100) for thread in PLAIN for trace in thread.traces],
        at_most=16,
    )


def test_threads_at_once(compare: Comparison) -> None:
    """1,000 threads of 2 turns, 50 at once, with an agent that sleeps 20 ms a turn. The goal: 1.3 times the sleep."""
    threads, at_once, turns, nap = 1000, 50, 2, 0.02

    async def sleeping(query: str) -> str:
        await asyncio.sleep(nap)
        return query

    async def bare() -> None:
        gate = asyncio.Semaphore(at_once)

        async def one(thread: ConversationThread) -> None:
            async with gate:
                for trace in thread.traces:
                    await sleeping(trace.query)

        await asyncio.gather(*map(one, set_of))

    def run() -> None:
        ahead: Ahead[Any] = Ahead(at_once)
        for thread in set_of:
            ahead.plan(thread.id, lambda thread=thread: run_thread(adapted, thread, settings))  # type: ignore[misc]
        for thread in set_of:
            ahead.take(thread.id)
        ahead.stop()

    adapted, settings = as_agent(sleeping), Settings()
    set_of = [conversation(f"t{n}", [(f"turn {k}", []) for k in range(turns)]) for n in range(threads)]
    compare.by_the_clock(
        "replay and judge 1,000 threads, 50 at once",
        run,
        reference="the agent alone, 50 at once on one event loop",
        against=lambda: asyncio.run(bare()),
        at_most=3,
    )
