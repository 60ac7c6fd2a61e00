"""Find and open what a run needs: eval sets, the agent, the LLM judge."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajectory.errors import ConfigurationError, EvalSetError
from trajectory.evalset import EvalSet, eval_set_of, load_eval_set
from trajectory.evalset.model import Origin
from trajectory.evaluations.judged import NO_JUDGE
from trajectory.judges import JudgeCache, JudgeInForce, as_judge
from trajectory.judges.settings import read_judge_settings
from trajectory.recordings import load_recordings
from trajectory.recordings.loading import files_of
from trajectory.replay.importing import import_agent
from trajectory.settings import Settings
from trajectory.suite.loading import (
    LoadedEvalSet,
    find_files,
    refuse_nothing,
    refuse_shared_ids,
    refuse_unknown_tags,
    refuse_unknown_threads,
    select,
    shown_path,
)
from trajectory.suite.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajectory.suite.sources import Source

_NO_INI = Settings.model_construct()


def open_eval_sets(
    given: Sequence[str | os.PathLike[str] | EvalSet],
    stated: Settings,
    *,
    folder: Path,
    tags: Sequence[str] = (),
    ids: Sequence[str] = (),
) -> list[LoadedEvalSet]:
    """Load eval sets and select their threads; recordings may stand for what they were recorded from.

    Args:
        given: Files, globs, or eval sets.
        stated: What is stated for all of them.
        folder: What relative names are relative to.
        tags: When given, only threads with one of these tags are taken.
        ids: When given, only threads with one of these ids are taken.

    Returns:
        The eval sets.

    Raises:
        ConfigurationError: One cannot be read, two threads have one id, settings contradict each other, nobody has such a
            tag or id, or no thread is left.
    """
    found: list[LoadedEvalSet] = []
    owners: dict[str, str] = {}
    names = Counter[str]()
    for eval_set, path, name in _sets(given, folder):
        names[name] += 1
        shown = name if names[name] == 1 else f"{name} ({names[name]})"  # eval sets from code may share their names
        loaded = select(eval_set, path, shown, number=len(found), tags=tags, ids=ids)
        refuse_shared_ids(loaded, owners)
        loaded.refuse_contradictions(stated, _NO_INI)
        found.append(loaded)
    refuse_unknown_tags(found, tags)
    refuse_unknown_threads(found, ids)
    refuse_nothing(found)
    return found


def open_recordings(given: Sequence[str], eval_sets: Sequence[LoadedEvalSet]) -> list[Source]:
    """Open recordings that are checked against eval sets.

    Args:
        given: Files, folders or globs.
        eval_sets: The eval sets.

    Returns:
        The recordings.

    Raises:
        ConfigurationError: One cannot be read, or is an eval set itself: that holds whatever it expects.
    """
    own = {loaded.path.resolve() for loaded in eval_sets}
    for one in filter(str.strip, given):
        for file in files_of(one):
            where = Path(file).resolve()
            if own & {where, *where.parents}:
                raise ConfigurationError(
                    f"{file}: this is the eval set itself, which holds whatever it expects; name recorded runs"
                )
    return [open_source(one) for one in given]


def _sets(given: Sequence[str | os.PathLike[str] | EvalSet], folder: Path) -> Iterator[tuple[EvalSet, Path, str]]:
    taken = set[Path]()
    for number, one in enumerate(given):
        if isinstance(one, EvalSet):
            shown = one.path or one.id or f"eval set {number + 1}"
            yield one, folder / f"{number}" / shown, shown
            continue
        for path in find_files([os.fsdecode(one)], folder=folder, option="the eval set"):
            if path in taken:  # named twice, or by a glob as well
                continue
            taken.add(path)
            shown = shown_path(path, folder)
            yield _read(shown if folder == Path.cwd() else str(path)), path, shown


def _read(file: str) -> EvalSet:
    """Read an eval set, or a recording as one: what was done becomes what is expected."""
    if Path(file).is_dir():
        return _of_recording(file)
    try:
        return load_eval_set(file)
    except EvalSetError as problem:
        if file.endswith(".evalset.json"):
            raise
        try:
            return _of_recording(file)
        except EvalSetError:
            raise problem from None


def _of_recording(file: str) -> EvalSet:
    found = load_recordings(file)
    if found.incomplete:
        raise ConfigurationError(f"{file}: an incomplete recording says too little to check others: {found.notes[0]}")
    note = f"{file}: what was recorded ({found.format}) is what is expected"
    made = eval_set_of(found.threads, id=Path(file).stem)
    return made.read_from(Origin(file, found.format, (note, *found.notes)))


def find_agent(reference: str, folder: Path) -> Any:
    """Import the agent that is named, or take the endpoint whose address is given.

    Raises:
        AgentError: It cannot be imported, or the address is none.
    """
    if reference.startswith(("http://", "https://")):
        from trajectory.replay.adapters.endpoint import ChatEndpoint  # noqa: PLC0415 - only for who wants it

        return ChatEndpoint.at(reference)
    return import_agent(reference, folder=folder)


@contextmanager
def judge_for(
    eval_sets: Sequence[LoadedEvalSet],
    stated: Settings,
    *,
    given: Any = None,
    folder: Path,
    cache: str | os.PathLike[str] | None = None,
) -> Iterator[JudgeInForce | None]:
    """Find the LLM judge, where a rule in force asks one: the one that is given, or the one that the settings configure.

    Args:
        eval_sets: The eval sets.
        stated: What is stated for all of them.
        given: A judge, or ``module:attribute``; ``None`` for what ``pyproject.toml`` and the environment say.
        folder: Where ``pyproject.toml`` and modules are looked for.
        cache: The file in which answers are kept, if they are.

    Yields:
        The judge; ``None`` where nobody asks one.

    Raises:
        ConfigurationError: A rule asks one and there is none, or what is given is none.
    """
    asking = next(filter(None, (loaded.asking_rule(stated, _NO_INI) for loaded in eval_sets)), None)
    if asking is None:
        yield None
        return
    found = _judge(given, folder)
    if found is None:
        raise ConfigurationError(f"the rule {asking} asks an LLM judge, and {NO_JUDGE}")
    if cache is not None:
        found.cache = JudgeCache(folder / cache)
    try:
        yield found
    finally:
        if found.cache is not None and cache is not None:
            found.cache.close()
        if given is None:
            found.judge.close()  # type: ignore[attr-defined]  # it is the one behind the endpoint


def _judge(given: Any, folder: Path) -> JudgeInForce | None:
    if isinstance(given, JudgeInForce):
        return given
    if isinstance(given, str):
        return JudgeInForce(as_judge(import_agent(given, folder=folder, what="judge")), {"judge": given})
    if given is not None:
        kind = given if hasattr(given, "__qualname__") else type(given)
        return JudgeInForce(as_judge(given), {"judge": f"{kind.__module__}:{kind.__qualname__}"})
    settings = read_judge_settings(pyproject=folder / "pyproject.toml")
    if settings is None:
        return None
    from trajectory.judges.http import HttpJudge  # noqa: PLC0415 - an extra, imported when it is used

    return JudgeInForce(HttpJudge(settings), settings.identity)
