"""The adapter of LangGraph and LangChain, with the frameworks themselves and a scripted model."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

from tests.replay.adapters.frameworks import (
    LIVE,
    WEATHER,
    framework,
    half_recorded,
    made,
    played,
    results,
    runs_in_pytest,
    turn,
)
from tests.sets import conversation
from trajectory.errors import AgentError
from trajectory.evaluations import Outcome
from trajectory.replay import as_agent, recorded_tools
from trajectory.running import run_thread
from trajectory.settings import Settings

framework("langgraph", "langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState

from trajectory.replay.adapters.langgraph import LangGraph

FOLDER = Path(__file__).parents[3] / "evalsets" / "langgraph"


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("langgraph_example", FOLDER / "langgraph_weather.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = load_example()
ONE = conversation("t", [("hi", [])])


def remembering() -> Any:
    return create_agent(EXAMPLE.Script(), [EXAMPLE.get_weather, EXAMPLE.broken], checkpointer=InMemorySaver())


def graph_of(node: Any, state: Any = MessagesState) -> Any:
    graph = StateGraph(state)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    return graph.compile()


@pytest.mark.parametrize("agent", [EXAMPLE.agent, remembering()], ids=["forgetful", "remembering"])
def test_a_conversation(agent: Any) -> None:
    replayed = played(agent)
    first, second, third = (turn(replayed, number) for number in (1, 2, 3))
    assert made(first) == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]
    assert results(first) == [("sunny in Paris", False), ("sunny in Rome", False)]
    assert (made(second), results(second)) == ([("broken", {})], [("out of order", True)])
    assert (first.response, second.response, third.response) == ("1 turns", "2 turns", "3 turns")
    assert first.usage is not None
    assert first.usage.tokens == 30
    assert first.models == ("scripted",)


def test_each_session_begins_anew() -> None:
    agent = remembering()
    for _ in range(2):
        assert turn(played(agent), 1).response == "1 turns"


def test_a_graph_of_ones_own_with_a_state() -> None:
    class Counting(MessagesState):
        count: int

    def node(state: Any) -> dict[str, Any]:
        return {"messages": [AIMessage(f"was {state['count']}")], "count": state["count"] + 1}

    thread = conversation("t", [("hi", [])], initial_state={"count": 4}, expected_final_state={"count": 5})
    runs = run_thread(as_agent(graph_of(node, Counting)), thread, Settings())
    assert runs.outcome is Outcome.PASSED
    assert runs.runs[0].turns[0].actual is not None
    assert runs.runs[0].turns[0].actual.response == "was 4"


def test_an_exception_of_a_node_is_the_cause() -> None:
    def node(state: Any) -> dict[str, Any]:
        raise ConnectionError("no route")

    failure = played(graph_of(node), ONE).turns[0].failure
    assert failure is not None
    assert failure.text == "the agent raised ConnectionError: no route"


def test_a_recursion_limit_is_no_verdict() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("node", lambda state: {"messages": []})
    graph.add_edge(START, "node")
    graph.add_edge("node", "node")
    failure = played(LangGraph(graph.compile(), {"recursion_limit": 5}), ONE).turns[0].failure
    assert failure is not None
    assert "GraphRecursionError" in failure.text


def test_a_graph_without_messages_says_what_to_do() -> None:
    class Bare(TypedDict):
        text: str

    with pytest.raises(AgentError, match="has no 'messages' in its state: give a callable"):
        as_agent(graph_of(lambda state: state, Bare))


@pytest.mark.parametrize("agent", [EXAMPLE.agent, remembering()], ids=["forgetful", "remembering"])
def test_teacher_forced(agent: Any) -> None:
    assert turn(played(agent, teacher_forced=True), 3).response == "3 turns"


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
    assert [one.name for one in tools] == ["get_weather", "broken"]
    assert tools[0].args == get_weather.args
    recorded = [one.actual for one in played(EXAMPLE.agent).turns]
    thread = WEATHER.model_copy(update={"traces": tuple(one for one in recorded if one is not None)})
    replayed = played(create_agent(EXAMPLE.Script(), tools), thread)
    assert results(turn(replayed, 1)) == [("sunny in Paris", False), ("sunny in Rome", False)]
    assert results(turn(replayed, 2)) == [("out of order", True)]


@pytest.mark.parametrize("later", [False, True])
def test_live_calls_only_by_choice_and_named(*, later: bool) -> None:
    @tool
    def get_weather(city: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
        """Tell the weather of a city."""
        return f"live in {city}, after {len(state['messages'])} messages"

    @tool("get_weather")
    async def get_weather_later(city: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
        """Tell the weather of a city."""
        return f"live in {city}, after {len(state['messages'])} messages"

    (wrapped,) = recorded_tools([get_weather_later if later else get_weather], on_miss="live")
    assert list(wrapped.tool_call_schema.model_json_schema()["properties"]) == ["city"]
    agent = create_agent(EXAMPLE.Script(), [wrapped])
    replayed = played(agent, half_recorded(turn(played(EXAMPLE.agent), 1)))
    assert results(turn(replayed, 1)) == [("sunny in Paris", False), ("live in Rome, after 2 messages", False)]
    assert replayed.notes == LIVE


def test_a_live_tool_fails_as_it_does() -> None:
    @tool
    def get_weather(city: str) -> str:
        """Tell the weather of a city."""
        raise ToolException(f"no weather in {city}")

    agent = create_agent(EXAMPLE.Script(), recorded_tools([get_weather], on_miss="live"))
    (failed,) = played(agent, half_recorded(turn(played(EXAMPLE.agent), 1))).turns
    assert failed.failure is not None
    assert "no weather in Rome" in failed.failure.text


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
