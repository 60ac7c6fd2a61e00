"""Where the agent of a run comes from: a recording, ``--agent``, the ini option, or the hook of a ``conftest.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from trajectory.errors import AgentError
from trajectory.pytest_plugin.options import AGENT_INI
from trajectory.replay.failures import AgentFailure
from trajectory.replay.importing import import_agent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.evalset import EvalSet
    from trajectory.pytest_plugin.run import Run

NO_AGENT: Final = """no agent to replay the eval set into. Give one in any of these ways:
  --agent module:attribute           a callable (query), an object with start_session(), a class or a factory
  trajectory_agent = module:attribute    the same in the ini file
  def pytest_trajectory_agent(config): return MyAgent    in a conftest.py beside the eval set
  --recorded FILE                    no agent at all: check a recorded run"""


def named_agent(config: pytest.Config) -> Any:
    """Import the agent that the command line or the ini file names, or take the endpoint whose address they give.

    Returns:
        The agent; ``None`` when they name none.

    Raises:
        AgentError: It cannot be imported, or the address is none.
    """
    reference = config.getoption("agent") or config.getini(AGENT_INI)
    if reference and reference.startswith(("http://", "https://")):
        from trajectory.replay.adapters.endpoint import ChatEndpoint  # noqa: PLC0415 - only for who wants it

        return ChatEndpoint.at(reference)
    return import_agent(reference, folder=config.invocation_params.dir) if reference else None


def hooked_agent(hooks: Iterable[Any], config: pytest.Config, eval_set: EvalSet | None) -> Any:
    """Ask the ``conftest.py`` files for the agent.

    Args:
        hooks: The hooks as seen from the places that may give the agent, the nearest first.
        config: The configuration of the run.
        eval_set: The eval set that the agent is for.

    Raises:
        AgentError: None of them gives one, or one of them raises.
    """
    for hook in hooks:
        try:
            agent = hook.pytest_trajectory_agent(config=config, eval_set=eval_set)
        except Exception as problem:
            failure = AgentFailure.of(problem)
            why = failure.text.removeprefix("the agent raised ")
            lines = [f"the hook pytest_trajectory_agent raised {why}", *failure.details]
            raise AgentError("\n  ".join(lines)) from problem
        if agent is not None:
            return agent
    raise AgentError(NO_AGENT)


def agent_for_test(request: pytest.FixtureRequest, run: Run | None) -> Any:
    """Find the agent for the fixture of an ordinary test: as for the eval set that feeds it, else as seen from the test."""
    config = request.config
    try:
        if run is not None and run.recorded is not None:
            return run.recorded
        agent = run.named_agent if run is not None else named_agent(config)
        if agent is not None:
            return agent
        beside_the_sets = list(run.hooks.values()) if run is not None else []
        return hooked_agent([*beside_the_sets, request.node.ihook], config, None)
    except AgentError as problem:
        raise pytest.fail.Exception(str(problem), pytrace=False) from None
