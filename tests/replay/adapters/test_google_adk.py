"""The adapter of Google ADK, with ADK itself and a scripted model."""

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

framework("google.adk", "google-adk")

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types

FOLDER = Path(__file__).parents[3] / "evalsets" / "google_adk"
pytestmark = [pytest.mark.filterwarnings("ignore")]  # ADK warns of what is its own


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("google_adk_example", FOLDER / "google_adk_weather.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = load_example()
ONE = conversation("t", [("hi", [])])


def says(*parts: Any, **facts: Any) -> Any:
    left = list(parts)

    class Once(BaseLlm):
        model: str = "once"

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:  # noqa: FBT001, FBT002
            part = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(part, Exception):
                raise part
            content = types.Content(role="model", parts=[part]) if part is not None else None
            yield LlmResponse(content=content, **facts)

    return Once()


def calls(name: str, **arguments: Any) -> Any:
    return types.Part(function_call=types.FunctionCall(name=name, args=arguments))


@pytest.mark.parametrize(
    "agent",
    [
        EXAMPLE.agent,
        App(name="weather_app", root_agent=EXAMPLE.agent.model_copy()),
        InMemoryRunner(EXAMPLE.agent.model_copy(), app_name="own"),
    ],
    ids=["agent", "app", "runner"],
)
def test_a_conversation(agent: Any) -> None:
    replayed = played(agent)
    first, second, third = (turn(replayed, number) for number in (1, 2, 3))
    assert made(first) == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]
    assert [content for content, _ in filter(None, results(first))] == [
        '{"result": "sunny in Paris"}',
        '{"result": "sunny in Rome"}',
    ]
    assert made(second) == [("broken", {})]
    assert "out of order" in str(results(second))
    assert (first.response, second.response, third.response) == ("1 turns", "2 turns", "3 turns")
    assert [call.agent for call in first.trajectory] == ["weather", "weather"]
    assert first.usage is not None
    assert first.usage.tokens == 30
    assert first.models == ("scripted",)


def test_each_session_begins_anew() -> None:
    agent = as_agent(EXAMPLE.agent)
    for _ in range(2):
        assert turn(played(agent), 1).response == "1 turns"


def test_a_state_in_and_out() -> None:
    def count(tool_context: ToolContext) -> str:
        """Count."""
        tool_context.state["count"] = tool_context.state["count"] + 1
        return "counted"

    agent = LlmAgent(name="a", model=says(calls("count"), types.Part(text="done")), tools=[count])
    thread = conversation(
        "t",
        [("hi", [{"name": "count", "arguments": {}}])],
        initial_state={"count": 4},
        expected_final_state={"count": 5},
    )
    assert run_thread(as_agent(agent), thread, Settings()).outcome is Outcome.PASSED


def test_a_transfer_is_a_call_and_the_other_agent_calls_by_its_name() -> None:
    other = LlmAgent(
        name="other",
        description="Does it.",
        model=says(calls("get_weather", city="Oslo"), types.Part(text="from other")),
        tools=[EXAMPLE.get_weather],
    )
    first = LlmAgent(name="first", model=says(calls("transfer_to_agent", agent_name="other")), sub_agents=[other])
    replayed = turn(played(first, ONE), 1)
    assert [(call.name, call.agent) for call in replayed.trajectory] == [
        ("transfer_to_agent", "first"),
        ("get_weather", "other"),
    ]
    assert replayed.response == "from other"


def test_an_exception_of_the_model_is_the_cause() -> None:
    failure = played(LlmAgent(name="a", model=says(ConnectionError("no route"))), ONE).turns[0].failure
    assert failure is not None
    assert "ConnectionError" in failure.text
    assert "no route" in failure.text


def test_an_error_that_the_model_reports_is_no_verdict() -> None:
    failure = (
        played(LlmAgent(name="a", model=says(None, error_code="SAFETY", error_message="blocked")), ONE).turns[0].failure
    )
    assert failure is not None
    assert "the model ended with SAFETY: blocked" in failure.text


def test_teacher_forced() -> None:
    assert turn(played(EXAMPLE.agent, teacher_forced=True), 3).response == "3 turns"


def test_recorded_tools_answer() -> None:
    def get_weather(city: str, tool_context: ToolContext) -> str:
        """Tell the weather."""
        raise AssertionError("a live call")

    (tool,) = recorded_tools([FunctionTool(get_weather)])
    assert (tool.name, tool.description) == ("get_weather", "Tell the weather.")
    recorded = turn(played(EXAMPLE.agent), 1)
    agent = LlmAgent(name="weather", model=EXAMPLE.Script(), tools=[tool])
    replayed = played(agent, WEATHER.model_copy(update={"traces": (recorded,)}))
    assert made(turn(replayed, 1)) == made(recorded)
    assert "sunny in Paris" in str(results(turn(replayed, 1)))


def test_other_objects_are_no_agents() -> None:
    with pytest.raises(AgentError, match="is no agent"):
        as_agent(types.Part(text="x"))


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
