"""A little agent of Strands whose model is scripted, so that it needs no network."""

import json

from strands import Agent, tool
from strands.models import Model


class Script(Model):
    """Calls tools by what the user says, and answers with the number of user messages."""

    def get_config(self):
        return {"model_id": "scripted"}

    def update_config(self, **_):
        """Nothing can be changed."""

    async def structured_output(self, *_, **__):
        raise NotImplementedError
        yield

    async def stream(self, messages, *_, **__):
        asked = [one for one in messages if one["role"] == "user" and "text" in one["content"][0]]
        query, fresh = asked[-1]["content"][0]["text"], messages[-1] is asked[-1]
        cities = [city for city in ("Paris", "Rome") if city in query]
        calls = []
        if fresh and "fail" in query:
            calls = [("broken", {})]
        elif fresh:
            calls = [("get_weather", {"city": city}) for city in cities]
        yield {"messageStart": {"role": "assistant"}}
        for number, (name, arguments) in enumerate(calls):
            use = {"name": name, "toolUseId": f"call_{len(messages)}_{number}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": f"{len(asked)} turns"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}
        yield {
            "metadata": {
                "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
                "metrics": {"latencyMs": 1},
            }
        }


@tool
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


@tool
def broken() -> str:
    """Fail."""
    raise ValueError("out of order")


def make_agent():
    """Make the agent anew for each session."""
    return Agent(model=Script(), tools=[get_weather, broken], callback_handler=None)
