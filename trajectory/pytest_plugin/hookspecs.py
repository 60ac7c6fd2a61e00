"""The hooks that a ``conftest.py`` implements: to give its agent, and to redact what is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from trajectory.evalset import EvalSet


@pytest.hookspec(firstresult=True)
def pytest_trajectory_agent(config: pytest.Config, eval_set: EvalSet | None) -> Any:
    """Return the agent that an eval set is replayed into; the ``conftest.py`` nearest to the eval set wins.

    Args:
        config: The configuration of the run.
        eval_set: The eval set; ``None`` when a test asks for the agent without one.

    Returns:
        An agent, or a class or function without parameters that makes one; ``None`` to leave it to somebody else.
    """


@pytest.hookspec(firstresult=True)
def pytest_trajectory_judge(config: pytest.Config) -> Any:
    """Return the LLM judge for rules that ask one.

    Args:
        config: The configuration of the run.

    Returns:
        A callable that takes a prompt, or an object with ``ask(prompt)``; ``None`` to leave it to somebody else.
    """


@pytest.hookspec(firstresult=True)
def pytest_trajectory_redact(config: pytest.Config, text: str) -> str | None:
    """Take out of a text what must not be written when threads are recorded (``--record``).

    Args:
        config: The configuration of the run.
        text: A text of a recorded thread, in which the usual secrets are masked already.

    Returns:
        The text to write; ``None`` to leave it as it is.
    """
