"""A little agent of Pydantic AI whose model is scripted, so that it needs no network."""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel


def script(messages, info):
    """Call tools by what the user says, and answer with the number of user messages."""
    del info
    asked = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    query, last = str(asked[-1].content), messages[-1]
    fresh = any(part is asked[-1] for part in last.parts)
    if fresh and "fail" in query:
        return ModelResponse(parts=[ToolCallPart("broken", {})])
    cities = [city for city in ("Paris", "Rome") if city in query]
    if fresh and cities:
        return ModelResponse(parts=[ToolCallPart("get_weather", {"city": city}) for city in cities])
    return ModelResponse(parts=[TextPart(f"{len(asked)} turns")])


agent = Agent(FunctionModel(script, model_name="scripted"))


@agent.tool_plain
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


@agent.tool_plain(retries=3)
def broken() -> str:
    """Fail."""
    raise ModelRetry("out of order")
