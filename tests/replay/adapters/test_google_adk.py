"""The adapter of Google ADK, with ADK itself and a scripted model."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.replay.adapters.frameworks import (
    LIVE,
    WEATHER,
    framework,
    half_recorded,
    made,
    played,
    results,
    runs_by_name,
    runs_in_pytest,
    turn,
)
from tests.sets import call, conversation
from trajectory.conversation import FunctionMessage
from trajectory.errors import AgentError, ConfigurationError
from trajectory.evaluations import Outcome
from trajectory.replay import as_agent, recorded_tools
from trajectory.running import run_thread
from trajectory.settings import Settings

framework("google.adk", "google-adk")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool, ToolContext, google_search
from google.genai import types

from trajectory.replay.adapters.google_adk import GoogleADK

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


def remember(tool_context: ToolContext) -> str:
    """Count for the session, its user and all users."""
    for key in ("n", "user:n", "app:n"):
        tool_context.state[key] = tool_context.state.get(key, 0) + 1
    return " ".join(str(tool_context.state[key]) for key in ("n", "user:n", "app:n"))


@pytest.mark.parametrize("kind", ["agent", "runner", "adapter"])
def test_what_is_kept_for_users_does_not_reach_the_next_session(kind: str) -> None:
    agent = LlmAgent(name="a", model=says(*[calls("remember"), types.Part(text="done")] * 2), tools=[remember])
    given: Any = agent if kind == "agent" else InMemoryRunner(agent, app_name="x")
    agent = as_agent(GoogleADK(given, user_id="ann") if kind == "adapter" else given)
    for _ in range(2):
        assert [content for content, _ in filter(None, results(turn(played(agent, ONE), 1)))] == ['{"result": "1 1 1"}']


def test_what_a_tool_does_to_a_state_does_not_reach_the_thread() -> None:
    def fill(tool_context: ToolContext) -> str:
        """Put something into the cart."""
        tool_context.state["cart"]["items"].append(1)
        return str(len(tool_context.state["cart"]["items"]))

    thread = conversation("t", [("hi", [])], initial_state={"cart": {"items": []}})
    agent = as_agent(LlmAgent(name="a", model=says(*[calls("fill"), types.Part(text="done")] * 2), tools=[fill]))
    for _ in range(2):
        assert '{"result": "1"}' in str(results(turn(played(agent, thread), 1)))
    assert thread.initial_state == {"cart": {"items": []}}


def test_a_tool_that_raises_ends_the_run_and_is_the_cause() -> None:
    def burn() -> str:
        """Fail."""
        raise ValueError("out of order")

    failure = played(LlmAgent(name="a", model=says(calls("burn")), tools=[burn]), ONE).turns[0].failure
    assert failure is not None
    assert failure.text == "the agent raised ValueError: out of order"


def test_an_unknown_tool_is_a_call() -> None:
    agent = LlmAgent(name="a", model=says(calls("nothing"), types.Part(text="sorry")), tools=[remember])
    first = turn(played(agent, ONE), 1)
    assert made(first) == [("nothing", {})]
    assert "no tool with that name" in str(results(first))


def test_a_tool_that_takes_long_is_a_call_without_a_result() -> None:
    def wait() -> None:
        """Wait for a person."""

    agent = LlmAgent(
        name="a", model=says(calls("wait"), types.Part(text="wait")), tools=[LongRunningFunctionTool(wait)]
    )
    first = turn(played(agent, ONE), 1)
    assert (made(first), results(first)) == ([("wait", {})], [None])


def test_an_agent_as_a_tool_is_a_call() -> None:
    inner = LlmAgent(name="inner", description="Does it.", model=says(types.Part(text="from inner")))
    agent = LlmAgent(name="a", model=says(calls("inner", request="q"), types.Part(text="x")), tools=[AgentTool(inner)])
    first = turn(played(agent, ONE), 1)
    assert made(first) == [("inner", {"request": "q"})]
    assert results(first) == [('{"result": "from inner"}', None)]


def test_a_limit_of_calls_is_no_verdict() -> None:
    runner = InMemoryRunner(LlmAgent(name="a", model=says(calls("remember")), tools=[remember]), app_name="x")
    failure = played(GoogleADK(runner, run_config=RunConfig(max_llm_calls=3)), ONE).turns[0].failure
    assert failure is not None
    assert "LlmCallsLimitExceededError" in failure.text


def test_an_answer_that_was_cut_off_is_no_verdict() -> None:
    model = says(types.Part(text="half"), finish_reason=types.FinishReason.MAX_TOKENS)
    failure = played(LlmAgent(name="a", model=model), ONE).turns[0].failure
    assert failure is not None
    assert failure.text == "the model's answer was cut off (MAX_TOKENS)"


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


def test_live_calls_only_by_choice_and_named() -> None:
    def get_weather(city: str, tool_context: ToolContext) -> str:
        """Tell the weather."""
        return f"live in {city}, for {tool_context.agent_name}"

    tools = recorded_tools([FunctionTool(get_weather)], on_miss="live")
    agent = LlmAgent(name="weather", model=EXAMPLE.Script(), tools=tools)
    replayed = played(agent, half_recorded(turn(played(EXAMPLE.agent), 1)))
    first, second = results(turn(replayed, 1))
    assert "sunny in Paris" in str(first)
    assert "live in Rome, for weather" in str(second)
    assert replayed.notes == LIVE


def test_recorded_failures_and_agents_answer_as_they_did() -> None:
    def broken() -> dict[str, Any]:
        """Fail."""
        raise AssertionError("a live call")

    inner = AgentTool(LlmAgent(name="inner", description="Does it.", model=says(RuntimeError("a live call"))))
    tools = recorded_tools([FunctionTool(broken), inner])
    given = '{"result": "from inner"}'
    recorded = [call("broken"), call("inner", request="q")]
    thread = conversation("t", [("hi", recorded)])
    expected = thread.traces[0]
    answers = [("boom", True), (given, None)]
    answered = [
        one.model_copy(update={"result": FunctionMessage(name=one.name, content=content, error=error)})
        for one, (content, error) in zip(expected.trajectory, answers, strict=True)
    ]
    thread = thread.model_copy(update={"traces": (expected.model_copy(update={"tool_calls": tuple(answered)}),)})
    model = says(calls("broken"), calls("inner", request="q"), types.Part(text="x"))
    first = turn(played(LlmAgent(name="a", model=model, tools=tools), thread), 1)
    assert results(first) == [('{"error": "boom"}', None), (given, None)]


def test_a_tool_that_the_model_runs_itself_cannot_answer_from_the_recording() -> None:
    with pytest.raises(ConfigurationError, match=r"found a google\.adk\.tools"):
        recorded_tools([google_search])


def test_other_objects_are_no_agents() -> None:
    with pytest.raises(AgentError, match="is no agent"):
        as_agent(types.Part(text="x"))


def test_by_name_in_two_processes(pytester: pytest.Pytester) -> None:
    runs_by_name(pytester, FOLDER, "google_adk_weather:agent")


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
