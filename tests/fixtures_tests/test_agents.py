"""The tiny agents do what they say, so that the tests that use them test what they mean to."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from typing import Any

import pytest

from fixtures import agents


def test_echo() -> None:
    assert agents.echo("hello") == "hello"


def test_echo_async() -> None:
    assert asyncio.run(agents.echo_async("hello")) == "hello"


def test_count_turns_remembers_by_session() -> None:
    said = [agents.count_turns("hello", session) for session in ("count-a", "count-a", "count-b")]

    assert [turn["output"] for turn in said] == ["turn 1", "turn 2", "turn 1"]
    assert [turn["tool_calls"][0]["arguments"] for turn in said] == [{"turn": 1}, {"turn": 2}, {"turn": 1}]


def test_openai_messages() -> None:
    assistant, tool, answer = agents.openai_messages("2 + 3")

    (call,) = assistant["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"text": "2 + 3"}
    assert tool["tool_call_id"] == call["id"]
    assert answer == {"role": "assistant", "content": "2 + 3"}


@pytest.mark.parametrize("turn", [1, 3])
def test_raises_at_turn(turn: int) -> None:
    agent = agents.RaisesAtTurn(turn)
    for session in (agent.start_session("a"), agent.start_session("b")):
        assert [session.send("hello") for _ in range(turn - 1)] == ["hello"] * (turn - 1)
        with pytest.raises(RuntimeError, match=f"the agent broke down in turn {turn}"):
            session.send("hello")


@pytest.mark.parametrize(
    ("agent", "answer"), [(agents.answer_none, None), (agents.answer_nothing, ""), (agents.fail, RuntimeError)]
)
def test_agents_without_an_answer(agent: Any, answer: Any) -> None:
    if answer is RuntimeError:
        with pytest.raises(RuntimeError):
            agent("hello")
    else:
        assert agent("hello") == answer


def test_answer_nonsense() -> None:
    assert type(agents.answer_nonsense("hello")) is object


def test_forget_to_await() -> None:
    answer = agents.forget_to_await("hello")["output"]

    assert inspect.iscoroutine(answer)
    answer.close()


def test_hang_hangs_until_it_is_let_go() -> None:
    agent = agents.Hangs()
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(agent("hello")), daemon=True)
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()

    agent.let_go()
    thread.join(5)
    assert answers == ["hello"]


def test_hang_async_can_be_cancelled() -> None:
    async def hang() -> None:
        async with asyncio.timeout(0.05):
            await agents.hang_async("hello")

    with pytest.raises(TimeoutError):
        asyncio.run(hang())


def test_leaky_sessions_of_one_id_share_their_memory() -> None:
    def heard(session_id: str, query: str) -> Any:
        return agents.LeakyAgent().start_session(session_id).send(query)["tool_calls"][0]["arguments"]

    assert heard("leak-a", "one") == {"heard": []}
    assert heard("leak-b", "two") == {"heard": []}
    assert heard("leak-a", "three") == {"heard": ["one"]}


def test_counting_factory() -> None:
    factory = agents.CountingFactory(agents.LeakyAgent)

    assert factory.made == 0
    assert factory() is not factory()
    assert isinstance(factory(), agents.LeakyAgent)
    assert factory.made == 3
