"""Find and load the files that the command line names."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from trajectory.conversation import ToolCall
from trajectory.errors import ConfigurationError, did_you_mean
from trajectory.evalset import effective_threads, load_eval_set
from trajectory.json_values import printable
from trajectory.matching import unused_settings
from trajectory.rules import TOOL_TRAJECTORY, find_rule
from trajectory.settings import EVAL_SET_KEYS, THREAD_KEYS, Settings, merge, read_settings, refuse_contradictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajectory.conversation import ConversationThread
    from trajectory.evalset import EvalSet


@dataclass(frozen=True, eq=False)
class LoadedEvalSet:
    """An eval set in play.

    Attributes:
        path: The file.
        shown: The file as messages call it.
        eval_set: What it holds.
        threads: The threads to run, with the set's own settings laid under theirs.
        number: Its place among the eval sets of the run.
    """

    path: Path
    shown: str
    eval_set: EvalSet
    threads: tuple[ConversationThread, ...]
    number: int

    @cached_property
    def stated(self) -> Settings:
        """What the eval set as a whole states."""
        return read_settings(self.eval_set.evaluation or {}, keys=EVAL_SET_KEYS, source=self.shown)

    @cached_property
    def stated_anywhere(self) -> frozenset[str]:
        """The settings that the eval set or one of its threads states."""
        keys = set(self.stated.model_fields_set)
        for thread in self.threads:
            keys.update(thread.evaluation or ())
        return frozenset(keys)

    def unused(self, command_line: Settings, ini: Settings) -> list[str]:
        """Say which settings nothing in the recorded calls uses: most likely they are misspelt."""
        settings = merge(command_line, self.stated, ini)
        policy, ignored = settings.arguments, settings.ignore_tools
        if not (policy.tools or policy.ignore_paths or ignored):
            return []
        traces = [trace for thread in self.eval_set.threads for trace in thread.traces]
        declared = [ToolCall(name=tool.name) for trace in traces for tool in trace.tools]
        warnings = unused_settings(policy, [*(trace.trajectory for trace in traces), declared], ignore_tools=ignored)
        return [f"{self.shown}: {warning}" for warning in warnings]

    def rules_for(self, command_line: Settings, ini: Settings) -> tuple[str, ...]:
        """Name the rules in force for its threads, each once."""
        stated = [thread.evaluation or {} for thread in self.threads] or [self.eval_set.evaluation or {}]
        if "rules" in command_line.model_fields_set or not any("rules" in own for own in stated):
            in_force = [merge(command_line, self.stated, ini)]
        else:
            in_force = [self.settings_for(thread, command_line, ini) for thread in self.threads]
        return tuple(dict.fromkeys(chosen.name for settings in in_force for chosen in settings.rules))

    def refuse_floor_without_calls(self, command_line: Settings, ini: Settings) -> None:
        """Refuse a floor for the F1 of tool calls where the rule that compares them is not in force.

        Raises:
            ConfigurationError: It is not, for any thread.
        """
        floor = merge(command_line, self.stated, ini).min_macro_f1
        if floor is not None and TOOL_TRAJECTORY not in self.rules_for(command_line, ini):
            raise ConfigurationError(
                f"{self.shown}: min_macro_f1 {floor} needs the rule {TOOL_TRAJECTORY}, which is not in force here"
            )

    def asking_rule(self, command_line: Settings, ini: Settings) -> str | None:
        """Name a rule in force that asks an LLM judge, if there is one."""
        names = self.rules_for(command_line, ini)
        return next((name for name in names if (found := find_rule(name)) is not None and found.needs_judge), None)

    def refuse_contradictions(self, command_line: Settings, ini: Settings) -> None:
        """Refuse what the settings in force cannot mean together.

        Raises:
            ConfigurationError: They contradict each other.
        """
        for thread in self.threads:
            settings = self.settings_for(thread, command_line, ini)
            refuse_contradictions(settings, f"{self.shown}: thread {printable(thread.id)}")
        self.refuse_floor_without_calls(command_line, ini)

    def settings_for(self, thread: ConversationThread, command_line: Settings, ini: Settings) -> Settings:
        """Return what is in force for one of its threads; threads that state the same share one object."""
        stated = json.dumps(thread.evaluation, sort_keys=True) if thread.evaluation else ""
        sources, known = self._in_force.get(stated, ((), Settings()))
        if [*map(id, sources)] == [id(command_line), id(ini)]:
            return known
        of_thread = read_settings(thread.evaluation or {}, keys=THREAD_KEYS, source=f"{self.shown}: {thread.id}")
        merged = merge(command_line, of_thread, ini)
        self._in_force[stated] = ((command_line, ini), merged)
        return merged

    @cached_property
    def _in_force(self) -> dict[str, tuple[tuple[Settings, ...], Settings]]:
        """What is in force for threads that state this, from these other sources."""
        return {}


def find_files(patterns: Iterable[str], *, folder: Path, option: str) -> list[Path]:
    """Find the files that an option names, each once, in the order given.

    Args:
        patterns: Paths or globs.
        folder: What relative ones are relative to.
        option: The option, for messages.

    Raises:
        ConfigurationError: One of them matches nothing.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        if not pattern.strip():  # most likely a variable of a shell that is not set; the name of this folder to others
            raise ConfigurationError(f"{option}: expected a file or a glob, found an empty name")
        matches = [pattern] if (folder / pattern).exists() else _matches(pattern, folder)
        if not matches:
            what = "matches no file" if has_magic(pattern) else "does not exist"
            raise ConfigurationError(
                f"{option} {pattern}: {what} (looked in {folder}){_nearest_file(folder / pattern)}"
            )
        found.update(dict.fromkeys(absolute(match, folder) for match in matches))
    return list(found)


def absolute(path: str, folder: Path) -> Path:
    """Write a path the way pytest does: from the root, without ``..``, links not followed."""
    return Path(os.path.normpath(folder / path))


def _matches(pattern: str, folder: Path) -> list[str]:
    return sorted(glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207 - Path.glob refuses absolute patterns


def _nearest_file(missing: Path) -> str:
    siblings = [path.name for path in missing.parent.iterdir()] if missing.parent.is_dir() else []
    hint = did_you_mean(missing.name, siblings)
    return f"; {hint}" if hint else ""


def load(path: Path, *, folder: Path, tags: Sequence[str], number: int) -> LoadedEvalSet:
    """Load an eval set and select its threads.

    Args:
        path: The file.
        folder: Where the run was started.
        tags: When given, only threads with one of these tags are taken.
        number: Its place among the eval sets of the run.

    Raises:
        ConfigurationError: It cannot be read, or has no threads.
    """
    shown = shown_path(path, folder)
    return select(load_eval_set(shown if folder == Path.cwd() else path), path, shown, tags=tags, number=number)


def select(  # noqa: PLR0913 - each with its default
    eval_set: EvalSet, path: Path, shown: str, *, number: int, tags: Sequence[str] = (), ids: Sequence[str] = ()
) -> LoadedEvalSet:
    """Select the threads of an eval set that are to be run.

    Args:
        eval_set: The eval set.
        path: Its file.
        shown: The file as messages call it.
        number: Its place among the eval sets of the run.
        tags: When given, only threads with one of these tags are taken.
        ids: When given, only threads with one of these ids are taken.

    Raises:
        ConfigurationError: It has no threads.
    """
    if not eval_set.threads:
        raise ConfigurationError(f"{shown}: the eval set has no threads, so there is nothing to check")
    chosen = tuple(
        thread
        for thread in effective_threads(eval_set)
        if (not tags or set(tags) & set(thread.tags)) and (not ids or thread.id in ids)
    )
    return LoadedEvalSet(path, shown, eval_set, chosen, number)


def refuse_shared_ids(loaded: LoadedEvalSet, owners: dict[str, str]) -> None:
    """Refuse thread ids that stand in more than one of the files: one of the threads would be lost.

    Args:
        loaded: The eval set that was loaded last.
        owners: For each id the file in which it stands; gets those of this one.

    Raises:
        ConfigurationError: There are such ids.
    """
    for thread in loaded.eval_set.threads:
        other = owners.setdefault(thread.id, loaded.shown)
        if other != loaded.shown:
            raise ConfigurationError(f"the thread id {thread.id!r} stands in {other} and in {loaded.shown}")


def refuse_unknown_tags(eval_sets: Sequence[LoadedEvalSet], tags: Sequence[str]) -> None:
    """Refuse a tag that no thread has: nothing would be checked.

    Raises:
        ConfigurationError: There is such a tag.
    """
    known = Counter(tag for loaded in eval_sets for thread in loaded.eval_set.threads for tag in thread.tags)
    for tag in tags:
        if tag not in known:
            has = f"there are {', '.join(sorted(known))}" if known else "no thread has any tag"
            raise ConfigurationError(f"--evalset-tag {tag}: no thread has this tag ({did_you_mean(tag, known) or has})")


def refuse_unknown_threads(eval_sets: Sequence[LoadedEvalSet], ids: Sequence[str]) -> None:
    """Refuse the id of a thread that no eval set has.

    Raises:
        ConfigurationError: There is such an id.
    """
    known = [thread.id for loaded in eval_sets for thread in loaded.eval_set.threads]
    for identity in ids:
        if identity not in known:
            hint = did_you_mean(identity, known)
            raise ConfigurationError(f"--thread {identity}: no thread has this id{f' ({hint})' if hint else ''}")


def refuse_nothing(eval_sets: Sequence[LoadedEvalSet]) -> None:
    """Refuse to run nothing.

    Raises:
        ConfigurationError: No thread is left of all that the eval sets hold.
    """
    if not any(loaded.threads for loaded in eval_sets):
        raise ConfigurationError(
            "no thread is left to run: no thread has both the tags and the ids that were asked for"
        )


def shown_path(path: Path, folder: Path) -> str:
    """Name a file as messages call it: relative to where the run was started, if it lies there."""
    relative = os.path.relpath(path, folder)
    return str(path) if relative.startswith("..") else relative
