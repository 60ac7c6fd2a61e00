"""Records cut down to what gates and totals look at, for runs of which not everything can be held in memory."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from trajectory.evaluations import Outcome
from trajectory.runs.building import SettingsFacts, clean, verdict_entries
from trajectory.runs.records import MatchEntry, OverlapEntry, RunEntry, ThreadEntry, TurnEntry, TurnSide

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread, Trace
    from trajectory.evaluations import ThreadResult, TurnResult
    from trajectory.running import ThreadRuns
    from trajectory.settings import Settings

_NO_SIDE: Final = TurnSide()


def brief_entry(  # noqa: PLR0913 - what a record is made of
    runs: ThreadRuns,
    thread: ConversationThread,
    settings: Settings,
    *,
    eval_set: str,
    facts: SettingsFacts,
    with_overlap: bool,
) -> ThreadEntry:
    """Make the record of a thread that passed, without the texts and the calls of its turns and without a hash of it.

    Nothing is validated: all of it was made here.

    Args:
        runs: What came of it.
        thread: The thread of the eval set.
        settings: What was in force for it.
        eval_set: The file of the eval set, as it is named to people.
        facts: What is known of settings from the records of other threads.
        with_overlap: Whether anybody asks what the expected and the actual calls have in common.

    Returns:
        The record.
    """
    document, hashed = facts.of(settings)
    return ThreadEntry.model_construct(
        id=clean(thread.id),
        eval_set=eval_set,
        content_hash="",
        settings_hash=hashed,
        settings=document,
        outcome=runs.outcome,
        label=runs.label,
        pass_runs=runs.pass_runs,
        repetitions=runs.repetitions,
        must_pass=settings.must_pass,
        runs=tuple(_run(result, with_overlap=with_overlap) for result in runs.runs),
    )


def _run(result: ThreadResult, *, with_overlap: bool) -> RunEntry:
    shared = result.overlap if with_overlap else None
    return RunEntry.model_construct(
        outcome=result.outcome,
        turns=tuple(map(_turn, result.turns)),
        verdicts=verdict_entries(result.verdicts),
        overlap=None if shared is None else OverlapEntry.model_construct(**asdict(shared)),
    )


def _turn(turn: TurnResult) -> TurnEntry:
    match, actual = turn.match, turn.actual
    alone = match is not None and len(turn.verdicts) == 1
    if match is not None and alone and actual is not None and actual.usage is None and turn.outcome is Outcome.PASSED:
        return _plain_turn(turn.number, match.vacuous)
    return TurnEntry.model_construct(
        number=turn.number,
        trace_id="",
        query="",
        outcome=turn.outcome,
        seconds=turn.seconds,
        expected=_NO_SIDE,
        actual=None if turn.actual is None else _side(turn.actual),
        match=None if match is None else _match(vacuous=match.vacuous),
        verdicts=() if alone else verdict_entries(turn.verdicts),
    )


@lru_cache(maxsize=1000)
def _plain_turn(number: int, vacuous: bool) -> TurnEntry:  # noqa: FBT001 - the cache tells them apart by place
    """Make the record of a turn of which there is nothing to say but that it passed; many turns share it."""
    return TurnEntry.model_construct(
        number=number,
        trace_id="",
        query="",
        outcome=Outcome.PASSED,
        expected=_NO_SIDE,
        actual=_NO_SIDE,
        match=_match(vacuous=vacuous),
    )


def _side(trace: Trace) -> TurnSide:
    usage = trace.usage
    if usage is None:
        return _NO_SIDE
    return TurnSide.model_construct(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost_usd=usage.cost_usd
    )


def _match(*, vacuous: bool) -> MatchEntry:
    return MatchEntry.model_construct(mode="", passed=True, vacuous=vacuous)


def brief_of(entry: ThreadEntry) -> ThreadEntry:
    """Cut a record down likewise; of a thread that did not pass, the one line that says why stays."""
    return entry.model_copy(update={"runs": tuple(map(_brief_run, entry.runs)), "description": ""})


def _brief_run(run: RunEntry) -> RunEntry:
    return run.model_copy(update={"turns": tuple(map(_brief_turn, run.turns)), "explanation": "", "notes": ()})


def _brief_turn(turn: TurnEntry) -> TurnEntry:
    match = turn.match
    taken = turn.actual and turn.actual.model_copy(update={"response": None, "calls": ()})
    return turn.model_copy(
        update={
            "query": "",
            "expected": _NO_SIDE,
            "actual": taken,
            "match": None if match is None else match.model_copy(update={"expected": (), "actual": (), "steps": ()}),
        }
    )
