"""Eval sets as pytest files, conversation threads as pytest items.

What can go wrong without being a verdict happens in ``setup``, so that pytest calls it an error; ``runtest`` only
pronounces the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from trajectory.errors import AgentError, ConfigurationError, EvaluationError
from trajectory.evaluations import Outcome
from trajectory.node_names import node_name
from trajectory.pytest_plugin.hooks import RUN
from trajectory.pytest_plugin.results import entry_of
from trajectory.replay import replay
from trajectory.report import explain_thread, headline
from trajectory.running import Interrupts, RunHalted, given_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajectory.conversation import ConversationThread
    from trajectory.pytest_plugin.recording import Recorder
    from trajectory.pytest_plugin.run import Run
    from trajectory.settings import Settings
    from trajectory.suite import LoadedEvalSet

_NOT_AS_MARKS: Final = frozenset(
    {
        "anyio",
        "asyncio",
        "dependency",
        "django_db",
        "evalset",
        "filterwarnings",
        "flaky",
        "no_cover",
        "order",
        "parametrize",
        "repeat",
        "skip",
        "skipif",
        "timeout",
        "trio",
        "tryfirst",
        "trylast",
        "usefixtures",
        "xdist_group",
        "xfail",
    }
)
"""Tags that would change what pytest or a common plugin does with an item: such a thread keeps them as keywords only."""


class EvalSetFile(pytest.File):
    """An eval set."""

    def collect(self) -> Iterator[ThreadItem]:
        """Yield an item for every thread."""
        run = self.config.stash[RUN]
        try:
            loaded = run.collect(self)
        except ConfigurationError as problem:
            raise self.CollectError(str(problem)) from None
        threads = loaded.threads if loaded else ()
        _register_marks(self.config, {tag for thread in threads for tag in thread.tags if _is_mark(tag)})
        for index, thread in enumerate(threads):
            yield ThreadItem.from_parent(self, name=node_name(thread.id), run=run, loaded=loaded, index=index)


def _is_mark(tag: str) -> bool:
    """Tell whether ``-m`` may select by a tag: that mark has no meaning of its own."""
    return tag not in _NOT_AS_MARKS and not tag.startswith("_")


def _register_marks(config: pytest.Config, tags: set[str]) -> None:
    """Register the tags of a file as marks, all at once: pytest reads the whole list again for each that it misses."""
    known = {line.partition(":")[0].partition("(")[0].strip() for line in config.getini("markers")}
    for tag in sorted(tags - known):
        config.addinivalue_line("markers", f"{tag}: a tag of conversation threads")


class Unpassed(Exception):  # noqa: N818 - an outcome, not an error
    """A thread that did not pass; the run shows its explanation in the place of a traceback."""

    def __init__(self, explanation: str) -> None:
        super().__init__(explanation.partition("\n")[0])
        self.explanation = explanation


@dataclass(frozen=True, slots=True)
class CameTo:
    """What a thread came to.

    Attributes:
        outcome: Its outcome.
        headline: It in one line.
        explanation: Why it is no pass; empty when it is one.
    """

    outcome: Outcome
    headline: str
    explanation: str


class ThreadItem(pytest.Item):
    """A conversation thread that is replayed into the agent."""

    def __init__(self, *, run: Run, loaded: LoadedEvalSet, index: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.run = run
        self.loaded = loaded
        self.index = index
        self.thread: ConversationThread = loaded.threads[index]
        self.came_to: CameTo | None = None
        self.was_planned = False
        self.add_marker("evalset")
        self.extra_keyword_matches.update(self.thread.tags)
        for tag in filter(_is_mark, self.thread.tags):
            self.add_marker(tag)

    def setup(self) -> None:
        """Replay the thread and judge what the agent did; or take up what an earlier run has come to."""
        self.came_to = None
        settings = self.run.settings_for(self.loaded, self.thread)
        recorder = self.run.recorder
        self.came_to = self._record(recorder, settings) if recorder else self._kept(settings) or self._run(settings)
        if self.came_to.outcome is Outcome.ERROR:
            raise Unpassed(self.came_to.explanation)
        if self.came_to.outcome is Outcome.SKIPPED:
            pytest.skip(self.came_to.headline)

    @property
    def is_kept(self) -> bool:
        """Whether an earlier run has come to a result that still holds."""
        settings = self.run.settings_for(self.loaded, self.thread)
        return self.run.results is not None and self.run.results.kept_of(self.loaded, self.thread, settings) is not None

    def _kept(self, settings: Settings) -> CameTo | None:
        results = self.run.results
        entry = None if results is None else results.kept_of(self.loaded, self.thread, settings)
        if entry is None or results is None:
            return None
        self.run.records.of_kept(self, entry)
        results.attach(self, entry)
        deciding = next((run for run in entry.runs if run.outcome is entry.outcome), entry.runs[0])
        return CameTo(entry.outcome, entry.headline, f"{deciding.explanation}\nnote: kept from an earlier run")

    def _run(self, settings: Settings) -> CameTo:
        try:
            with Interrupts():
                runs = self.run.scheduler.run(self)
        except AgentError as problem:
            raise pytest.fail.Exception(str(problem), pytrace=False) from None
        except pytest.fail.Exception as timeout:  # of a plugin, while a thread that was begun ahead was waited for
            runs = given_up(self.thread, settings, timeout)
        except RunHalted as halted:
            self.run.records.of_halted(self)
            pytest.skip(f"not run: {halted}")
        self.run.records.of_runs(self, runs)
        if self.run.results is not None:
            self.run.results.attach(self, entry_of(runs, self.loaded, self.thread, settings))
        passed = runs.outcome is Outcome.PASSED
        return CameTo(runs.outcome, headline(runs.deciding), "" if passed else explain_thread(runs.deciding))

    def _record(self, recorder: Recorder, settings: Settings) -> CameTo:
        """Replay the thread and keep what the agent does; nothing is judged."""
        try:
            agent = self.run.agent_for(self.loaded)
        except AgentError as problem:
            raise pytest.fail.Exception(str(problem), pytrace=False) from None
        replayed = replay(agent, self.thread, turn_timeout=settings.turn_timeout)
        try:
            recorder.attach(self, replayed)
        except EvaluationError as problem:
            self.run.records.of_recorded(self, Outcome.ERROR)
            return CameTo(Outcome.ERROR, "", f"not recorded: {problem}\nthread {self.thread.id}")
        self.run.records.of_recorded(self, Outcome.PASSED)
        return CameTo(Outcome.PASSED, "recorded", "")

    def runtest(self) -> None:
        """Pronounce the verdict."""
        if self.came_to is not None and self.came_to.outcome is Outcome.FAILED:
            raise Unpassed(self.came_to.explanation)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Say where the thread stands."""
        return self.path, None, f"thread {self.name}"
