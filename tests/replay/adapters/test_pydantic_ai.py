"""The adapter of Pydantic AI, with the framework itself and a scripted model."""

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

framework("pydantic_ai", "pydantic-ai")

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from trajectory.replay.adapters.pydantic_ai import PydanticAI

FOLDER = Path(__file__).parents[3] / "evalsets" / "pydantic_ai"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("pydantic_ai_example", FOLDER / "pydantic_ai_weather.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def says(text: str) -> Agent[None, str]:
    return Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart(text)])))


def test_a_conversation() -> None:
    replayed = played(example().agent)
    first, second, third = (turn(replayed, number) for number in (1, 2, 3))
    assert made(first) == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]
    assert results(first) == [("sunny in Paris", False), ("sunny in Rome", False)]
    assert made(second) == [("broken", {})]
    assert [error for _, error in filter(None, results(second))] == [True]
    assert (first.response, second.response, third.response) == ("1 turns", "2 turns", "3 turns")
    assert first.models == ("scripted",)
    assert first.usage is not None
    assert (first.usage.tokens or 0) > 0
    assert first.start_time < first.end_time  # type: ignore[operator]


def test_each_session_begins_anew() -> None:
    agent = example().agent
    for _ in range(2):
        assert turn(played(agent), 1).response == "1 turns"


def test_an_exception_of_the_framework_is_the_cause() -> None:
    def broken(messages: Any, info: Any) -> ModelResponse:
        raise ConnectionError("no route to the model")

    failure = played(Agent(FunctionModel(broken))).turns[0].failure
    assert failure is not None
    assert failure.text == "the agent raised ConnectionError: no route to the model"


def test_a_limit_of_the_framework_is_no_verdict() -> None:
    looping = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[ToolCallPart("again", {})])))

    @looping.tool_plain
    def again() -> str:
        return "again"

    failure = played(looping).turns[0].failure
    assert failure is not None
    assert "UsageLimitExceeded" in failure.text


def test_an_unknown_tool_is_a_call() -> None:
    answers = iter([ToolCallPart("no_such_tool", {"a": 1}), TextPart("sorry")])
    replayed = played(
        Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[next(answers)]))),
        conversation("t", [("hi", [])]),
    )
    assert made(turn(replayed, 1)) == [("no_such_tool", {"a": 1})]


def test_options_of_the_run() -> None:
    agent = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart("x")])), deps_type=str)

    @agent.system_prompt
    def system(context: Any) -> str:
        return f"for {context.deps}"

    assert turn(played(PydanticAI(agent, deps="Ann"), conversation("t", [("hi", [])])), 1).response == "x"


def test_a_state_that_a_session_cannot_begin_in() -> None:
    failure = played(says("x"), conversation("t", [("hi", [])], initial_state={"a": 1})).turns[0].failure
    assert failure is not None
    assert isinstance(failure.exception, AgentError)


def test_teacher_forced() -> None:
    replayed = played(example().agent, teacher_forced=True)
    assert turn(replayed, 3).response == "3 turns"


def test_recorded_tools_answer() -> None:
    def live(city: str) -> str:
        raise AssertionError("a live call")

    (tool,) = recorded_tools([Tool(live, name="get_weather", description="Tells the weather.")])
    seen: list[Any] = []

    def script(messages: Any, info: Any) -> ModelResponse:
        seen.append(info.function_tools[0])
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("get_weather", {"city": "Paris"})])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])

    recorded = played(example().agent).turns[0].actual
    assert recorded is not None
    thread = WEATHER.model_copy(update={"traces": (recorded,)})
    assert turn(played(Agent(FunctionModel(script), tools=[tool]), thread), 1).response == "sunny in Paris"
    assert (seen[0].name, seen[0].description) == ("get_weather", "Tells the weather.")
    assert seen[0].parameters_json_schema["required"] == ["city"]


def test_live_calls_only_by_choice_and_named() -> None:
    def live(context: RunContext[None], city: str, days: int = 1) -> str:
        return f"live in {city} for {days + 1} days, call {context.tool_name}"

    (tool,) = recorded_tools([Tool(live, name="get_weather")], on_miss="live")

    def script(messages: Any, info: Any) -> ModelResponse:
        del info
        if len(messages) == 1:
            calls = [{"city": "Paris"}, {"city": "Rome", "days": "2"}]
            return ModelResponse(parts=[ToolCallPart("get_weather", one) for one in calls])
        return ModelResponse(parts=[TextPart("; ".join(str(part.content) for part in messages[-1].parts))])

    replayed = played(Agent(FunctionModel(script), tools=[tool]), half_recorded(turn(played(example().agent), 1)))
    assert turn(replayed, 1).response == "sunny in Paris; live in Rome for 3 days, call get_weather"
    assert replayed.notes == LIVE


def test_other_objects_of_the_framework_are_no_agents() -> None:
    with pytest.raises(AgentError, match="is no agent"):
        as_agent(TextPart("x"))


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
