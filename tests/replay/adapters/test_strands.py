"""The adapter of Strands, with Strands itself and a scripted model."""

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
from strands.agent.conversation_manager import SlidingWindowConversationManager
from strands.multiagent import GraphBuilder, Swarm
from strands.session import FileSessionManager

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


def says(*replies: Any, stop: str | None = None) -> Any:
    """Script a model: a text, or a call as a pair; the last one for ever."""
    left = list(replies)

    class Says(EXAMPLE.Script):
        async def stream(self, *_: Any, **__: Any) -> Any:
            reply = left.pop(0) if len(left) > 1 else left[0]
            yield {"messageStart": {"role": "assistant"}}
            if isinstance(reply, str):
                yield {"contentBlockStart": {"start": {}}}
                yield {"contentBlockDelta": {"delta": {"text": reply}}}
            else:
                use = {"name": reply[0], "toolUseId": f"call_{len(left)}"}
                yield {"contentBlockStart": {"start": {"toolUse": use}}}
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": reply[1]}}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": stop or ("end_turn" if isinstance(reply, str) else "tool_use")}}

    return Says()


def quiet(model: Any, **options: Any) -> Any:
    return Agent(**{"model": model, "tools": [EXAMPLE.get_weather], "callback_handler": None, **options})


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


def test_what_the_conversation_manager_forgets_was_said_nevertheless() -> None:
    manager = SlidingWindowConversationManager(window_size=4)
    agent = quiet(EXAMPLE.Script(), conversation_manager=manager)
    replayed = played(agent, conversation("t", [("Paris", [])] * 4))
    assert [made(turn(replayed, number)) for number in (1, 2, 3, 4)] == [[("get_weather", {"city": "Paris"})]] * 4


def test_results_tell_when_they_came() -> None:
    first = turn(played(EXAMPLE.make_agent), 1)
    assert all(call.result is not None and call.result.end_time is not None for call in first.trajectory)


@pytest.mark.parametrize(
    ("reply", "arguments", "result"),
    [
        (("nothing", "{}"), {}, "Unknown tool: nothing"),
        (("get_weather", '{"town": "x"}'), {"town": "x"}, "Validation failed"),
        (("get_weather", "{no"), {}, "Validation failed"),  # Strands makes an empty object of what is no JSON
    ],
)
def test_calls_that_go_wrong(reply: Any, arguments: Any, result: str) -> None:
    first = turn(played(quiet(says(reply, "sorry")), ONE), 1)
    assert made(first) == [(reply[0], arguments)]
    ((content, failed),) = filter(None, results(first))
    assert failed is True
    assert result in str(content)


@pytest.mark.parametrize("reason", ["content_filtered", "guardrail_intervened"])
def test_a_turn_that_was_cut_off_is_no_verdict(reason: str) -> None:
    failure = played(quiet(says("half", stop=reason)), ONE).turns[0].failure
    assert failure is not None
    assert failure.text == f"the turn was cut off ({reason})"


def test_a_limit_is_no_verdict() -> None:
    failure = played(quiet(says("half", stop="max_tokens")), ONE).turns[0].failure
    assert failure is not None
    assert "MaxTokensReachedException" in failure.text


def test_an_interrupt_is_a_call_without_a_result_and_does_not_reach_the_next_session() -> None:
    @tool(context=True)
    def ask(tool_context: ToolContext) -> str:
        """Ask a person."""
        return str(tool_context.interrupt("sure", reason="money"))

    agent = quiet(says(("ask", "{}"), "done"), tools=[ask])
    first = turn(played(agent, ONE), 1)
    assert (made(first), results(first)) == ([("ask", {})], [None])
    assert (turn(played(agent, ONE), 1).response or "").strip() == "done"


def test_a_stored_session_is_no_fresh_one(tmp_path: Path) -> None:
    def make() -> Any:
        return quiet(EXAMPLE.Script(), session_manager=FileSessionManager(session_id="s", storage_dir=str(tmp_path)))

    assert (turn(played(make, ONE), 1).response or "").strip() == "1 turns"
    failure = played(make, ONE).turns[0].failure
    assert failure is not None
    assert "has restored an earlier session" in failure.text


def test_several_agents_are_refused() -> None:
    builder = GraphBuilder()
    builder.add_node(quiet(says("x")), "only")
    for several in (Swarm([quiet(says("x"), name="only")]), builder.build()):
        with pytest.raises(AgentError, match="of Strands keeps what its agents do to itself"):
            as_agent(several)


def test_pictures_are_named() -> None:
    @tool
    def get_weather() -> dict[str, Any]:
        """Show the weather."""
        picture = {"image": {"format": "png", "source": {"bytes": b"PNG"}}}
        return {"status": "success", "content": [{"text": "look: "}, picture]}

    first = turn(played(quiet(says(("get_weather", "{}"), "done"), tools=[get_weather]), ONE), 1)
    assert "look: " in str(results(first))


def test_the_history_keeps_the_rounds_and_the_failures() -> None:
    recorded = tuple(one.actual for one in played(EXAMPLE.make_agent).turns if one.actual)
    agent = EXAMPLE.make_agent()
    session: Any = as_agent(agent).open(WEATHER, "s")
    session.set_history(recorded[:2])
    assert [message["role"] for message in agent.messages] == ["user", "assistant"] * 4
    assert agent.messages[6]["content"][0]["toolResult"]["status"] == "error"


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


def test_live_calls_only_by_choice_and_named() -> None:
    @tool(context=True)
    def get_weather(city: str, tool_context: ToolContext) -> str:
        """Tell the weather of a city."""
        return f"live in {city}, for {tool_context.agent.name}"

    tools = recorded_tools([get_weather], on_miss="live")
    agent = Agent(name="W", model=EXAMPLE.Script(), tools=tools, callback_handler=None)
    replayed = played(agent, half_recorded(turn(played(EXAMPLE.make_agent), 1)))
    assert results(turn(replayed, 1)) == [("sunny in Paris", False), ("live in Rome, for W", False)]
    assert replayed.notes == LIVE


def test_by_name_in_two_processes(pytester: pytest.Pytester) -> None:
    runs_by_name(pytester, FOLDER, "strands_weather:make_agent")


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)
