"""Requests for chat completions, to any endpoint that is compatible with OpenAI's. Needs httpx."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from trajectory.errors import AgentError, EvaluationError
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
    api_key_env: str | None
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
                "ChatEndpoint: expected an address such as https://host/v1, without a password or a fragment"
            )
        if not self.timeout > 0:
            raise AgentError(f"ChatEndpoint: expected a timeout above 0 seconds, found {self.timeout!r}")
        if self.retries < 0:
            raise AgentError(f"ChatEndpoint: expected 0 retries or more, found {self.retries!r}")

    def open(self) -> ChatClient:
        """Make a client for one session.

        Raises:
            AgentError: The variable that is to hold the key is not set.
        """
        key = os.environ.get(self.api_key_env) if self.api_key_env else None
        if self.api_key_env and not key:
            raise AgentError(f"the endpoint's key: the environment variable {self.api_key_env} is not set")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return ChatClient(self, _httpx().AsyncClient(headers=headers, timeout=self.timeout))


class ChatClient:
    """Asks one endpoint, on one event loop."""

    def __init__(self, server: ChatServer, client: httpx.AsyncClient) -> None:
        self._server = server
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
                problem = f"{type(error).__name__}: {error}"
            else:
                if response.status_code not in AGAIN:
                    return _completion_in(response)
                problem, stated = f"status {response.status_code}", response.headers.get("retry-after", "")
            if attempt <= self._server.retries:
                await asyncio.sleep(wait_before(attempt, stated))
        tries = f"{self._server.retries + 1} tries" if self._server.retries else "one try"
        raise EvaluationError(f"the endpoint {self._server.base_url} cannot be reached: {problem} (after {tries})")

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
            and parts.password is None
            and not parts.fragment
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:  # a port or an IPv6 address that is none
        return False


def _completion_in(response: httpx.Response) -> dict[str, Any]:
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


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - an extra, imported when it is used
    except ImportError:
        raise AgentError("ChatEndpoint needs the package httpx: pip install 'pytest-trajectory[endpoint]'") from None
    return httpx
