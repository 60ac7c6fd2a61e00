"""Hermetic tools: recorded results answer, and a call without a recording is loud."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import TIME
from trajectory.conversation import ConversationThread, FunctionMessage, ToolCall
from trajectory.errors import ConfigurationError
from trajectory.replay import RecordedToolError, ReplayMiss, as_agent, recorded_tools, replay
from trajectory.settings import ArgumentPolicy

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.replay import ThreadReplay


def recorded_turn(query: str, *pairs: tuple[str, dict[str, Any], str | None]) -> dict[str, Any]:
    calls = [{"name": name, "arguments": given, "id": f"c{n}"} for n, (name, given, _) in enumerate(pairs)]
    results = [
        {"role": "function", "name": name, "content": content, "id": f"c{n}"}
        for n, (name, _, content) in enumerate(pairs)
        if content is not None
    ]
    said = [{"role": "assistant", "content": None, "toolCalls": calls}, *results]
    return {
        "id": query,
        "userMessage": {"role": "user", "content": query},
        "iterations": [{"history": [], "output": said, "startTime": TIME, "endTime": TIME}],
        "output": {"role": "assistant", "content": "done"},
        "tools": [],
        "toolCalls": calls,
        "startTime": TIME,
        "endTime": TIME,
    }


def thread(*turns: dict[str, Any]) -> ConversationThread:
    return ConversationThread.model_validate({"id": "t", "traces": list(turns)})


def played(agent: Callable[[str], Any], *turns: dict[str, Any], policy: ArgumentPolicy | None = None) -> ThreadReplay:
    return replay(as_agent(agent), thread(*turns), turn_timeout=10, arguments=policy or ArgumentPolicy())


def never(*_: Any, **__: Any) -> Any:
    raise AssertionError("a live call")


def get_weather(city: str, unit: str = "C") -> str:
    return never(city, unit)  # type: ignore[no-any-return]


WEATHER = recorded_turn(
    "weather?", ("get_weather", {"city": "Bern"}, "3 degrees"), ("get_weather", {"city": "Rome"}, "18 degrees")
)


def test_calls_are_answered_by_name_and_arguments() -> None:
    tools = recorded_tools({"get_weather": get_weather})

    def agent(query: str) -> str:
        del query
        return f"{tools['get_weather'](city='Rome')}, {tools['get_weather']('Bern')}"

    (turn,) = played(agent, WEATHER).turns
    assert turn.actual is not None
    assert turn.actual.response == "18 degrees, 3 degrees"


def test_repeats_are_answered_in_the_recorded_order_and_each_once() -> None:
    (poll,) = recorded_tools([status])
    turn = recorded_turn("poll", ("status", {}, "waiting"), ("status", {}, "ready"))
    answers: list[str] = []

    def agent(query: str) -> str:
        answers.extend(poll() for _ in range(3))
        return query

    (replayed,) = played(agent, turn).turns
    assert answers == ["waiting", "ready"]
    assert replayed.failure is not None
    assert "turn 1 has no recorded result for status() (no recorded call is left in this turn)" in replayed.failure.text


def status() -> str:
    return never()  # type: ignore[no-any-return]


def test_a_call_is_answered_by_its_own_turn() -> None:
    (poll,) = recorded_tools([status])
    turns = [recorded_turn("one", ("status", {}, "first")), recorded_turn("two", ("status", {}, "second"))]
    assert [turn.actual and turn.actual.response for turn in played(lambda _: poll(), *turns).turns] == [
        "first",
        "second",
    ]


def test_a_miss_leaves_the_turn_without_a_verdict_even_if_the_agent_goes_on() -> None:
    (weather,) = recorded_tools([get_weather])

    def agent(query: str) -> str:
        try:
            return str(weather("Oslo"))
        except Exception:  # noqa: BLE001 - as frameworks do
            return f"no idea about {query}"

    turn, later = played(agent, WEATHER, WEATHER).turns
    assert turn.actual is None
    assert turn.failure is not None
    assert isinstance(turn.failure.exception, ReplayMiss)
    assert "get_weather(city='Oslo') (recorded and not yet called in this turn: get_weather)" in turn.failure.text
    assert later.failure is None and later.actual is None  # noqa: PT018 - not run


def test_a_call_whose_result_was_not_recorded_is_a_miss() -> None:
    (weather,) = recorded_tools([get_weather])
    (turn,) = played(lambda _: weather("Bern"), recorded_turn("q", ("get_weather", {"city": "Bern"}, None))).turns
    assert turn.failure is not None
    assert "no recorded result for get_weather" in turn.failure.text


def test_live_calls_only_by_choice_and_named() -> None:
    (weather,) = recorded_tools([lambda_weather], on_miss="live")
    replayed = played(lambda _: weather("Oslo") + weather("Bern"), _renamed(WEATHER, "lambda_weather"))
    assert replayed.turns[0].actual is not None
    assert replayed.turns[0].actual.response == "live Oslo3 degrees"
    assert replayed.notes == ("turn 1: live calls, not answered by the recording: lambda_weather",)


def lambda_weather(city: str) -> str:
    return f"live {city}"


def _renamed(turn: dict[str, Any], name: str) -> dict[str, Any]:
    pairs = [(name, call["arguments"], "3 degrees") for call in turn["toolCalls"]]
    return recorded_turn(turn["id"], *pairs)


def test_async_tools_in_parallel() -> None:
    async def look_up(key: str) -> dict[str, int]:
        return never(key)  # type: ignore[no-any-return]

    (tool,) = recorded_tools([look_up])
    turn = recorded_turn("q", *[("look_up", {"key": str(n)}, f'{{"value": {n}}}') for n in range(20)])

    async def agent(query: str) -> str:
        del query
        found = await asyncio.gather(*(tool(str(n)) for n in reversed(range(20))))
        return ",".join(str(one["value"]) for one in found)

    (replayed,) = played(agent, turn).turns
    assert replayed.actual is not None
    assert replayed.actual.response == ",".join(str(n) for n in reversed(range(20)))


def test_tools_in_threads_that_carry_the_context() -> None:
    (weather,) = recorded_tools([get_weather])

    async def agent(query: str) -> str:
        del query
        return str(await asyncio.to_thread(weather, "Bern"))

    (turn,) = played(agent, WEATHER).turns
    assert turn.actual is not None
    assert turn.actual.response == "3 degrees"


@pytest.mark.parametrize(("policy", "answered"), [("exact", False), ("superset", True), ("ignore", True)])
def test_the_argument_policy_in_force_decides(policy: Any, answered: bool) -> None:  # noqa: FBT001
    (weather,) = recorded_tools([get_weather])
    (turn,) = played(lambda _: weather("Rome", unit="K"), WEATHER, policy=ArgumentPolicy(policy=policy)).turns
    assert (turn.failure is None) is answered
    if answered:
        assert turn.actual is not None
        assert turn.actual.response == ("18 degrees" if policy == "superset" else "3 degrees")


def test_equal_arguments_win_over_merely_accepted_ones() -> None:
    (weather,) = recorded_tools([get_weather])
    (turn,) = played(lambda _: weather("Rome"), WEATHER, policy=ArgumentPolicy(policy="ignore")).turns
    assert turn.actual is not None
    assert turn.actual.response == "18 degrees"


def test_a_recorded_failure_fails_again() -> None:
    (weather,) = recorded_tools([get_weather])
    failed = FunctionMessage(name="get_weather", content="no such city", error=True)
    call = ToolCall(name="get_weather", arguments={"city": "Bern"}, result=failed)
    recorded = thread(WEATHER)
    trace = recorded.traces[0].model_copy(update={"tool_calls": (call,), "iterations": ()})
    seen: list[str] = []

    def agent(query: str) -> str:
        try:
            weather("Bern")
        except RecordedToolError as problem:
            seen.append(str(problem))
        return query

    replayed = replay(as_agent(agent), recorded.model_copy(update={"traces": (trace,)}), turn_timeout=10)
    assert replayed.turns[0].failure is None
    assert seen == ["no such city"]


@dataclass
class Place:
    name: str
    high: int


def test_what_a_tool_says_that_it_returns_is_read_from_the_text() -> None:
    def place(name: str) -> Place:
        return never(name)  # type: ignore[no-any-return]

    def count() -> int:
        return never()  # type: ignore[no-any-return]

    def anything(name):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        return never(name)

    place.__annotations__["return"] = Place
    tools = recorded_tools({"place": place, "count": count, "anything": anything})
    turn = recorded_turn(
        "q",
        ("place", {"name": "x"}, '{"name": "x", "high": 3}'),
        ("count", {}, "7"),
        ("anything", {"name": "list"}, "[1, 2]"),
        ("anything", {"name": "number"}, "12"),
    )
    seen: list[Any] = []

    def agent(query: str) -> str:
        seen.extend([tools["place"]("x"), tools["count"](), tools["anything"]("list"), tools["anything"]("number")])
        return query

    assert played(agent, turn).turns[0].failure is None
    assert seen == [Place("x", 3), 7, [1, 2], "12"]


def test_outside_of_a_replay() -> None:
    (weather,) = recorded_tools([get_weather])
    with pytest.raises(ReplayMiss, match="outside of a turn that is replayed"):
        weather("Bern")


@pytest.mark.parametrize("tools", [5, "abc", [object()], {"a": 3}])
def test_what_are_no_tools(tools: Any) -> None:
    with pytest.raises(ConfigurationError, match="recorded_tools: expected a"):
        recorded_tools(tools)


def test_an_unknown_choice() -> None:
    with pytest.raises(ConfigurationError, match="on_miss: expected 'error' or 'live'"):
        recorded_tools([], on_miss="maybe")  # type: ignore[arg-type]
