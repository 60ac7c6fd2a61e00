"""What a run file holds. The models are its schema; `VERSION` changes when a reader of the old one would go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import ConfigDict, Field

from trajectory.described import Described
from trajectory.evaluations import Outcome
from trajectory.matching import Overlap
from trajectory.running import Label, mean_f1

if TYPE_CHECKING:
    from fractions import Fraction

FORMAT: Final = "trajectory-run"
VERSION: Final = 1


class _Entry(Described):
    """A closed, frozen part of a run file."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class CallEntry(_Entry):
    """A tool call."""

    name: str
    """The tool's name."""
    arguments: Any = None
    """The arguments: an object; the text that the agent gave where they are malformed; null where none were recorded."""
    arguments_state: Literal["object", "malformed", "not_recorded"] = "object"
    """What the arguments are."""
    id: str | None = None
    """The call's id."""
    agent: str | None = None
    """The agent that made it, where several may have."""
    result: str | None = None
    """What the tool gave back, as text; null also where no result was recorded."""
    result_recorded: bool = False
    """Whether a result was recorded."""
    error: bool | None = None
    """Whether the call failed; null where that was not recorded."""


class TurnSide(_Entry):
    """What was recorded of a turn, or what the agent did in it today."""

    response: str | None = None
    """The text that the agent answered."""
    error: str | None = None
    """The error in which the turn ended."""
    calls: tuple[CallEntry, ...] = ()
    """The tool calls, in order."""
    input_tokens: int | None = None
    """Tokens given to the models, where known."""
    output_tokens: int | None = None
    """Tokens that they made, where known."""
    cost_usd: float | None = None
    """What the turn cost in US dollars, where known."""
    models: tuple[str, ...] = ()
    """The models that answered, where known."""


class DifferenceEntry(_Entry):
    """One place in the arguments of a pair of calls where they differ."""

    pointer: str
    """The JSON Pointer inside the arguments."""
    expected: Any = None
    """What was expected; the text of arguments that are no object."""
    actual: Any = None
    """What the agent gave; likewise."""
    absent: Literal["expected", "actual"] | None = None
    """The side on which there is nothing at this place."""
    hint: str = ""
    """Why the two differ, where that is hard to see."""


class StepEntry(_Entry):
    """One step of two trajectories laid side by side."""

    kind: Literal["same", "differs", "missing", "unexpected", "out of order"]
    """How the expected and the actual call stand to each other."""
    expected: int | None = None
    """Which of the compared expected calls, from 0."""
    actual: int | None = None
    """Which of the compared actual calls, from 0."""
    breach: bool = False
    """Whether the match mode minds."""
    differences: tuple[DifferenceEntry, ...] = ()
    """What differs in the arguments."""


class MatchEntry(_Entry):
    """The comparison of two trajectories."""

    mode: str
    """The match mode."""
    passed: bool
    """Whether the actual calls are what the mode asks for."""
    undecided: str | None = None
    """Why there is no verdict."""
    vacuous: bool = False
    """Whether it passed only because a side is empty."""
    expected: tuple[CallEntry, ...] = ()
    """The expected calls that were compared."""
    actual: tuple[CallEntry, ...] = ()
    """The actual calls that were compared."""
    steps: tuple[StepEntry, ...] = ()
    """Both laid side by side."""


class VerdictEntry(_Entry):
    """What one rule had to say."""

    rule: str
    """The rule's name."""
    outcome: Outcome
    """What came of it."""
    reason: str = ""
    """Why it is no pass."""
    evidence: tuple[str, ...] = ()
    """What shows it."""
    score: float | None = None
    """How far the rule held, from 0 to 1."""


class TurnEntry(_Entry):
    """One turn of one run."""

    number: int
    """Which turn of the thread this is, from 1."""
    trace_id: str
    """The id of the recorded trace."""
    query: str
    """What the user said."""
    outcome: Outcome | None
    """What came of it; null when it was not run."""
    reason: str = ""
    """Why there is no verdict."""
    details: tuple[str, ...] = ()
    """More on the reason."""
    notes: tuple[str, ...] = ()
    """What a reader should know beside the verdict."""
    seconds: float = 0.0
    """How long the agent took."""
    expected: TurnSide
    """What was recorded."""
    actual: TurnSide | None = None
    """What the agent did; null when that is not known."""
    match: MatchEntry | None = None
    """The comparison of the trajectories, where they were compared."""
    verdicts: tuple[VerdictEntry, ...] = ()
    """What each rule had to say."""


class OverlapEntry(_Entry):
    """How many tool calls of all turns have a partner on the other side: the ground of precision, recall and F1."""

    expected: int
    """How many calls were expected."""
    actual: int
    """How many were made."""
    expected_paired: int
    """How many of the expected calls have a partner."""
    actual_paired: int
    """How many of the actual calls have one."""


class RunEntry(_Entry):
    """One run of a thread, in a session of its own."""

    outcome: Outcome
    """What came of it."""
    session_id: str = ""
    """The id of the session."""
    turns: tuple[TurnEntry, ...] = ()
    """The turns, in order."""
    verdicts: tuple[VerdictEntry, ...] = ()
    """What the rules that look at the whole thread had to say."""
    overlap: OverlapEntry | None = None
    """What the expected and the actual calls have in common; null where they were not compared, and without a verdict."""
    surplus: tuple[str, ...] = ()
    """The queries of turns that a recorded run holds beyond those of the thread."""
    notes: tuple[str, ...] = ()
    """What a reader should know beside the verdicts."""
    explanation: str = ""
    """Why it did not pass, as the terminal says it."""


class ThreadEntry(_Entry):
    """One thread."""

    id: str
    """The thread's id."""
    eval_set: str
    """The file of its eval set."""
    description: str = ""
    """What the thread is about."""
    tags: tuple[str, ...] = ()
    """Its tags."""
    content_hash: str
    """A hash of what the eval set says of the thread, settings aside."""
    settings_hash: str
    """A hash of the settings that its verdict rests on."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """The settings in force."""
    outcome: Outcome
    """What came of it."""
    label: Label
    """How steady it is."""
    pass_runs: int = 1
    """How many runs must pass."""
    repetitions: int = 1
    """How many runs were asked for."""
    must_pass: bool = False
    """Whether it must pass whatever the rate."""
    headline: str = ""
    """What came of it, in one line."""
    runs: tuple[RunEntry, ...] = ()
    """Its runs."""

    @property
    def f1(self) -> Fraction | None:
        """The mean F1 of the tool calls over the runs, as `trajectory.running.ThreadRuns` has it."""
        overlaps = [None if run.overlap is None else Overlap(**dict(run.overlap)) for run in self.runs]
        return mean_f1(overlaps, self.outcome, self.repetitions)


class Spent(_Entry):
    """What a run took."""

    seconds: float = 0.0
    """How long it took."""
    tokens: int | None = None
    """The tokens that the agent reported; null when it reported none."""
    cost_usd: float | None = None
    """What it cost in US dollars; null when that is not known."""
    complete: bool = False
    """Whether every turn is counted."""


class EvalSetEntry(_Entry):
    """An eval set of the run."""

    path: str
    """The file, as it was named."""
    id: str = ""
    """The set's id."""
    name: str = ""
    """Its title."""
    shape: str = "native"
    """The shape of the file."""
    threads: int = 0
    """How many threads were selected."""
    thread_ids: tuple[str, ...] = ()
    """The ids of all threads that the file holds, selected or not."""


class GateEntry(_Entry):
    """What a group of threads was to reach, and whether it did."""

    name: str
    """What was gated."""
    min_pass_rate: str
    """The share of threads that must pass, as a decimal text."""
    max_errors: int = 0
    """How many threads may end without a verdict."""
    min_macro_f1: str | None = None
    """What the F1 of tool calls must be on average, as a decimal text; null for any."""
    passed: bool
    """Whether the gate passed."""
    summary: str = ""
    """The gate in one line."""
    reasons: tuple[str, ...] = ()
    """Why it failed."""
    warnings: tuple[str, ...] = ()
    """What makes the verdict mean less than it seems to."""


class Accepted(_Entry):
    """That a run was accepted as a baseline."""

    at: str
    """When, as RFC 3339."""
    source: str = ""
    """The run file that was accepted."""


class RunFile(_Entry):
    """A run."""

    format: Literal["trajectory-run"] = FORMAT
    """Tells what the file is."""
    version: Literal[1] = VERSION
    """The version of the format."""
    made_by: dict[str, str] = Field(default_factory=dict)
    """The versions of the programs that made it."""
    started: str
    """When the run began, as RFC 3339."""
    ended: str | None = None
    """When it ended; null for one that was interrupted."""
    agent: str = ""
    """The agent, or the recording that was checked."""
    command: tuple[str, ...] = ()
    """The words that start this run again; empty where nobody typed any."""
    eval_sets: tuple[EvalSetEntry, ...] = ()
    """The eval sets."""
    gates: tuple[GateEntry, ...] = ()
    """The gates; none for a run that was interrupted."""
    selected: int = 0
    """How many threads were to be run."""
    complete: bool = False
    """Whether all of them were run to their end."""
    halted: str | None = None
    """The budget on which the run halted."""
    breaches: tuple[str, ...] = ()
    """What keeps the run from passing whatever its threads come to, such as a recording that is incomplete."""
    notes: tuple[str, ...] = ()
    """What the readers of the files had to say, and how recorded threads found their partners."""
    warnings: tuple[str, ...] = ()
    """Which settings have no effect, and what else makes the run mean less than it seems to."""
    accepted: Accepted | None = None
    """When the run was accepted as a baseline; null for a run that was not."""
    spent: Spent = Field(default_factory=Spent)
    """What the run took."""
    threads: tuple[ThreadEntry, ...] = ()
    """The threads, in the order of the eval sets."""
