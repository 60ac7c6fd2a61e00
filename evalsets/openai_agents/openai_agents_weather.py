"""A little agent of the OpenAI Agents SDK whose model is scripted, so that it needs no network."""

import json

from agents import Agent, ModelResponse, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)


def call(number, name, **arguments):
    """Ask for a call."""
    return ResponseFunctionToolCall(
        type="function_call", call_id=f"call_{number}", name=name, arguments=json.dumps(arguments)
    )


def text(words):
    """Answer."""
    part = ResponseOutputText(type="output_text", text=words, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])


class Script(Model):
    """Calls tools by what the user says, and answers with the number of user messages."""

    model = "scripted"

    async def get_response(self, system_instructions, input, *_, **__):  # noqa: A002
        asked = [item for item in input if item.get("role") == "user"]
        query, fresh = asked[-1]["content"], input[-1] is asked[-1]
        cities = [city for city in ("Paris", "Rome") if city in query]
        if fresh and "fail" in query:
            output = [call(len(input), "broken")]
        elif fresh and cities:
            output = [call(f"{len(input)}_{city}", "get_weather", city=city) for city in cities]
        else:
            output = [text(f"{len(asked)} turns")]
        usage = Usage(requests=1, input_tokens=10, output_tokens=5, total_tokens=15)
        return ModelResponse(output=output, usage=usage, response_id=None)

    async def stream_response(self, *_, **__):
        raise NotImplementedError
        yield


@function_tool
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


@function_tool
def broken() -> str:
    """Fail."""
    raise ValueError("out of order")


agent = Agent(name="weather", model=Script(), tools=[get_weather, broken])
