"""The run of a test session: what is replayed into whom, under which settings, and what each item reports of it."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pytest

from trajectory.errors import AgentError, ConfigurationError, EvaluationError, TrajectoryError
from trajectory.evaluations import Outcome
from trajectory.evaluations.judged import NO_JUDGE
from trajectory.judges import set_judge
from trajectory.node_names import node_name
from trajectory.pytest_plugin.agents import hooked_agent, named_agent
from trajectory.pytest_plugin.item_records import ItemRecords
from trajectory.pytest_plugin.items import EvalSetFile, ThreadItem, Unpassed
from trajectory.pytest_plugin.judges import judge_of
from trajectory.pytest_plugin.ledger import Ledger
from trajectory.pytest_plugin.live_line import LiveLine
from trajectory.pytest_plugin.options import AGENT_INI, COLLECT_INI, EVALSET_SUFFIX, read_sources
from trajectory.pytest_plugin.recording import Recorder
from trajectory.pytest_plugin.records import WORK
from trajectory.pytest_plugin.results import Results
from trajectory.pytest_plugin.scheduling import Scheduler
from trajectory.replay import as_agent
from trajectory.report import Progress
from trajectory.suite import (
    GateSource,
    LoadedEvalSet,
    LoadedRun,
    PairBy,
    absolute,
    find_files,
    gate_names,
    gate_source,
    load,
    load_recorded_run,
    refuse_shared_ids,
    refuse_unknown_tags,
    run_warnings,
    unmatched_reason,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from trajectory.conversation import ConversationThread
    from trajectory.judges import JudgeInForce
    from trajectory.replay import Agent, RecordedRun
    from trajectory.settings import Settings

_NOT_KEPT: Final = "the results hold nothing of ordinary tests, which judge by themselves: only their gates"


class Run:
    """Everything that a session knows of its eval sets.

    Attributes:
        config: The configuration of the session.
        eval_sets: The eval sets that were named on the command line.
        feeds_tests: Test paths were given too, so the eval sets of ``--evalset`` feed `conversation_thread`.
        hooks: For each eval set that was collected, the hooks as seen from it.
        uncounted_turns: How many turns did not say what the budget counts.
        live_turns: How many turns called live tools where the recording had no answer.
        used: The eval sets that an item or a test makes use of, as messages call them.
        counts: For each group of threads that is gated together, how many this session was to do.
        thread_items: The ids of the items that this process is to do, and that replay a thread.
        progress: What is told how far the run is.
        recording: The recorded runs that are checked instead of an agent.
        named_agent: The agent that the command line or the ini file names.
        results: The results of the run in a file, if they are kept.
        scheduler: What runs the threads.
        recorder: What writes eval sets, in record mode.
        records: What puts records on items.
        judge: The LLM judge that rules ask, if one does.
        same_model_turns: How many turns the judge judged that its own model had answered.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.folder = config.invocation_params.dir
        self.command_line, self.ini = read_sources(config)
        self.tags: list[str] = config.getoption("evalset_tag") or []
        self.eval_sets: list[LoadedEvalSet] = []
        self.feeds_tests = False
        self.recording: LoadedRun | None = None
        self.named_agent: Any = None
        self.agent_name: str = config.getoption("agent") or config.getini(AGENT_INI) or ""
        self.paths: list[str] = []
        self._asked: list[Path] = []
        self._owners: dict[str, str] = {}
        self._named: list[Path] = []
        self.counts: Counter[str] = Counter()
        self.thread_items: set[str] = set()
        self.progress = Progress(None, 0)
        self._gate_names: dict[Path, str] = {}
        self._hooked: dict[Path, Any] = {}
        self._gates: dict[Path, GateSource] = {}
        self._settings: dict[str, Settings] = {}
        self.hooks: dict[Path, Any] = {}
        self.results: Results | None = None
        self.scheduler: Scheduler
        self.recorder: Recorder | None = None
        self.records = ItemRecords(self)
        self.judge: JudgeInForce | None = None
        self.same_model_turns = 0
        self.used: set[str] = set()
        self.uncounted_turns = 0
        self.live_turns = 0

    @classmethod
    def start(cls, config: pytest.Config) -> Run:
        """Load everything that the command line names, and refuse what is wrong with it before any agent is called.

        Raises:
            pytest.UsageError: Something is wrong with it.
        """
        run = cls(config)
        try:
            run._find_paths()
            run._load()
            run.results = Results.of(config, run.agent_shown)
            run.scheduler = Scheduler(run)
            run.recorder = Recorder.of(config)
            if run.recorder is not None:
                run.recorder.check(run.eval_sets)
            if not hasattr(config, "workerinput"):  # a worker of xdist reports, and decides nothing
                ledger = Ledger(run)
                config.pluginmanager.register(ledger, "trajectory-ledger")
                config.pluginmanager.register(LiveLine(run, ledger.find), "trajectory-live-line")
        except TrajectoryError as problem:
            raise pytest.UsageError(str(problem)) from None
        return run

    def _find_paths(self) -> None:
        """Tell eval sets from test paths; with nothing else given, pytest collects the eval sets alone."""
        config = self.config
        self._asked = find_files(config.getoption("evalset") or [], folder=self.folder, option="--evalset")
        given = config.args if config.args_source is config.ArgsSource.ARGS else []
        paths = {argument: absolute(argument.partition("::")[0], self.folder) for argument in given}
        named = [
            argument for argument, path in paths.items() if path.name.endswith(EVALSET_SUFFIX) or path in self._asked
        ]
        self.paths = list(paths)
        self._named = [paths[argument] for argument in named]
        self.feeds_tests = bool(self._asked) and len(named) < len(paths)
        if self._asked:
            # Where they only feed tests, collecting them still makes pytest load the conftest.py files beside them.
            tests = given if self.feeds_tests else named
            config.args[:] = tests + [str(path) for path in self._asked if path not in self._named]

    def _load(self) -> None:
        paths = dict.fromkeys([*self._asked, *(path for path in self._named if path.is_file())])
        for path in paths:
            self._add(path)
        if self.eval_sets:
            refuse_unknown_tags(self.eval_sets, self.tags)
        recorded = self.config.getoption("recorded")
        if recorded and self.config.getoption("agent"):
            raise pytest.UsageError("--agent and --recorded: give one of them, a run is either live or recorded")
        if recorded:
            files = find_files(recorded, folder=self.folder, option="--recorded")
            self.recording = load_recorded_run(files, self.folder, PairBy.parse(self.config.getoption("pair_by")))
            self.recording.pair(self.eval_sets)
        else:
            self.named_agent = named_agent(self.config)
            if self.named_agent is not None:
                as_agent(self.named_agent)  # refuses what is none before anything is run

    def _find_judge(self, loaded: LoadedEvalSet) -> None:
        """Put the judge in force that the rules ask; nobody is asked for one, or called, where none does."""
        asking = loaded.asking_rule(self.command_line, self.ini)
        if asking is None or self.judge is not None or self.config.getoption("record"):
            return
        judge = judge_of(self.config)
        if judge is None:
            raise ConfigurationError(f"the rule {asking} asks an LLM judge, and {NO_JUDGE}")
        self.judge = judge
        before = set_judge(judge)

        def restore() -> None:
            set_judge(before)

        self.config.add_cleanup(restore)

    @property
    def asked(self) -> list[LoadedEvalSet]:
        """The eval sets that were given with ``--evalset``."""
        return [loaded for loaded in self.eval_sets if loaded.path in self._asked]

    @property
    def recorded(self) -> RecordedRun | None:
        """The recorded run that is checked instead of an agent."""
        return self.recording.run if self.recording else None

    @property
    def agent_shown(self) -> str:
        """Name what the threads are replayed into."""
        if self.recording is not None:
            return f"{self.recording.name} ({', '.join(self.recording.formats)})"
        return f"agent {self.agent_name}" if self.agent_name else "agent of the hook pytest_trajectory_agent"

    def breaches(self) -> list[str]:
        """Say what keeps the run from passing, whatever the threads come to."""
        unwritten = [*self.recorder.problems] if self.recorder is not None else []
        unwritten += [self.results.problem] if self.results is not None and self.results.problem else []
        if self.recording is None:
            return unwritten
        name, alone = self.recording.name, self.recording.alone
        found = [*unwritten, *([f"{name} is incomplete (see the notes at the top)"] * self.recording.incomplete)]
        if alone and not self.config.getoption("allow_unmatched"):
            found.append(unmatched_reason(name, alone))
        return found

    def warnings(self) -> list[str]:
        """Say which settings have no effect, or not the whole."""
        untold = self.feeds_tests and self.results is not None and self.results.path is not None
        of_run = run_warnings(
            self.eval_sets,
            self.command_line,
            self.ini,
            uncounted_turns=self.uncounted_turns,
            live_turns=self.live_turns,
            same_model_turns=self.same_model_turns,
        )
        return [*([_NOT_KEPT] * untold), *of_run]

    # ------------------------------------------------------------------------------------------------- collection

    def collects(self, path: Path, *, named: bool) -> bool:
        """Tell whether a file is collected as an eval set."""
        if path in self._named or path in self._asked:
            return True
        return path.name.endswith(EVALSET_SUFFIX) and (named or bool(self.config.getini(COLLECT_INI)))

    def collect(self, file: EvalSetFile) -> LoadedEvalSet | None:
        """Return the eval set of a collected file; nothing when it only feeds tests.

        Raises:
            ConfigurationError: It lay in a collected folder, is loaded only now, and is wrong.
        """
        known = next((loaded for loaded in self.eval_sets if loaded.path == file.path), None)
        loaded = known or self._add(file.path)
        self.hooks[loaded.path] = file.ihook
        if self.feeds_tests and file.path in self._asked and file.path not in self._named:
            return None
        self.used.add(loaded.shown)
        return loaded

    def _add(self, path: Path) -> LoadedEvalSet:
        loaded = load(path, folder=self.folder, tags=self.tags, number=len(self.eval_sets))
        refuse_shared_ids(loaded, self._owners)
        loaded.refuse_contradictions(self.command_line, self.ini)
        self._find_judge(loaded)
        self.eval_sets.append(loaded)
        if self.recording is not None:
            self.recording.pair(self.eval_sets)
        return loaded

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Let a test run once per thread of the eval sets that feed tests."""
        pairs = [(loaded, index) for loaded in self.asked for index in range(len(loaded.threads))]
        self.used.update(loaded.shown for loaded in self.asked)
        ids = [node_name(loaded.threads[index].id) for loaded, index in pairs]
        metafunc.parametrize("conversation_thread", pairs, ids=ids, indirect=True)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Count what is to be done, after everybody has deselected what they want; refuse to start without an agent."""
        if self.recorder is not None:
            self._leave_out_recorded(self.recorder, items)
        groups = {item.nodeid: group for item in items if (group := self.group_of(item))}
        self.counts, self.thread_items = Counter(groups.values()), set(groups)
        self.scheduler.take_in(items)
        if hasattr(self.config, "workerinput") or self.config.option.collectonly:
            return  # in an xdist worker each thread says so itself: a worker cannot refuse
        for loaded in {item.loaded for item in items if isinstance(item, ThreadItem)}:
            self._refuse_without_agent(loaded)

    def _leave_out_recorded(self, recorder: Recorder, items: list[pytest.Item]) -> None:
        """Leave only the threads that are to be recorded."""
        wanted = [item for item in items if isinstance(item, ThreadItem) and recorder.wants(item)]
        if not wanted and items:
            raise pytest.UsageError("--record new: every thread is recorded already (--record all records them again)")
        self.config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted

    def _refuse_without_agent(self, loaded: LoadedEvalSet) -> None:
        try:
            self.agent_for(loaded)
        except AgentError as problem:
            raise pytest.UsageError(str(problem)) from None

    def group_of(self, item: pytest.Item) -> str:
        """Name what an item is gated together with; nothing for items that replay no thread."""
        if isinstance(item, ThreadItem):
            return self._gate_name(item.loaded)
        call = getattr(item, "callspec", None)
        if call is None or not isinstance(pair := call.params.get("conversation_thread"), tuple):
            return ""
        return self.gate_of(pair[0]).name_of(item.nodeid.removesuffix(f"[{call.id}]"))

    def _gate_name(self, loaded: LoadedEvalSet) -> str:
        """Name what an eval set is gated together with, by the rules in force for it."""
        if self.recorder is not None:
            return "recording"
        if loaded.path not in self._gate_names or len(self._gate_names) < len(self.eval_sets):
            self._gate_names = gate_names(self.eval_sets, self.command_line, self.ini)
        return self._gate_names[loaded.path]

    # ---------------------------------------------------------------------------------------------------- running

    def gate_of(self, loaded: LoadedEvalSet) -> GateSource:
        """Return what the threads of an eval set must reach."""
        if self.recorder is not None:
            return GateSource(Decimal(1), 0, None)  # nothing is judged: every thread must be recorded
        if loaded.path not in self._gates:
            self._gates[loaded.path] = gate_source(loaded, self.command_line, self.ini)
        return self._gates[loaded.path]

    def settings_for(self, loaded: LoadedEvalSet, thread: ConversationThread) -> Settings:
        """Return what is in force for a thread."""
        if thread.id not in self._settings:
            self._settings[thread.id] = loaded.settings_for(thread, self.command_line, self.ini)
        return self._settings[thread.id]

    def agent_for(self, loaded: LoadedEvalSet) -> Agent:
        """Return the agent for an eval set.

        Raises:
            AgentError: There is none, or what was given is none.
        """
        given = self.recorded if self.recorded is not None else self.named_agent
        if given is None and loaded.path not in self._hooked:
            self._hooked[loaded.path] = hooked_agent([self.hooks[loaded.path]], self.config, loaded.eval_set)
        return as_agent(self._hooked[loaded.path] if given is None else given)

    def take_up(self, item: pytest.Item, pair: tuple[LoadedEvalSet, int]) -> ConversationThread:
        """Hand a thread to an ordinary test and put its record on the item."""
        loaded, index = pair
        self.records.of(item, loaded, index).attach(item)
        return loaded.threads[index]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Explain a thread that did not pass; tell a test that found no verdict from one that found a bad one."""
        report = yield
        raised = call.excinfo.value if call.excinfo is not None else None
        if isinstance(raised, Unpassed):
            report.longrepr = raised.explanation
        elif isinstance(raised, EvaluationError):
            report.user_properties.append(("outcome", str(Outcome.ERROR.value)))
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell the process that decides what there was to do, and which eval sets somebody made use of (xdist)."""
        self.scheduler.stop()
        self.uncounted_turns += self.scheduler.budget.uncounted_turns
        self.live_turns += self.scheduler.budget.live_turns
        self.same_model_turns += self.judge.same_model if self.judge is not None else 0
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[WORK] = {
                "used": sorted(self.used),
                "counts": dict(self.counts),
                "uncounted_turns": self.uncounted_turns,
                "live_turns": self.live_turns,
                "same_model_turns": self.same_model_turns,
            }

    def hear(self, work: dict[str, Any]) -> None:
        """Take in what a worker tells."""
        self.used.update(work["used"])
        self.uncounted_turns += work["uncounted_turns"]
        self.live_turns += work["live_turns"]
        self.same_model_turns += work["same_model_turns"]
        self.counts.update({group: count for group, count in work["counts"].items() if group not in self.counts})
