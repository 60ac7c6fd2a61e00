"""A little agent of LangChain, a compiled graph, whose model is scripted, so that it needs no network."""

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException, tool


class Script(BaseChatModel):
    """Calls tools by what the user says, and answers with the number of user messages."""

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, *_, **__):
        asked = [message for message in messages if isinstance(message, HumanMessage)]
        query, fresh = asked[-1].content, messages[-1] is asked[-1]
        cities = [city for city in ("Paris", "Rome") if city in query]
        calls = []
        if fresh and "fail" in query:
            calls = [{"name": "broken", "args": {}, "id": f"call_{len(messages)}"}]
        elif fresh:
            calls = [{"name": "get_weather", "args": {"city": city}, "id": f"call_{city}"} for city in cities]
        answer = AIMessage(
            "" if calls else f"{len(asked)} turns",
            tool_calls=calls,
            usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
            response_metadata={"model_name": "scripted"},
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


@tool
def broken() -> str:
    """Fail."""
    raise ToolException("out of order")


broken.handle_tool_error = True
agent = create_agent(Script(), [get_weather, broken])
