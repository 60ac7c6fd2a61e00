"""The adapter of the OpenAI Agents SDK, with the SDK itself and a scripted model."""

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
    runs_in_pytest,
    turn,
)
from tests.sets import conversation
from trajectory.errors import AgentError
from trajectory.replay import as_agent, recorded_tools

framework("agents", "openai-agents")
if not hasattr(__import__("agents"), "Runner"):
    pytest.skip("the package agents is another one", allow_module_level=True)

from agents import Agent, ModelResponse, Usage, function_tool, handoff

from trajectory.replay.adapters.openai_agents import OpenAIAgents

FOLDER = Path(__file__).parents[3] / "evalsets" / "openai_agents"


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("openai_agents_example", FOLDER / "openai_agents_weather.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = load_example()


def scripted(*outputs: list[Any]) -> Any:
    left = list(outputs)

    class Once(EXAMPLE.Script):
        async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
            output = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(output, Exception):
                raise output
            return ModelResponse(output=output, usage=Usage(), response_id=None)

    return Once()


ONE = conversation("t", [("hi", [])])


def test_a_conversation() -> None:
    replayed = played(EXAMPLE.agent)
    first, second, third = (turn(replayed, number) for number in (1, 2, 3))
    assert made(first) == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]
    assert results(first) == [("sunny in Paris", None), ("sunny in Rome", None)]
    assert [call.agent for call in first.trajectory] == ["weather", "weather"]
    assert made(second) == [("broken", {})]
    assert "An error occurred" in str(results(second))
    assert (first.response, second.response, third.response) == ("1 turns", "2 turns", "3 turns")
    assert first.usage is not None
    assert first.usage.tokens == 30
    assert first.models == ("scripted",)


def test_each_session_begins_anew() -> None:
    for _ in range(2):
        assert turn(played(EXAMPLE.agent), 1).response == "1 turns"


def test_a_handoff_is_a_call_and_the_session_stays_with_the_other_agent() -> None:
    second = Agent(
        name="second",
        model=scripted([EXAMPLE.call(2, "get_weather", city="Oslo")], [EXAMPLE.text("from second")]),
        tools=[EXAMPLE.get_weather],
    )
    first = Agent(
        name="first",
        model=scripted([EXAMPLE.call(1, "transfer_to_second")], [EXAMPLE.text("no")]),
        handoffs=[handoff(second)],
    )
    replayed = played(first, conversation("t", [("hi", []), ("again", [])]))
    assert [(call.name, call.agent) for call in turn(replayed, 1).trajectory] == [
        ("transfer_to_second", "first"),
        ("get_weather", "second"),
    ]
    assert turn(replayed, 2).response == "from second"


def test_an_exception_of_the_model_is_the_cause() -> None:
    failure = played(Agent(name="a", model=scripted(ConnectionError("no route"))), ONE).turns[0].failure  # type: ignore[arg-type]
    assert failure is not None
    assert failure.text == "the agent raised ConnectionError: no route"


def test_limits_and_unknown_tools_are_no_verdicts() -> None:
    looping = Agent(name="a", model=scripted([EXAMPLE.call(1, "get_weather", city="x")]), tools=[EXAMPLE.get_weather])
    failure = played(OpenAIAgents(looping, max_turns=3), ONE).turns[0].failure
    assert failure is not None
    assert "MaxTurnsExceeded" in failure.text
    unknown = played(Agent(name="a", model=scripted([EXAMPLE.call(1, "nothing")])), ONE).turns[0].failure
    assert unknown is not None
    assert "ModelBehaviorError" in unknown.text


def test_malformed_arguments_are_kept() -> None:
    bad = EXAMPLE.call(1, "get_weather").model_copy(update={"arguments": "{not JSON"})
    agent = Agent(name="a", model=scripted([bad], [EXAMPLE.text("sorry")]), tools=[EXAMPLE.get_weather])
    replayed = played(agent, ONE)
    if replayed.turns[0].failure is None:
        assert "not JSON" in str(turn(replayed, 1).trajectory[0].arguments)
    else:
        assert "JSON" in replayed.turns[0].failure.text


def test_a_state_that_a_session_cannot_begin_in() -> None:
    failure = played(EXAMPLE.agent, conversation("t", [("hi", [])], initial_state={"a": 1})).turns[0].failure
    assert failure is not None
    assert isinstance(failure.exception, AgentError)


def test_teacher_forced() -> None:
    assert turn(played(EXAMPLE.agent, teacher_forced=True), 3).response == "3 turns"


def test_recorded_tools_answer() -> None:
    @function_tool
    def get_weather(city: str) -> str:
        """Tells the weather."""
        raise AssertionError("a live call")

    (tool,) = recorded_tools([get_weather])
    assert (tool.name, tool.description) == ("get_weather", "Tells the weather.")
    recorded = played(EXAMPLE.agent).turns[0].actual
    assert recorded is not None
    agent = Agent(name="weather", model=EXAMPLE.Script(), tools=[tool])
    replayed = played(agent, WEATHER.model_copy(update={"traces": (recorded,)}))
    assert results(turn(replayed, 1)) == [("sunny in Paris", None), ("sunny in Rome", None)]


def test_live_calls_only_by_choice_and_named() -> None:
    @function_tool
    async def get_weather(city: str) -> str:
        """Tells the weather."""
        return f"live in {city}"

    tools = recorded_tools([get_weather], on_miss="live")
    agent = Agent(name="weather", model=EXAMPLE.Script(), tools=tools)
    replayed = played(agent, half_recorded(turn(played(EXAMPLE.agent), 1)))
    assert results(turn(replayed, 1)) == [("sunny in Paris", None), ("live in Rome", None)]
    assert replayed.notes == LIVE


def test_other_objects_of_the_sdk_are_no_agents() -> None:
    with pytest.raises(AgentError, match="is no agent"):
        as_agent(Usage())


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
