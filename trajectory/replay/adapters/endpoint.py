"""A model behind any OpenAI-compatible endpoint as an agent: the loop of chat completions and tool calls.

Needs the extra ``endpoint`` (httpx).
"""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from trajectory.conversation import AssistantMessage, FunctionMessage
from trajectory.errors import AgentError, EvaluationError
from trajectory.json_values import describe
from trajectory.recordings.beside import Beside, request_of
from trajectory.recordings.chat import MessageReader
from trajectory.recordings.messages import turn_from_messages
from trajectory.recordings.usage import read_usage
from trajectory.replay.adapters.chat_completions import ChatServer, message_in
from trajectory.replay.adapters.function_tools import recorded_tool, result_of, tools_of
from trajectory.replay.adapters.reading import refuse_initial_state
from trajectory.replay.agents import Agent, Session
from trajectory.replay.history import openai_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from trajectory.conversation import ConversationThread, ToolCall, Trace
    from trajectory.replay.adapters.function_tools import Tool

KEY_OF_ADDRESSES: Final = "TRAJECTORY_API_KEY"
"""The environment variable that holds the key of an endpoint that is given by its address alone."""


class ChatEndpoint(Agent):
    """A model behind an OpenAI-compatible endpoint, with tools; each session keeps its messages.

    Args:
        base_url: The address up to and with the version: ``https://host/v1``.
        model: The model.
        tools: The tools: a mapping of names to functions, or a list of functions and of tools' schemas as a chat
            completion lists them. The signature and the docstring of a function, sync or async, tell the model of it; it
            is given JSON values. A tool that is a schema alone answers from the recording, as does a function wrapped by
            `recorded_tools`. Without this, the tools are those that each recorded turn lists.
        system: The system prompt.
        api_key_env: The name of the environment variable that holds the key.
        timeout: Seconds that one request may take.
        retries: How often a request is made again that the endpoint could not take.
        max_rounds: After so many requests in one turn, it ends in an error.
        options: What else each request holds, such as ``temperature`` or ``seed``.

    Raises:
        AgentError: The address is none, or holds a password; something is no tool; a number is out of range; httpx is
            not installed.
    """

    def __init__(  # noqa: PLR0913 - what an endpoint is given
        self,
        base_url: str,
        model: str,
        tools: Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any] | Mapping[str, Any]] | None = None,
        *,
        system: str = "",
        api_key_env: str | None = None,
        timeout: float = 60.0,
        retries: int = 3,
        max_rounds: int = 20,
        **options: Any,
    ) -> None:
        self.server = ChatServer(base_url, api_key_env, timeout, retries)
        if not model:
            raise AgentError("ChatEndpoint: expected the name of a model")
        if max_rounds < 1:
            raise AgentError(f"ChatEndpoint: expected one round or more, found {max_rounds!r}")
        self.model = model
        self.tools = None if tools is None else tools_of(tools)
        self.system = system
        self.max_rounds = max_rounds
        self.options = options

    @classmethod
    def at(cls, address: str) -> ChatEndpoint:
        """Take an endpoint by its address alone, with the tools that the recorded turns list.

        Args:
            address: The address with the model behind a ``#``: ``https://host/v1#model``. The key, if the endpoint wants
                one, is taken from the environment variable ``TRAJECTORY_API_KEY``.

        Raises:
            AgentError: It is no such address.
        """
        base_url, _, model = address.partition("#")
        if not model:
            raise AgentError("the agent: expected an address with a model, such as https://host/v1#model")
        return cls(base_url, unquote(model), api_key_env=KEY_OF_ADDRESSES if KEY_OF_ADDRESSES in os.environ else None)

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session without messages.

        Raises:
            AgentError: The variable that is to hold the key is not set, or the thread states a state.
        """
        del session_id
        refuse_initial_state(thread, "an endpoint")
        return _Session(self, thread)


class _Session(Session):
    def __init__(self, endpoint: ChatEndpoint, thread: ConversationThread) -> None:
        self._endpoint = endpoint
        self._client = endpoint.server.open()
        self._thread = thread
        self._played = 0
        self._messages: list[dict[str, Any]] = []

    async def send(self, query: str) -> Trace:
        begun, tools = datetime.now(UTC), self._tools()
        self._messages.append({"role": "user", "content": query})
        records: list[Any] = []
        for _ in range(self._endpoint.max_rounds):
            calls = await self._ask(tools, records)
            if not calls:
                break
            results = await asyncio.gather(*(result_of(call, tools) for call in calls))
            self._messages += map(_told, results)
            records += results
        else:
            raise EvaluationError(f"the model still calls tools after {self._endpoint.max_rounds} rounds")
        trace = turn_from_messages(records, query, id="turn", start=begun, end=datetime.now(UTC))
        return trace.model_copy(update={"tools": tuple(tool.schema for tool in tools.values())})

    def _tools(self) -> dict[str, Tool]:
        """Give the tools of this turn."""
        expected = self._thread.traces[self._played]
        self._played += 1
        tools = self._endpoint.tools
        if tools is None and expected.trajectory and not expected.tools:
            raise EvaluationError(
                "the recorded turn calls tools and lists none that the model could be told of: give ChatEndpoint its tools"
            )
        given = tuple(map(recorded_tool, expected.tools)) if tools is None else tools
        return {tool.schema.name: tool for tool in given}

    async def _ask(self, tools: Mapping[str, Tool], records: list[Any]) -> Sequence[ToolCall]:
        """Ask the model once; keep what it said, and give the calls that it asks for."""
        endpoint = self._endpoint
        system = [{"role": "system", "content": endpoint.system}] if endpoint.system else []
        body = {"model": endpoint.model, "messages": [*system, *self._messages], **endpoint.options}
        if tools:
            body["tools"] = [tool.listed() for tool in tools.values()]
        completion = await self._client.complete(body)
        message = message_in(completion)
        said = _read(message)
        request = request_of(read_usage(completion.get("usage")), completion.get("model") or endpoint.model)
        records.append(Beside(said, request=request))
        self._messages.append(message)
        return said.tool_calls or ()

    def set_history(self, history: Sequence[Trace]) -> None:
        self._messages = openai_messages(history)

    async def close(self) -> None:
        await self._client.close()


def _read(message: dict[str, Any]) -> AssistantMessage:
    """Read what the model said, and see to it that each call has an id of its own by which it is answered.

    Raises:
        EvaluationError: It is no message of a model.
    """
    listed = message.get("tool_calls") or []
    try:
        _name_calls(listed)
        said = MessageReader("the model's message", {}).read(message)[-1]
    except (TypeError, ValueError) as problem:
        raise EvaluationError(f"the endpoint gave no chat completion: {problem}") from None
    if not isinstance(said, AssistantMessage) or len(said.tool_calls or ()) != len(listed):
        raise EvaluationError("the endpoint gave no chat completion: expected a model that calls by tool_calls only")
    return said


def _name_calls(listed: Any) -> None:
    if not isinstance(listed, list) or not all(isinstance(call, dict) for call in listed):
        raise TypeError(f"expected a list of tool calls, found {describe(listed)}")
    taken: set[Any] = set()
    for place, call in enumerate(listed, start=1):
        if not isinstance(call.get("id"), str) or call["id"] in taken:
            call["id"] = f"call_{place}"
        taken.add(call["id"])


def _told(result: FunctionMessage) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": result.id, "name": result.name, "content": result.content}
