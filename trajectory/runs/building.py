"""Turn what came of threads into the records of a run file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from trajectory.conversation import MalformedArguments, NotRecorded
from trajectory.evaluations import Outcome
from trajectory.matching import ABSENT
from trajectory.runs.hashes import content_hash, hash_of_document, settings_document
from trajectory.runs.records import (
    CallEntry,
    DifferenceEntry,
    MatchEntry,
    OverlapEntry,
    RunEntry,
    StepEntry,
    ThreadEntry,
    TurnEntry,
    TurnSide,
    VerdictEntry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajectory.conversation import ConversationThread, ToolCall, Trace
    from trajectory.evaluations import RuleVerdict, ThreadResult, TurnResult
    from trajectory.matching import Difference, Step, TrajectoryMatch
    from trajectory.running import ThreadRuns
    from trajectory.settings import Settings


class Words(Protocol):
    """Puts what came of threads into words."""

    def headline(self, result: ThreadResult) -> str:
        """Say in one line what came of a thread."""

    def explain_thread(self, result: ThreadResult) -> str:
        """Explain a thread that did not pass."""


@dataclass(slots=True)
class SettingsFacts:
    """What records say of settings, worked out once for those that many threads share."""

    _known: dict[int, tuple[Settings, dict[str, Any], str]] = field(default_factory=dict)

    def of(self, settings: Settings) -> tuple[dict[str, Any], str]:
        """Give settings as plain JSON, and their hash."""
        known = self._known.get(id(settings))
        if known is None:
            document = settings_document(settings)
            known = self._known[id(settings)] = (settings, document, hash_of_document(document))
        return known[1:]


def thread_entry(  # noqa: PLR0913 - each with its default
    runs: ThreadRuns,
    thread: ConversationThread,
    settings: Settings,
    *,
    eval_set: str,
    words: Words,
    facts: SettingsFacts | None = None,
) -> ThreadEntry:
    """Make the record of a thread that was run.

    Args:
        runs: What came of it.
        thread: The thread of the eval set.
        settings: What was in force for it.
        eval_set: The file of the eval set, as it is named to people.
        words: What puts results into words: the module `trajectory.report` does.
        facts: What is known of settings from the records of other threads.

    Returns:
        The record.
    """
    document, hashed = (facts or SettingsFacts()).of(settings)
    return ThreadEntry(
        id=clean(thread.id),
        eval_set=eval_set,
        description=clean(thread.description),
        tags=clean(thread.tags),
        content_hash=content_hash(thread),
        settings_hash=hashed,
        settings=document,
        outcome=runs.outcome,
        label=runs.label,
        pass_runs=runs.pass_runs,
        repetitions=runs.repetitions,
        must_pass=settings.must_pass,
        headline=clean(words.headline(runs.deciding)),
        runs=tuple(_run(result, words) for result in runs.runs),
    )


def _run(result: ThreadResult, words: Words) -> RunEntry:
    return RunEntry(
        outcome=result.outcome,
        session_id=result.session_id,
        turns=tuple(_turn(turn) for turn in result.turns),
        verdicts=verdict_entries(result.verdicts),
        overlap=None if (shared := result.overlap) is None else OverlapEntry(**asdict(shared)),
        surplus=tuple(clean(trace.query) for trace in result.surplus),
        notes=clean(result.notes),
        explanation="" if result.outcome is Outcome.PASSED else clean(words.explain_thread(result)),
    )


def _turn(turn: TurnResult) -> TurnEntry:
    return TurnEntry(
        number=turn.number,
        trace_id=clean(turn.expected.id),
        query=clean(turn.expected.query),
        outcome=turn.outcome,
        reason=clean(turn.reason),
        details=clean(turn.details),
        notes=clean(turn.notes),
        seconds=turn.seconds,
        expected=_side(turn.expected),
        actual=None if turn.actual is None else _side(turn.actual),
        match=None if turn.match is None else _match(turn.match),
        verdicts=verdict_entries(turn.verdicts),
    )


def _side(trace: Trace) -> TurnSide:
    usage = trace.usage
    return TurnSide(
        response=clean(trace.response),
        error=clean(trace.error),
        calls=_calls(trace.trajectory),
        input_tokens=usage and usage.input_tokens,
        output_tokens=usage and usage.output_tokens,
        cost_usd=usage and usage.cost_usd,
        models=clean(trace.models or ()),
    )


def _calls(calls: Iterable[ToolCall]) -> tuple[CallEntry, ...]:
    return tuple(call_entry(call) for call in calls)


def call_entry(call: ToolCall) -> CallEntry:
    """Make the record of a tool call."""
    facts: dict[str, Any] = {
        "name": clean(call.name),
        "arguments": _plain(call.arguments),
        "id": clean(call.id),
        "agent": clean(call.agent),
    }
    if isinstance(call.arguments, MalformedArguments):
        facts["arguments_state"] = "malformed"
    elif isinstance(call.arguments, NotRecorded):
        facts["arguments_state"] = "not_recorded"
    if call.result is not None:
        facts |= {"result_recorded": True, "result": clean(call.result.content), "error": call.result.error}
    return CallEntry(**facts)


def _plain(value: Any) -> Any:
    """Give what can stand in the arguments as JSON."""
    if isinstance(value, MalformedArguments):
        return clean(value.text)
    return None if isinstance(value, NotRecorded) or value is ABSENT else clean(value)


def clean(value: Any) -> Any:
    """Replace what UTF-8 cannot write, half of a surrogate pair, in JSON and in tuples of it."""
    match value:
        case str():
            return value if value.isascii() else value.encode(errors="replace").decode()
        case dict():
            return {clean(key): clean(item) for key, item in value.items()}
        case list() | tuple():
            return type(value)(clean(item) for item in value)
        case _:
            return value


def _match(match: TrajectoryMatch) -> MatchEntry:
    return MatchEntry(
        mode=str(match.mode),
        passed=match.passed,
        undecided=clean(match.undecided),
        vacuous=match.vacuous,
        expected=_calls(match.expected),
        actual=_calls(match.actual),
        steps=tuple(_step(step) for step in match.steps),
    )


def _step(step: Step) -> StepEntry:
    return StepEntry(
        kind=step.kind.value,
        expected=step.expected_index,
        actual=step.actual_index,
        breach=step.breach,
        differences=tuple(difference_entry(difference) for difference in step.differences),
    )


def difference_entry(difference: Difference) -> DifferenceEntry:
    """Make the record of a difference."""
    return DifferenceEntry(
        pointer=clean(difference.pointer),
        expected=_plain(difference.expected),
        actual=_plain(difference.actual),
        absent="expected" if difference.expected is ABSENT else "actual" if difference.actual is ABSENT else None,
        hint=clean(difference.hint),
    )


def verdict_entries(verdicts: Iterable[RuleVerdict]) -> tuple[VerdictEntry, ...]:
    """Make the records of verdicts."""
    return tuple(
        VerdictEntry(
            rule=given.rule,
            outcome=given.verdict.outcome,
            reason=clean(given.verdict.reason),
            evidence=clean(given.verdict.evidence),
            score=given.verdict.score,
        )
        for given in verdicts
    )
