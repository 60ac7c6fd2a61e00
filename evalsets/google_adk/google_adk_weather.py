"""A little agent of Google ADK whose model is scripted, so that it needs no network."""

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Script(BaseLlm):
    """Calls tools by what the user says, and answers with the number of user messages."""

    model: str = "scripted"

    async def generate_content_async(self, llm_request, stream=False):  # noqa: FBT002
        del stream
        asked = [one for one in llm_request.contents if one.role == "user" and one.parts[0].text]
        query, fresh = asked[-1].parts[0].text, llm_request.contents[-1] is asked[-1]
        cities = [city for city in ("Paris", "Rome") if city in query]
        if fresh and "fail" in query:
            parts = [types.Part(function_call=types.FunctionCall(name="broken", args={}))]
        elif fresh and cities:
            calls = [types.FunctionCall(name="get_weather", args={"city": city}) for city in cities]
            parts = [types.Part(function_call=call) for call in calls]
        else:
            parts = [types.Part(text=f"{len(asked)} turns")]
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=5, total_token_count=15
        )
        content = types.Content(role="model", parts=parts)
        yield LlmResponse(content=content, usage_metadata=usage, model_version="scripted")


def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def broken() -> dict:
    """Fail."""
    return {"error": "out of order"}


agent = LlmAgent(name="weather", model=Script(), tools=[get_weather, broken])
