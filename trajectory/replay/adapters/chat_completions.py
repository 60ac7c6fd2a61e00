"""Requests for chat completions, to any endpoint that is compatible with OpenAI's. Needs httpx."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from trajectory.api_keys import ApiKey
from trajectory.errors import AgentError, ConfigurationError, EvaluationError
from trajectory.http_retries import AGAIN, wait_before
from trajectory.json_values import printable, shorten

if TYPE_CHECKING:
    import httpx

_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class ChatServer:
    """Where requests go, and how often one is made again.

    Attributes:
        base_url: The address up to and with the version; its query goes with each request.
        api_key_env: The name of the environment variable that holds the key.
        timeout: Seconds that one request may take.
        retries: How often a request is made again that the endpoint could not take.
    """

    base_url: str
    api_key_env: str | None = field(repr=False)  # somebody may have written the key itself
    timeout: float
    retries: int

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            AgentError: One of them is wrong, or httpx is not installed.
        """
        _httpx()
        if not _is_address(self.base_url):
            raise AgentError(
                "ChatEndpoint: expected an address such as https://host/v1, without a user or a password, and without a fragment"
            )
        if not self.timeout > 0:
            raise AgentError(f"ChatEndpoint: expected a timeout above 0 seconds, found {self.timeout!r}")
        if self.retries < 0:
            raise AgentError(f"ChatEndpoint: expected 0 retries or more, found {self.retries!r}")

    def open(self) -> ChatClient:
        """Make a client for one session.

        Raises:
            AgentError: The variable that is to hold the key is not set, or holds no key.
        """
        try:
            key = ApiKey(self.api_key_env, "the endpoint's")
        except ConfigurationError as problem:
            raise AgentError(str(problem)) from None
        return ChatClient(self, key, _httpx().AsyncClient(headers=key.headers, timeout=self.timeout))


class ChatClient:
    """Asks one endpoint, on one event loop."""

    def __init__(self, server: ChatServer, key: ApiKey, client: httpx.AsyncClient) -> None:
        self._server = server
        self._key = key
        self._client = client
        scheme, host, path, query, _ = urlsplit(server.base_url)
        self._url = urlunsplit((scheme, host, f"{path.rstrip('/')}/chat/completions", query, ""))

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """Ask for a completion, again where the endpoint could not take the request.

        Args:
            body: The request.

        Returns:
            The completion.

        Raises:
            EvaluationError: There is none; the text says what there was instead.
        """
        httpx = _httpx()
        for attempt in range(1, self._server.retries + 2):
            problem, stated = "", ""
            try:
                response = await self._client.post(self._url, json=body)
            except httpx.TimeoutException:
                problem = f"no answer within {self._server.timeout:g} s"
            except httpx.HTTPError as error:
                problem = self._key.out_of(f"{type(error).__name__}: {error}")
            else:
                if response.status_code not in AGAIN:
                    return self._completion_in(response)
                problem, stated = f"status {response.status_code}", response.headers.get("retry-after", "")
            if attempt <= self._server.retries:
                await asyncio.sleep(wait_before(attempt, stated))
        tries = f"{self._server.retries + 1} tries" if self._server.retries else "one try"
        raise EvaluationError(f"the endpoint {self._server.base_url} cannot be reached: {problem} (after {tries})")

    def _completion_in(self, response: httpx.Response) -> dict[str, Any]:
        """Read the completion; what a model or a proxy repeats of the key goes into no file and no message."""
        shown = self._key.quoted(response.text)
        if not response.is_success:
            raise EvaluationError(f"the endpoint refused the request with status {response.status_code}: {shown}")
        try:
            completion = json.loads(self._key.out_of(response.text))
        except (ValueError, RecursionError):
            raise EvaluationError(f"the endpoint gave no JSON: {shown}") from None
        if not isinstance(completion, dict):
            raise EvaluationError(f"the endpoint gave no chat completion: {shown}")
        return completion

    async def close(self) -> None:
        """End the connections."""
        await self._client.aclose()


def message_in(completion: dict[str, Any]) -> dict[str, Any]:
    """Find what the model said.

    Args:
        completion: The completion.

    Returns:
        The message, as the endpoint gave it.

    Raises:
        EvaluationError: There is none, or it was cut off.
    """
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


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and parts.username is None
            and not parts.fragment
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:  # a port or an IPv6 address that is none
        return False


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - an extra, imported when it is used
    except ImportError:
        raise AgentError("ChatEndpoint needs the package httpx: pip install 'pytest-trajectory[endpoint]'") from None
    return httpx
