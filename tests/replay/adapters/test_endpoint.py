"""A model behind a real HTTP server on loopback that also misbehaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.judges.servers import Endpoint, completion, cut_off, slow
from tests.replay.adapters.frameworks import made, played, results, turn
from tests.sets import conversation
from trajectory import ChatEndpoint, recorded_tools
from trajectory.conversation import MalformedArguments
from trajectory.errors import AgentError
from trajectory.replay import ReplayMiss, replay

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
    assert results(first) == [("sunny in Paris, C", None), ("2", None)]
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
    assert [content for content, _ in filter(None, results(first))][:2] == [
        "Error: out of order",
        "Error: there is no tool nothing",
    ]
    assert isinstance(first.trajectory[2].arguments, MalformedArguments)
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
    assert results(again) == [("sunny in Paris, C", None)]
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
    assert failure.text == "the endpoint's key: the environment variable MY_KEY is not set"
    for address in ("h/v1", "ftp://h", "https://me:secret@h/v1"):
        with pytest.raises(AgentError, match="expected an address"):
            ChatEndpoint(address, "m")


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
