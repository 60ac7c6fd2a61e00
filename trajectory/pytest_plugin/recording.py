"""Record mode: what the agent does today is written into an eval set."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from trajectory.conversation import ConversationThread
from trajectory.errors import ConfigurationError
from trajectory.evalset import load_eval_set, save_eval_set, thread_document
from trajectory.pytest_plugin.records import RECORDED
from trajectory.redaction import Masking
from trajectory.running.recording import is_recorded, recorded_thread

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from trajectory.evalset import EvalSet
    from trajectory.pytest_plugin.items import ThreadItem
    from trajectory.replay import ThreadReplay
    from trajectory.suite import LoadedEvalSet

CHOICES: Final = ("new", "all")
_NATIVE: Final = "native"
_NOT_WITH: Final = ("recorded", "results", "trajectory_resume")


@dataclass(slots=True)
class Recorder:
    """Writes what the agent does into eval sets.

    Attributes:
        how: ``new``: only threads that hold nothing but what the user said; ``all``: every thread, again.
        target: The file to write; ``None`` for that of the eval set itself.
        lines: What was written, for the summary.
        problems: What could not be written.
    """

    config: pytest.Config
    how: str
    target: Path | None
    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _threads: dict[str, dict[str, ConversationThread]] = field(default_factory=dict)
    _masked: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, config: pytest.Config) -> Recorder | None:
        """Prepare what the command line asks for, if it asks to record.

        Raises:
            ConfigurationError: It asks for something else that does not go with it.
        """
        how, target = config.getoption("record"), config.getoption("record_to")
        if not how:
            if target:
                raise ConfigurationError("--record-to: say what to record by --record new or --record all")
            return None
        given = [name for name in _NOT_WITH if config.getoption(name)]
        if given:
            raise ConfigurationError(f"--record: not with --{given[0].removeprefix('trajectory_')}")
        return cls(config, how, config.invocation_params.dir / target if target else None)

    def check(self, eval_sets: Iterable[LoadedEvalSet]) -> None:
        """Refuse eval sets that cannot be written back.

        Raises:
            ConfigurationError: One is of another shape, or there are several and one file to write.
        """
        loaded = list(eval_sets)
        foreign = [one for one in loaded if one.eval_set.shape != _NATIVE or one.path.suffix == ".jsonl"]
        if foreign and self.target is None:
            raise ConfigurationError(
                f"--record: {foreign[0].shown} is no file of the native shape ({foreign[0].eval_set.shape}); "
                "name a file to write by --record-to"
            )
        if len(loaded) > 1 and self.target is not None:
            raise ConfigurationError(f"--record-to: one file cannot hold {len(loaded)} eval sets; record one at a time")

    def wants(self, item: ThreadItem) -> bool:
        """Tell whether a thread is to be recorded."""
        if self.how == "all":
            return True
        kept = self._kept().get(item.thread.id)
        return not is_recorded(item.thread if kept is None else kept)

    def _kept(self) -> dict[str, ConversationThread]:
        """Return the threads that the file to write holds already."""
        if self.target is None or not self.target.exists():
            return {}
        return {thread.id: thread for thread in load_eval_set(self.target).threads}

    def attach(self, item: ThreadItem, replayed: ThreadReplay) -> None:
        """Put the recorded thread on its item, with secrets masked.

        Raises:
            EvaluationError: It cannot be recorded.
        """
        hook = item.ihook.pytest_trajectory_redact
        masking = Masking(lambda text: _redacted(hook(config=self.config, text=text), text))
        original = next(thread for thread in item.loaded.eval_set.threads if thread.id == item.thread.id)
        thread = recorded_thread(replayed).model_copy(update={"evaluation": original.evaluation})
        document = thread_document(thread)
        masked = {**document, "traces": masking.mask(document["traces"])}
        fact = {"eval_set": item.loaded.shown, "thread": masked, "masked": masking.masked}
        item.user_properties.append((RECORDED, json.dumps(fact)))

    # --------------------------------------------------------------------------------- in the process that writes

    def hear(self, properties: Iterable[tuple[str, Any]]) -> None:
        """Take in a recorded thread from the properties of a report."""
        text = next((value for name, value in properties if name == RECORDED), None)
        if text is None:
            return
        fact = json.loads(text)
        thread = ConversationThread.model_validate(fact["thread"])
        self._threads.setdefault(fact["eval_set"], {})[thread.id] = thread
        self._masked.update(fact["masked"])

    def write(self, eval_sets: Iterable[LoadedEvalSet]) -> None:
        """Write the eval sets; a thread that was not recorded stays what it was."""
        for loaded in eval_sets:
            recorded = self._threads.get(loaded.shown, {})
            if recorded:
                self._write(loaded, recorded)

    def _write(self, loaded: LoadedEvalSet, recorded: dict[str, ConversationThread]) -> None:
        path, kept = self.target or loaded.path, self._kept()
        shown = self.config.getoption("record_to") or loaded.shown
        threads = [recorded.get(t.id) or kept.get(t.id) or t for t in loaded.eval_set.threads]
        whole: EvalSet = loaded.eval_set.model_copy(
            update={"threads": tuple(t for t in threads if all(trace.states_expectation for trace in t.traces))}
        )
        try:
            save_eval_set(whole, path)
        except ConfigurationError as problem:
            self.problems.append(f"{shown} could not be written: {problem}")
            return
        self.lines.append(f"recorded {len(recorded)} of {len(loaded.eval_set.threads)} threads into {shown}")
        left = len(threads) - len(whole.threads)
        if left:
            self.lines.append(f"  {left} threads that state no expectation are left out")
        masked = ", ".join(f"{count} x {kind}" for kind, count in sorted(self._masked.items()) if count)
        if masked:
            self.lines.append(f"  masked: {masked}")


def _redacted(answers: Any, text: str) -> str:
    return answers if isinstance(answers, str) else text
