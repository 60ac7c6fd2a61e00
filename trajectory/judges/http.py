"""A judge behind an OpenAI-compatible endpoint. Needs the extra ``judge`` (httpx)."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from trajectory.errors import ConfigurationError
from trajectory.http_retries import AGAIN, wait_before
from trajectory.json_values import printable, shorten
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
_SHOWN: Final = 300


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
            ConfigurationError: The variable that is to hold the key is not set.
        """
        self.model = settings.model
        self._settings = settings
        self._sleep = sleep
        self._gate = threading.BoundedSemaphore(settings.concurrency)
        key = os.environ.get(settings.api_key_env) if settings.api_key_env else None
        if settings.api_key_env and not key:
            raise ConfigurationError(f"the judge's key: the environment variable {settings.api_key_env} is not set")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers, timeout=settings.timeout)

    def ask(self, prompt: str) -> str:
        """Ask, and ask again where the endpoint could not take the question.

        Raises:
            JudgeError: There is no answer, or none that can be used.
        """
        with self._gate:
            for attempt in range(self._settings.retries + 1):
                problem, stated = "", ""
                try:
                    response = self._post(prompt)
                except httpx.TimeoutException:
                    problem = f"no answer within {self._settings.timeout:g} s"
                except httpx.HTTPError as error:
                    problem = f"{type(error).__name__}: {error}"
                else:
                    if response.status_code not in AGAIN:
                        return _text_in(response)
                    problem = f"status {response.status_code}"
                    stated = response.headers.get("retry-after", "")
                if attempt < self._settings.retries:
                    self._sleep(wait_before(attempt + 1, stated))
        tries = f"{self._settings.retries + 1} tries" if self._settings.retries else "one try"
        raise JudgeError(f"the judge cannot be reached at {self._settings.base_url}: {problem}, after {tries}")

    def _post(self, prompt: str) -> httpx.Response:
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": settings.temperature,
        }
        if settings.seed is not None:
            body["seed"] = settings.seed
        return self._client.post(f"{settings.base_url}/chat/completions", json=body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _text_in(response: httpx.Response) -> str:
    shown = shorten(printable(response.text[:1000].strip()), _SHOWN) or "an empty body"
    if response.status_code != httpx.codes.OK:
        raise JudgeError(f"the judge refused the question with status {response.status_code}: {shown}")
    if len(response.content) > _MOST_BYTES:
        raise JudgeError(f"the judge's answer is {len(response.content)} bytes long")
    try:
        choice = response.json()["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError):
        raise JudgeError(f"the judge's endpoint gave no chat completion: {shown}") from None
    if refusal:
        raise JudgeError(f"the judge refused: {shorten(printable(str(refusal)), _SHOWN)}")
    if reason in {"length", "content_filter"}:
        raise JudgeError(f"the judge's answer was cut off ({reason})")
    if not isinstance(content, str):
        raise JudgeError(f"the judge's endpoint gave no text: {shown}")
    return content
