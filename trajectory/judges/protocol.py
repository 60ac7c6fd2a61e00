"""What a judge is: anything that answers a prompt with a text."""

from __future__ import annotations

import asyncio
import inspect
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from trajectory.errors import ConfigurationError
from trajectory.json_values import describe

if TYPE_CHECKING:
    from collections.abc import Callable


@runtime_checkable
class Judge(Protocol):
    """Answers a prompt. It may have an attribute ``model``, the name of the model that answers."""

    def ask(self, prompt: str) -> str:
        """Answer a prompt.

        Args:
            prompt: The prompt.

        Returns:
            The answer as text.

        Raises:
            Exception: It cannot be reached.
        """
        ...


class _GivenJudge:
    """A judge of the user's, in one form: what can be awaited is awaited."""

    def __init__(self, source: Any, call: Callable[[str], Any]) -> None:
        self._source = source
        self._call = call

    @property
    def model(self) -> Any:
        return getattr(self._source, "model", None)

    def ask(self, prompt: str) -> str:
        answer: Any = self._call(prompt)
        if inspect.isawaitable(answer):
            answer = asyncio.run_coroutine_threadsafe(_awaited(answer), _loop()).result()
        text: str = answer
        return text  # whoever reads the verdict refuses what is no text


async def _awaited(answer: Any) -> Any:
    return await answer


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """Run one event loop in a thread of its own.

    So async judges keep their connections between questions, and can be asked where an event loop runs already.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="trajectory-judge", daemon=True).start()
    return loop


def as_judge(value: Any) -> Judge:
    """Make a judge of what a user gives.

    Args:
        value: An object with ``ask(prompt)``, or a callable; either may be async. A class is called without arguments.

    Returns:
        The judge.

    Raises:
        ConfigurationError: It is none of these, or a class that cannot be called so.
    """
    made = _made(value) if isinstance(value, type) else value
    ask = getattr(made, "ask", None)
    call = ask if callable(ask) else made
    if not callable(call):
        raise ConfigurationError(
            f"expected a judge, an object with ask(prompt) or a callable (prompt), found {describe(value)}"
        )
    return _GivenJudge(made, call)


def _made(value: type) -> Any:
    try:
        return value()
    except Exception as problem:
        raise ConfigurationError(
            f"the judge {value.__name__} cannot be made: {type(problem).__name__}: {problem}"
        ) from problem
