"""A model behind a real HTTP server on loopback that also misbehaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.judges.servers import Endpoint, completion, cut_off, slow
from tests.replay.adapters.frameworks import made, played, results, runs_in_pytest, turn
from tests.sets import TIME, conversation, eval_set, trace
from trajectory import ChatEndpoint, recorded_tools
from trajectory.conversation import ConversationThread, MalformedArguments
from trajectory.errors import AgentError
from trajectory.replay import ReplayMiss, replay

FOLDER = Path(__file__).parents[3] / "evalsets" / "endpoint"
ONE = conversation("t", [("hi", [])])


def get_weather(city: str, unit: str = "C") -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}, {unit}"


async def count(numbers: list[int]) -> int:
    """Count."""
    return len(numbers)


def broken() -> str:
    """Fail."""
    raise ValueError("out of order")


TOOLS: dict[str, Any] = {"get_weather": get_weather, "count": count, "broken": broken}


def calls(*pairs: tuple[str, Any], usage: Any = None) -> Any:
    listed = [
        {
            "id": f"c{n}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for n, (name, given) in enumerate(pairs)
    ]
    status, headers, content = completion(None, tool_calls=listed, finish_reason="tool_calls")
    document = json.loads(content)
    if usage:
        document |= {"usage": usage, "model": "m-1-2026"}
    return status, headers, json.dumps(document).encode()


def agent(endpoint: Endpoint, **options: Any) -> ChatEndpoint:
    return ChatEndpoint(endpoint.url, "m-1", TOOLS, **{"timeout": 5.0, "retries": 1, **options})


def test_a_conversation_with_tools() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
    answers = [
        calls(("get_weather", {"city": "Paris"}), ("count", {"numbers": [1, 2]}), usage=usage),
        completion("done"),
        completion("again"),
    ]
    with Endpoint(*answers) as endpoint:
        replayed = played(
            agent(endpoint, system="Be brief.", temperature=0), conversation("t", [("hi", []), ("more", [])])
        )
    first, second = turn(replayed, 1), turn(replayed, 2)
    assert made(first) == [("get_weather", {"city": "Paris"}), ("count", {"numbers": [1, 2]})]
    assert results(first) == [("sunny in Paris, C", False), ("2", False)]
    assert (first.response, second.response) == ("done", "again")
    assert first.usage is not None
    assert (first.usage.input_tokens, first.usage.cached_tokens, first.usage.tokens_complete) == (10, 4, False)
    assert first.models == ("m-1-2026", "m-1")
    assert endpoint.asked[0]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert endpoint.asked[0]["temperature"] == 0
    assert [message["role"] for message in endpoint.asked[2]["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    schema = endpoint.asked[0]["tools"][0]["function"]
    assert (schema["name"], schema["description"]) == ("get_weather", "Tell the weather of a city.")
    assert (schema["parameters"]["required"], schema["parameters"]["properties"]["unit"]["default"]) == (["city"], "C")


def test_what_goes_wrong_in_tools_is_told_to_the_model() -> None:
    with Endpoint(
        calls(("broken", {}), ("nothing", {}), ("get_weather", "{no"), ("get_weather", {"town": "x"})),
        completion("sorry"),
    ) as endpoint:
        first = turn(played(agent(endpoint), ONE), 1)
    assert results(first)[:3] == [
        ("Error: out of order", True),
        ("Error: there is no tool nothing", True),
        ("Error: the arguments are no JSON object", True),
    ]
    assert isinstance(first.trajectory[2].arguments, MalformedArguments)
    assert [tool.name for tool in first.tools] == ["get_weather", "count", "broken"]
    assert "unexpected keyword argument 'town'" in str(results(first)[3])


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([(500, {}, b"")], "cannot be reached: status 500"),
        ([(400, {}, b'{"error": "bad"}')], 'refused the request with status 400: {"error": "bad"}'),
        ([slow(3)], "no answer within 0.5 s"),
        ([cut_off], "cannot be reached"),
        ([(200, {}, b"<html>")], "gave no JSON: <html>"),
        ([(200, {}, b"[]")], "gave no chat completion"),
        ([(200, {}, b'{"choices": []}')], "gave no chat completion"),
        ([completion(None, tool_calls="x")], "gave no chat completion: expected a list of tool calls"),
        ([completion(None, tool_calls=[1])], "gave no chat completion: expected a list of tool calls"),
        ([completion(None, tool_calls=[{"id": "c"}])], "expected a tool call with a name"),
        ([completion(None, function_call={"name": "count", "arguments": "{}"})], "calls by tool_calls only"),
        ([completion("half", role="user")], "gave no chat completion"),
        ([completion("half", finish_reason="length")], "was cut off (length)"),
        ([calls(("count", {"numbers": []}))], "still calls tools after 3 rounds"),
        ([completion(None)], "returned no text and no tool call"),
    ],
)
def test_what_is_no_turn(answers: Any, message: str) -> None:
    with Endpoint(*answers) as endpoint:
        failure = played(agent(endpoint, timeout=0.5, max_rounds=3), ONE).turns[0].failure
    assert failure is not None
    assert message in failure.text


def test_what_may_pass_is_tried_again() -> None:
    with Endpoint((429, {"retry-after": "1"}, b""), completion("fine")) as endpoint:
        assert turn(played(agent(endpoint), ONE), 1).response == "fine"


def test_recorded_tools_answer_and_a_miss_is_no_verdict() -> None:
    with Endpoint(calls(("get_weather", {"city": "Paris"})), completion("done")) as endpoint:
        recorded = turn(played(agent(endpoint), ONE), 1)
    thread = ONE.model_copy(update={"traces": (recorded,)})
    hermetic = recorded_tools({"get_weather": get_weather})
    with Endpoint(calls(("get_weather", {"city": "Paris"})), completion("done")) as endpoint:
        again = turn(replay(ChatEndpoint(endpoint.url, "m", hermetic), thread, turn_timeout=10), 1)
    assert results(again) == [("sunny in Paris, C", False)]
    with Endpoint(calls(("get_weather", {"city": "Oslo"})), completion("done")) as endpoint:
        failure = replay(ChatEndpoint(endpoint.url, "m", hermetic), thread, turn_timeout=10).turns[0].failure
    assert failure is not None
    assert isinstance(failure.exception, ReplayMiss)


def test_keys_and_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2")
    with Endpoint(completion("x")) as endpoint:
        turn(played(agent(endpoint, api_key_env="MY_KEY"), ONE), 1)
    assert (
        endpoint.headers[0]["authorization" if "authorization" in endpoint.headers[0] else "Authorization"]
        == "Bearer hunter2"
    )
    monkeypatch.delenv("MY_KEY")
    failure = played(ChatEndpoint("https://h/v1", "m", api_key_env="MY_KEY"), ONE).turns[0].failure
    assert failure is not None
    assert failure.text == (
        "the endpoint's key: the environment variable MY_KEY is not set (api_key_env is the name, not the key)"
    )


def test_a_key_in_the_place_of_its_variable_is_not_shown() -> None:
    endpoint = ChatEndpoint("https://h/v1", "m", api_key_env="sk-Secret-of-mine")
    failure = played(endpoint, ONE).turns[0].failure
    assert failure is not None
    assert failure.text.startswith("the endpoint's key: the variable that api_key_env names is not set")
    assert "Secret" not in failure.text + repr(endpoint.server)


def test_a_key_that_no_header_can_hold_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter\u20ac2")
    failure = played(ChatEndpoint("https://h/v1", "m", api_key_env="MY_KEY"), ONE).turns[0].failure
    assert failure is not None
    assert failure.text == "the endpoint's key: the environment variable MY_KEY holds characters that no key has"


@pytest.mark.parametrize(
    "answer",
    [
        (401, {}, b'no such key: hunter"2'),
        (200, {}, b'Bearer hunter"2 is welcome'),
        (200, {}, json.dumps(['hunter"2']).encode()),
        (200, {}, json.dumps({"echo": 'Bearer hunter"2'}).encode()),
    ],
)
def test_a_key_that_comes_back_is_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch, answer: tuple[int, dict[str, str], bytes]
) -> None:
    monkeypatch.setenv("MY_KEY", 'hunter"2')
    with Endpoint(answer) as endpoint:
        failure = played(agent(endpoint, api_key_env="MY_KEY"), ONE).turns[0].failure
    assert failure is not None
    assert "[key]" in failure.text
    assert "hunter" not in failure.text + "".join(failure.details)


def test_a_model_that_repeats_the_key_says_it_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2")
    with Endpoint(calls(("get_weather", {"city": "hunter2"})), completion("I was given hunter2")) as endpoint:
        told = turn(played(agent(endpoint, api_key_env="MY_KEY"), ONE), 1)
    assert told.response == "I was given [key]"
    assert "hunter2" not in told.model_dump_json()


@pytest.mark.parametrize(
    "address",
    [
        "h/v1",
        "ftp://h",
        "https://me:secret@h/v1",
        "https://secret@h/v1",
        "https://h:x/v1",
        "http://[h/v1",
        "https://h/v1#m",
    ],
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(AgentError, match="expected an address") as raised:
        ChatEndpoint(address, "m")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, "expected a timeout above 0 seconds, found 0"),
        ({"timeout": float("nan")}, "expected a timeout above 0 seconds, found nan"),
        ({"retries": -1}, "expected 0 retries or more, found -1"),
        ({"max_rounds": 0}, "expected one round or more, found 0"),
        ({"model": ""}, "expected the name of a model"),
    ],
)
def test_what_cannot_be_set(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AgentError, match=message):
        ChatEndpoint("https://h/v1", **{"model": "m", **options})


def test_the_query_of_the_address_goes_with_each_request() -> None:
    with Endpoint(completion("x")) as endpoint:
        turn(played(ChatEndpoint(f"{endpoint.url}/?api-version=3", "m"), ONE), 1)
    assert endpoint.asked[0]["path"] == "/v1/chat/completions?api-version=3"


def test_a_second_session_does_not_know_the_first() -> None:
    with Endpoint(completion("x")) as endpoint:
        both = agent(endpoint)
        for _ in range(2):
            turn(played(both, ONE), 1)
    assert [len(asked["messages"]) for asked in endpoint.asked] == [1, 1]


def test_calls_of_one_id_and_of_none_get_their_own_results() -> None:
    asked = calls(("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"}), ("count", {"numbers": [1]}))
    document = json.loads(asked[2])
    for call, name in zip(document["choices"][0]["message"]["tool_calls"], ("a", "a", None), strict=True):
        call["id"] = name
    with Endpoint((200, {}, json.dumps(document).encode()), completion("done")) as endpoint:
        first = turn(played(agent(endpoint), ONE), 1)
    assert results(first) == [("sunny in Paris, C", False), ("sunny in Rome, C", False), ("1", False)]
    answers = [message["tool_call_id"] for message in endpoint.asked[1]["messages"] if message["role"] == "tool"]
    assert answers == ["a", "call_2", "call_3"]


def test_arguments_that_are_an_object_already() -> None:
    listed = [{"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}]
    with Endpoint(completion(None, tool_calls=listed), completion("done")) as endpoint:
        assert results(turn(played(agent(endpoint), ONE), 1)) == [("sunny in Paris, C", False)]


def test_what_a_tool_does_to_its_arguments_does_not_reach_the_verdict() -> None:
    def clear(items: list[int]) -> None:
        items.clear()

    with Endpoint(calls(("clear", {"items": [1, 2]})), completion("done")) as endpoint:
        first = turn(played(ChatEndpoint(endpoint.url, "m", [clear]), ONE), 1)
    assert made(first) == [("clear", {"items": [1, 2]})]
    assert results(first) == [("null", False)]


def recorded_thread() -> dict[str, Any]:
    asked = {"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "1"}
    output = [
        {"role": "assistant", "content": None, "toolCalls": [asked]},
        {"role": "function", "name": "get_weather", "content": "snow", "id": "1"},
    ]
    recorded = {
        **trace(1, "hi", []),
        "tools": [{"name": "get_weather", "description": "Tell.", "parametersSchema": {"type": "object"}}],
        "iterations": [{"history": [], "output": output, "startTime": TIME, "endTime": TIME}],
    }
    del recorded["toolCalls"]
    return {"id": "t", "description": "", "traces": [recorded]}


@pytest.mark.parametrize("tools", [None, [{"type": "function", "function": {"name": "get_weather"}}]])
def test_tools_that_are_known_by_their_schemas_answer_from_the_recording(tools: Any) -> None:
    thread = ConversationThread.model_validate(recorded_thread())
    with Endpoint(calls(("get_weather", {"city": "Oslo"})), completion("done")) as endpoint:
        first = turn(replay(ChatEndpoint(endpoint.url, "m", tools), thread, turn_timeout=10), 1)
    assert results(first) == [("snow", False)]
    (listed,) = endpoint.asked[0]["tools"]
    assert listed["function"]["name"] == "get_weather"
    assert listed["function"]["description"] == ("" if tools else "Tell.")


def test_a_turn_that_calls_tools_and_lists_none_has_no_verdict_without_tools() -> None:
    thread = conversation("t", [("hi", [{"name": "f", "arguments": {}}])])
    with Endpoint(completion("done")) as endpoint:
        failure = played(ChatEndpoint(endpoint.url, "m"), thread).turns[0].failure
        assert failure is not None
        assert "lists none that the model could be told of: give ChatEndpoint its tools" in failure.text
        assert turn(played(ChatEndpoint(endpoint.url, "m", {}), thread), 1).trajectory == ()


def test_an_address_as_the_agent(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAJECTORY_API_KEY", "hunter2")
    pytester.path.joinpath("x.evalset.json").write_text(json.dumps(eval_set([recorded_thread()])), encoding="utf-8")
    with Endpoint(calls(("get_weather", {"city": "Oslo"})), completion("done")) as endpoint:
        result = pytester.runpytest_subprocess("--evalset", "x.evalset.json", "--agent", f"{endpoint.url}#vendor/m%231")
    result.assert_outcomes(passed=1)
    assert endpoint.asked[0]["model"] == "vendor/m#1"
    assert {name.lower(): value for name, value in endpoint.headers[0].items()}["authorization"] == "Bearer hunter2"
    result = pytester.runpytest_subprocess("--evalset", "x.evalset.json", "--agent", "https://h/v1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*expected an address with a model, such as https://host/v1#model*"])


def test_the_example(pytester: pytest.Pytester) -> None:
    runs_in_pytest(pytester, FOLDER)


def test_teacher_forced() -> None:
    with Endpoint(completion("x")) as endpoint:
        played(
            agent(endpoint),
            conversation("t", [("one", [{"name": "f", "arguments": {}}]), ("two", [])]),
            teacher_forced=True,
        )
    assert [message["role"] for message in endpoint.asked[1]["messages"]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
