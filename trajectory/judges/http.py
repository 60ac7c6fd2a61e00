"""A judge behind an OpenAI-compatible endpoint. Needs the extra ``judge`` (httpx)."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from trajectory.api_keys import ApiKey
from trajectory.errors import ConfigurationError
from trajectory.http_retries import AGAIN, wait_before
from trajectory.judges.reading import JudgeError

try:
    import httpx
except ImportError:
    raise ConfigurationError(
        "a judge behind an endpoint needs the package httpx: pip install 'pytest-trajectory[judge]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.judges.settings import JudgeSettings

_MOST_BYTES: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    retry_after: str
    content: bytes


class HttpJudge:
    """Asks a model by ``POST {base_url}/chat/completions``.

    Attributes:
        model: The model that judges.
    """

    def __init__(self, settings: JudgeSettings, sleep: Callable[[float], None] = time.sleep) -> None:
        """Prepare; nothing is sent yet.

        Args:
            settings: What is configured.
            sleep: Waits for some seconds between tries.

        Raises:
            ConfigurationError: The variable that is to hold the key is not set, or holds no key.
        """
        self.model = settings.model
        self._settings = settings
        self._sleep = sleep
        self._gate = threading.BoundedSemaphore(settings.concurrency)
        self._key = ApiKey(settings.api_key_env, "the judge's")
        self._client = httpx.Client(headers=self._key.headers, timeout=settings.timeout)

    def ask(self, prompt: str) -> str:
        """Ask, and ask again where the endpoint could not take the question.

        Raises:
            JudgeError: There is no answer, or none that can be used.
        """
        with self._gate:
            for attempt in range(self._settings.retries + 1):
                problem, stated = "", ""
                try:
                    reply = self._post(prompt)
                except httpx.TimeoutException:
                    problem = f"no answer within {self._settings.timeout:g} s"
                except (httpx.HTTPError, httpx.InvalidURL) as error:
                    problem = self._key.out_of(f"{type(error).__name__}: {error}")
                else:
                    if reply.status not in AGAIN:
                        return self._text_in(reply)
                    problem, stated = f"status {reply.status}", reply.retry_after
                if attempt < self._settings.retries:
                    self._sleep(wait_before(attempt + 1, stated))
        tries = f"{self._settings.retries + 1} tries" if self._settings.retries else "one try"
        raise JudgeError(f"the judge cannot be reached at {self._settings.base_url}: {problem}, after {tries}")

    def _post(self, prompt: str) -> _Reply:
        """Send the question and read the reply bit by bit: httpx limits each wait, not the whole, and no length."""
        settings, content = self._settings, bytearray()
        deadline = time.monotonic() + settings.timeout
        address = f"{settings.base_url}/chat/completions"
        with self._client.stream("POST", address, json=self._body(prompt)) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > _MOST_BYTES:
                    raise JudgeError(f"the judge's answer is longer than {_MOST_BYTES} bytes")
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the whole answer took too long")
            return _Reply(response.status_code, response.headers.get("retry-after", ""), bytes(content))

    def _body(self, prompt: str) -> dict[str, Any]:
        settings = self._settings
        body: dict[str, Any] = {"model": settings.model, "messages": [{"role": "user", "content": prompt}]}
        if settings.temperature != "default":
            body["temperature"] = settings.temperature
        if settings.seed is not None:
            body["seed"] = settings.seed
        return body

    def _text_in(self, reply: _Reply) -> str:
        shown = self._key.quoted(reply.content.decode(errors="replace"))
        if reply.status != httpx.codes.OK:
            raise JudgeError(f"the judge refused the question with status {reply.status}: {shown}")
        try:
            choice = json.loads(reply.content)["choices"][0]
            message, reason = choice["message"], choice.get("finish_reason")
            content, refusal = message.get("content"), message.get("refusal")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise JudgeError(f"the judge's endpoint gave no chat completion: {shown}") from None
        if refusal:
            raise JudgeError(f"the judge refused: {self._key.quoted(str(refusal))}")
        if reason in {"length", "content_filter"}:
            raise JudgeError(f"the judge's answer was cut off ({reason})")
        if not isinstance(content, str):
            raise JudgeError(f"the judge's endpoint gave no text: {shown}")
        return self._key.out_of(content)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
