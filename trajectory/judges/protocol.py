"""What a judge is: anything that answers a prompt with a text."""

from __future__ import annotations

import asyncio
import inspect
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


class _CallableJudge:
    def __init__(self, call: Callable[[str], Any]) -> None:
        self._call = call
        self.model = getattr(call, "model", None)

    def ask(self, prompt: str) -> str:
        answer: Any = self._call(prompt)
        text: str = asyncio.run(_awaited(answer)) if inspect.isawaitable(answer) else answer
        return text  # whoever reads the verdict refuses what is no text


async def _awaited(answer: Any) -> Any:
    return await answer


def as_judge(value: Any) -> Judge:
    """Make a judge of what a user gives.

    Args:
        value: An object with ``ask(prompt)``, or a callable; either may be async. A class is called without arguments.

    Returns:
        The judge.

    Raises:
        ConfigurationError: It is none of these.
    """
    made = value() if isinstance(value, type) else value
    ask = getattr(made, "ask", None)
    if callable(ask):
        return made if not inspect.iscoroutinefunction(ask) else _named(_CallableJudge(ask), made)
    if callable(made):
        return _CallableJudge(made)
    raise ConfigurationError(
        f"expected a judge, an object with ask(prompt) or a callable (prompt), found {describe(value)}"
    )


def _named(judge: _CallableJudge, source: Any) -> Judge:
    judge.model = getattr(source, "model", None)
    return judge
