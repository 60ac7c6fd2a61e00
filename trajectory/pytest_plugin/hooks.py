"""The hooks that pytest calls: this module and all that it imports at the top is stdlib and pytest.

pytest loads it in every run of everyone who has the package installed. Only when an eval set is in play is the rest of
the package imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from trajectory.ambient import JUDGES, SOURCES
from trajectory.pytest_plugin import hookspecs
from trajectory.pytest_plugin.options import COLLECT_INI, EVALSET_SUFFIX, add_options, read_sources

if TYPE_CHECKING:
    from pathlib import Path

    from trajectory.conversation import ConversationThread
    from trajectory.pytest_plugin.run import Run

RUN: pytest.StashKey[Run] = pytest.StashKey()
"""The run, in the stash of the config; only there when an eval set is in play."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Have pytest load the ``conftest.py`` files beside the eval sets of ``--evalset`` before anything looks at those.

    They may hold the rules that the eval sets name. Only where the initial files lie is looked for in these paths.
    """
    known = early_config.known_args_namespace
    patterns = getattr(known, "evalset", None)
    if not patterns:
        return
    from glob import glob

    where = early_config.invocation_params.dir
    found = [
        match
        for pattern in patterns
        for match in glob(pattern, root_dir=where, recursive=True) or [pattern]  # noqa: PTH207 - takes absolute patterns
    ]
    known.file_or_dir[:] = [*known.file_or_dir, *(path for path in found if (where / path).exists())]


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook by which a ``conftest.py`` gives its agent."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Start a run when an eval set is in play."""
    config.addinivalue_line("markers", "evalset: replays a recorded conversation thread into an agent")
    token = SOURCES.set(lambda: read_sources(config))
    config.add_cleanup(lambda: SOURCES.reset(token))
    judges = JUDGES.set(lambda: _judge_of(config))
    config.add_cleanup(lambda: JUDGES.reset(judges))
    if not _in_play(config):
        return
    from trajectory.pytest_plugin.run import Run

    run = Run.start(config)
    config.stash[RUN] = run
    config.pluginmanager.register(run, "trajectory-run")


def _judge_of(config: pytest.Config) -> Any:
    from trajectory.pytest_plugin.judges import judge_of

    return judge_of(config)


def _in_play(config: pytest.Config) -> bool:
    asked = config.getoption("evalset") or config.getoption("evalset_tag") or config.getoption("recorded")
    given = any(argument.partition("::")[0].endswith(EVALSET_SUFFIX) for argument in config.args)
    return bool(asked or given or config.getini(COLLECT_INI))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the eval sets that were asked for; others that merely lie in a folder are left alone."""
    run = parent.config.stash.get(RUN, None)
    if run is None or not run.collects(file_path, named=parent.session.isinitpath(file_path)):
        return None
    from trajectory.pytest_plugin.items import EvalSetFile

    collector: pytest.Collector = EvalSetFile.from_parent(parent, path=file_path)
    return collector


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `conversation_thread` once per thread of the eval sets."""
    run = metafunc.config.stash.get(RUN, None)
    if run is None or "conversation_thread" not in metafunc.fixturenames:
        return
    own = [
        mark for mark in metafunc.definition.iter_markers("parametrize") if "conversation_thread" in str(mark.args[:1])
    ]
    if run.feeds_tests and not own:
        run.parametrize(metafunc)


@pytest.fixture
def conversation_thread(request: pytest.FixtureRequest) -> ConversationThread:
    """One conversation thread of the eval sets given with ``--evalset``; the test runs once for each."""
    if not hasattr(request, "param"):
        pytest.fail(
            "the fixture conversation_thread is fed by an eval set: run with --evalset FILE beside the test paths",
            pytrace=False,
        )
    return request.config.stash[RUN].take_up(request.node, request.param)


@pytest.fixture
def trajectory_agent(request: pytest.FixtureRequest) -> Any:
    """The agent: of ``--recorded``, ``--agent``, the ini option or the hook; override this fixture to give another."""
    from trajectory.pytest_plugin.agents import agent_for_test

    return agent_for_test(request, request.config.stash.get(RUN, None))
