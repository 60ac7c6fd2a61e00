"""A model behind any OpenAI-compatible endpoint as an agent: the loop of chat completions and tool calls.

Needs the extra ``endpoint`` (httpx).
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, get_type_hints
from urllib.parse import urlsplit

from pydantic import BaseModel, create_model

from trajectory.conversation import Trace, Usage
from trajectory.errors import AgentError, EvaluationError
from trajectory.http_retries import AGAIN, wait_before
from trajectory.json_values import printable, shorten
from trajectory.recordings.messages import turn_from_messages
from trajectory.recordings.usage import read_usage
from trajectory.replay.adapters.reading import refuse_initial_state
from trajectory.replay.agents import Agent, Session
from trajectory.replay.history import openai_messages
from trajectory.replay.recorded_turn import ReplayMiss

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajectory.conversation import ConversationThread

_SHOWN: Final = 300


class ChatEndpoint(Agent):
    """A model behind an OpenAI-compatible endpoint, with tools; each session keeps its messages.

    Args:
        base_url: The address up to and with the version: ``https://host/v1``.
        model: The model.
        tools: The tools by name: functions, sync or async, whose signature and docstring tell the model of them. Wrapped
            by `recorded_tools`, they answer from the recording.
        system: The system prompt.
        api_key_env: The name of the environment variable that holds the key.
        timeout: Seconds that one request may take.
        retries: How often a request is made again that the endpoint could not take.
        max_rounds: After so many requests in one turn, it ends in an error.
        options: What else each request holds, such as ``temperature`` or ``seed``.

    Raises:
        AgentError: The address is none, or holds a password; httpx is not installed.
    """

    def __init__(  # noqa: PLR0913 - what an endpoint is given
        self,
        base_url: str,
        model: str,
        tools: Mapping[str, Callable[..., Any]] | None = None,
        *,
        system: str = "",
        api_key_env: str | None = None,
        timeout: float = 60.0,
        retries: int = 3,
        max_rounds: int = 20,
        **options: Any,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.password:
            raise AgentError("ChatEndpoint: expected an address such as https://host/v1, without a password")
        _httpx()
        self.base_url = base_url.rstrip("/")
        self.model = model
        self.tools = dict(tools or {})
        self.schemas = [tool_schema(name, tool) for name, tool in self.tools.items()]
        self.system = system
        self.api_key_env = api_key_env
        self.timeout = timeout
        self.retries = retries
        self.max_rounds = max_rounds
        self.options = options

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        """Open a session without messages.

        Raises:
            AgentError: The variable that is to hold the key is not set.
        """
        del session_id
        refuse_initial_state(thread, "an endpoint")
        if self.api_key_env and not os.environ.get(self.api_key_env):
            raise AgentError(f"the endpoint's key: the environment variable {self.api_key_env} is not set")
        return _Session(self)


def tool_schema(name: str, tool: Callable[..., Any]) -> dict[str, Any]:
    """Describe a function to a model, by its signature and its docstring.

    Args:
        name: The tool's name.
        tool: The function.

    Returns:
        The tool as a chat completion lists it.
    """
    hints = get_type_hints(tool)
    fields: dict[str, Any] = {
        key: (hints.get(key, Any), ... if parameter.default is parameter.empty else parameter.default)
        for key, parameter in inspect.signature(tool).parameters.items()
        if parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
    }
    parameters = _parameters(create_model(name, **fields))
    function = {"name": name, "description": inspect.getdoc(tool) or "", "parameters": parameters}
    return {"type": "function", "function": function}


def _parameters(model: type[BaseModel]) -> dict[str, Any]:
    return {key: value for key, value in model.model_json_schema().items() if key != "title"}


class _Session(Session):
    def __init__(self, endpoint: ChatEndpoint) -> None:
        self._endpoint = endpoint
        self._messages: list[dict[str, Any]] = []
        self._client: Any = None

    async def send(self, query: str) -> Trace:
        begun = datetime.now(UTC)
        said: list[dict[str, Any]] = [{"role": "user", "content": query}]
        usages: list[Usage | None] = []
        models: dict[str, None] = {}
        for _ in range(self._endpoint.max_rounds):
            completion = await self._complete([*self._messages, *said])
            usages.append(read_usage(completion.get("usage")))
            models[str(completion.get("model") or self._endpoint.model)] = None
            message = _message_in(completion)
            said.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                break
            said += await asyncio.gather(*(self._result(call) for call in calls))
        else:
            raise EvaluationError(f"the model still calls tools after {self._endpoint.max_rounds} rounds")
        self._messages += said
        trace = turn_from_messages(said[1:], query, id="turn", start=begun, end=datetime.now(UTC))
        return trace.model_copy(update={"usage": Usage.total(usages), "models": tuple(models)})

    async def _result(self, call: dict[str, Any]) -> dict[str, Any]:
        """Run a tool; what it raises is told to the model, as programs usually do."""
        function = call.get("function") or {}
        name = str(function.get("name"))
        answer = {"role": "tool", "tool_call_id": call.get("id"), "name": name}
        tool = self._endpoint.tools.get(name)
        if tool is None:
            return {**answer, "content": f"Error: there is no tool {name}"}
        try:
            result = tool(**json.loads(function.get("arguments") or "{}"))
            result = await result if inspect.isawaitable(result) else result
        except ReplayMiss:
            raise
        except Exception as problem:  # noqa: BLE001 - a tool may raise anything
            return {**answer, "content": f"Error: {problem}"}
        return {**answer, "content": result if isinstance(result, str) else json.dumps(result, default=str)}

    async def _complete(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        endpoint, httpx = self._endpoint, _httpx()
        if self._client is None:
            key = os.environ.get(endpoint.api_key_env or "")
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            self._client = httpx.AsyncClient(headers=headers, timeout=endpoint.timeout)
        system = [{"role": "system", "content": endpoint.system}] if endpoint.system else []
        body = {"model": endpoint.model, "messages": [*system, *messages], **endpoint.options}
        if endpoint.schemas:
            body["tools"] = endpoint.schemas
        problem = ""
        for attempt in range(1, endpoint.retries + 2):
            stated = ""
            try:
                response = await self._client.post(f"{endpoint.base_url}/chat/completions", json=body)
            except httpx.TimeoutException:
                problem = f"no answer within {endpoint.timeout:g} s"
            except httpx.HTTPError as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if response.status_code not in AGAIN:
                    return _completion_in(response)
                problem, stated = f"status {response.status_code}", response.headers.get("retry-after", "")
            if attempt <= endpoint.retries:
                await asyncio.sleep(wait_before(attempt, stated))
        raise EvaluationError(f"the endpoint {endpoint.base_url} cannot be reached: {problem}")

    def set_history(self, history: Sequence[Trace]) -> None:
        self._messages = openai_messages(history)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _completion_in(response: Any) -> dict[str, Any]:
    shown = shorten(printable(response.text[:1000].strip()), _SHOWN) or "an empty body"
    if not response.is_success:
        raise EvaluationError(f"the endpoint refused the request with status {response.status_code}: {shown}")
    try:
        completion = response.json()
    except ValueError:
        raise EvaluationError(f"the endpoint gave no JSON: {shown}") from None
    if not isinstance(completion, dict):
        raise EvaluationError(f"the endpoint gave no chat completion: {shown}")
    return completion


def _message_in(completion: dict[str, Any]) -> dict[str, Any]:
    try:
        choice = completion["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        is_message = isinstance(message, dict)
    except (LookupError, TypeError, AttributeError):
        is_message = False
    if not is_message:
        raise EvaluationError(f"the endpoint gave no chat completion: {shorten(printable(str(completion)), _SHOWN)}")
    if reason in {"length", "content_filter"}:
        raise EvaluationError(f"the model's answer was cut off ({reason})")
    return {"role": "assistant", **message}


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - an extra, imported when it is used
    except ImportError:
        raise AgentError("ChatEndpoint needs the package httpx: pip install 'pytest-trajectory[endpoint]'") from None
    return httpx
