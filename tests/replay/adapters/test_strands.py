"""The adapter of Strands, with Strands itself and a scripted model."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.replay.adapters.frameworks import WEATHER, framework, made, played, results, runs_in_pytest, turn
from tests.sets import conversation
from trajectory.errors import AgentError
from trajectory.evaluations import Outcome
from trajectory.replay import as_agent, recorded_tools
from trajectory.running import run_thread
from trajectory.settings import Settings

framework("strands", "strands")
if not hasattr(__import__("strands"), "Agent"):
    pytest.skip("the package strands is another one", allow_module_level=True)

from strands import Agent, ToolContext, tool

FOLDER = Path(__file__).parents[3] / "evalsets" / "strands"
pytestmark = [pytest.mark.filterwarnings("ignore")]  # Strands warns of what is its own


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("strands_example", FOLDER / "strands_weather.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = load_example()
ONE = conversation("t", [("hi", [])])


@pytest.mark.parametrize("agent", [EXAMPLE.make_agent, EXAMPLE.make_agent()], ids=["factory", "agent"])
def test_a_conversation(agent: Any) -> None:
    replayed = played(agent)
    first, second, third = (turn(replayed, number) for number in (1, 2, 3))
    assert made(first) == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]
    assert results(first) == [("sunny in Paris", False), ("sunny in Rome", False)]
    assert [error for _, error in filter(None, results(second))] == [True]
    assert "out of order" in str(results(second))
    assert [(one.response or "").strip() for one in (first, second, third)] == ["1 turns", "2 turns", "3 turns"]
    assert first.usage is not None
    assert first.usage.tokens == 30
    assert first.models == ("scripted",)


def test_each_session_begins_anew() -> None:
    agent = EXAMPLE.make_agent()
    for _ in range(3):
        assert (turn(played(agent), 1).response or "").strip() == "1 turns"


def test_one_session_at_a_time() -> None:
    agent = EXAMPLE.make_agent()
    session: Any = as_agent(agent).open(WEATHER, "a")
    with pytest.raises(AgentError, match="one session at a time"):
        as_agent(agent).open(WEATHER, "b")
    session.close()
    as_agent(agent).open(WEATHER, "c")


def test_a_state_in_and_out() -> None:
    @tool(context=True)
    def get_weather(city: str, tool_context: ToolContext) -> str:
        """Tell the weather of a city."""
        tool_context.agent.state.set("asked", city)
        return tool_context.agent.state.get("sky")  # type: ignore[no-any-return]

    agent = Agent(model=EXAMPLE.Script(), tools=[get_weather], callback_handler=None)
    calls = [{"name": "get_weather", "arguments": {"city": "Rome"}}]
    thread = conversation(
        "t", [("Rome?", calls)], initial_state={"sky": "grey"}, expected_final_state={"asked": "Rome"}
    )
    runs = run_thread(as_agent(agent), thread, Settings())
    assert runs.outcome is Outcome.PASSED
    assert runs.runs[0].turns[0].actual is not None
    assert results(runs.runs[0].turns[0].actual) == [("grey", False)]
    played(agent, ONE)
    assert agent.state.get() == {}


def test_an_exception_of_the_model_is_the_cause() -> None:
    class Broken(EXAMPLE.Script):
        async def stream(self, messages: Any, *_: Any, **__: Any) -> Any:
            raise ConnectionError("no route")
            yield

    failure = played(Agent(model=Broken(), callback_handler=None), ONE).turns[0].failure
    assert failure is not None
    assert "no route" in failure.text


def test_teacher_forced() -> None:
    assert (turn(played(EXAMPLE.make_agent, teacher_forced=True), 3).response or "").strip() == "3 turns"


def test_recorded_tools_answer_and_fail_again() -> None:
    @tool
    def get_weather(city: str) -> str:
        """Tell the weather of a city."""
        raise AssertionError("a live call")

    @tool
    def broken() -> str:
        """Fail."""
        raise AssertionError("a live call")

    tools = recorded_tools([get_weather, broken])
    assert [one.tool_name for one in tools] == ["get_weather", "broken"]
    recorded = [one.actual for one in played(EXAMPLE.make_agent).turns]
    thread = WEATHER.model_copy(update={"traces": tuple(one for one in recorded if one is not None)})
    replayed = played(Agent(model=EXAMPLE.Script(), tools=tools, callback_handler=None), thread)
    assert results(turn(replayed, 1)) == [("sunny in Paris", False), ("sunny in Rome", False)]
    assert [error for _, error in filter(None, results(turn(replayed, 2)))] == [True]


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
