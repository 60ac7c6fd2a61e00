"""Run files of every kind for the reports: what a run can come to, and what a hostile recording can hold."""

from __future__ import annotations

from typing import Any, Final

from tests.runs.made import made_run, made_thread
from tests.sets import call, conversation
from trajectory import report
from trajectory.replay import as_agent
from trajectory.running import run_thread
from trajectory.runs import (
    CallEntry,
    DifferenceEntry,
    EvalSetEntry,
    GateEntry,
    RunEntry,
    RunFile,
    Spent,
    StepEntry,
    ThreadEntry,
    TurnEntry,
    TurnSide,
    VerdictEntry,
    thread_entry,
)
from trajectory.settings import MatchMode, Settings

TURNS: Final = [
    ("Do you have a blue lamp?", [call("search", text="lamp", color="blue")]),
    ("I'll take two.", [call("order", sku="LAMP", quantity=2)]),
]
SET: Final = "x.evalset.json"
HOSTILE: Final = (
    "<script>alert(1)</script>\n::error::forged\r\n##[error]old\x1b[31mred\x07@everyone [a](http://evil) "
    "``` </details> | `x` ~~~ ]]> \u202eevil\x9b0m #1 ![i](http://evil)\n@someone\n# head\n```\n```"
)


def recorded(name: str, *answers: Any, **stated: Any) -> ThreadEntry:
    """A thread that was really run: the agent answers each turn of each run with the next of these calls."""
    settings = Settings(**stated)
    left = iter(answers)

    def agent(_: str) -> Any:
        made = next(left)
        return None if made is None else {"output": "done", "tool_calls": made}

    thread = conversation(name, TURNS)
    runs = run_thread(as_agent(agent), thread, settings)
    return timeless(thread_entry(runs, thread, settings, eval_set=SET, words=report))


def timeless(entry: ThreadEntry) -> ThreadEntry:
    """Let every turn have taken as long as every other."""
    runs = tuple(
        run.model_copy(update={"turns": tuple(turn.model_copy(update={"seconds": 0.25}) for turn in run.turns)})
        for run in entry.runs
    )
    return entry.model_copy(update={"runs": runs})


GOOD: Final = [calls for _, calls in TURNS]
BAD: Final = [TURNS[0][1], [call("order", sku="LAMP", quantity=3), call("notify")]]


def gate(*, passed: bool, **facts: Any) -> GateEntry:
    stated = {
        "name": "tool trajectory",
        "min_pass_rate": "1",
        "passed": passed,
        "summary": f"tool trajectory: 1/2 threads passed (50 %), required 100 %: {'PASSED' if passed else 'FAILED'}",
        "reasons": () if passed else ("1 of 2 threads passed, 2 must",),
        "warnings": ("a pass rate of 0.9 over 2 threads means all of them",),
    }
    return GateEntry(**{**stated, **facts})


def run_of(*threads: ThreadEntry, passed: bool = True, **facts: Any) -> RunFile:
    stated: dict[str, Any] = {
        "made_by": {"trajectory": "0.1.0"},
        "agent": "agent shop:agent",
        "command": ("trajectory", "run", SET, "--agent", "shop:agent"),
        "eval_sets": (EvalSetEntry(path=SET, id="x", threads=len(threads)),),
        "gates": (gate(passed=passed),),
        "spent": Spent(seconds=1.5, tokens=1234, cost_usd=0.5, complete=True),
    }
    return made_run(*threads, **{**stated, **facts})


def hostile_thread(text: str = HOSTILE) -> ThreadEntry:
    """A thread in which every text is hostile."""
    difference = DifferenceEntry(pointer=text, expected=text, actual={text: text}, hint=text)
    side = TurnSide(response=text, error=text, calls=(CallEntry(name=text, arguments={text: text}, result=text),))
    step = StepEntry(kind="differs", expected=0, actual=0, differences=(difference,))
    verdict = VerdictEntry.model_validate({"rule": text, "outcome": "failed", "reason": text, "evidence": (text,)})
    sides = {"expected": side.calls, "actual": side.calls}
    turn = TurnEntry.model_validate(
        {"number": 1, "trace_id": text, "query": text, "outcome": "failed", "reason": text, "expected": side}
        | {"actual": side, "verdicts": (verdict,), "details": (text,), "notes": (text,)}
        | {"match": {"mode": text, "passed": False, "undecided": text, "steps": (step,)} | sides}
    )
    runs = tuple(
        RunEntry.model_validate(
            {"outcome": outcome, "turns": (turn,), "verdicts": (verdict,), "surplus": (text,), "notes": (text,)}
            | {"explanation": f"{text}\n\n{text}\n\n{text}", "session_id": text}
        )
        for outcome in ("failed", "passed")
    )
    facts: dict[str, Any] = {"headline": text, "eval_set": text, "description": text, "tags": (text,)}
    entry = made_thread(text, "fp", **facts, settings={text: text, "match_mode": text})
    return entry.model_copy(update={"runs": runs})


def hostile_run(text: str = HOSTILE, **facts: Any) -> RunFile:
    """A run in which every text is hostile."""
    stated: dict[str, Any] = {
        "made_by": {"trajectory": text, text: text},
        "agent": text,
        "started": text,
        "halted": text,
        "breaches": (text,),
        "notes": (text,),
        "warnings": (text,),
        "command": ("pytest", text),
        "eval_sets": (EvalSetEntry(path=text, id=text, name=text, shape=text, threads=1),),
        "gates": (gate(passed=False, name=text, summary=text, reasons=(text,), warnings=(text,)),),
    }
    return run_of(hostile_thread(text), passed=False, **{**stated, **facts})


def many_threads() -> RunFile:
    failing = [recorded(f"bad-{number}", *BAD) for number in range(3)]
    copies = [failing[number % 3].model_copy(update={"id": f"bad-{number}"}) for number in range(1000)]
    good = recorded("good", *GOOD)
    return run_of(*copies, *(good.model_copy(update={"id": f"good-{n}"}) for n in range(1000)), passed=False)


RUNS: Final[dict[str, RunFile]] = {
    "passing": run_of(recorded("lamp", *GOOD)),
    "failing": run_of(
        recorded("lamp", *BAD),
        recorded("vase", *GOOD),
        recorded("mug", [], [], match_mode=MatchMode.SUPERSET),
        passed=False,
    ),
    "tolerated": run_of(recorded("lamp", *BAD), recorded("vase", *GOOD)),
    "errors": run_of(
        recorded("lamp", TURNS[0][1], None),
        passed=False,
        gates=(gate(passed=False, reasons=("1 thread could not be evaluated, at most 0 allowed",)),),
    ),
    "breached": run_of(
        recorded("lamp", *GOOD),
        passed=False,
        gates=(gate(passed=False, reasons=("the recording run.jsonl is incomplete (see the notes)",)),),
        breaches=("the recording run.jsonl is incomplete (see the notes)",),
        notes=("run.jsonl:3: the text seems to be cut off; this line was left out", "1 recorded thread paired by id"),
        warnings=("x.evalset.json: /evaluation/ignore_tools/0: no call is named 'serach' (did you mean 'search'?)",),
    ),
    "skipped": run_of(made_thread("empty", "s"), passed=False, gates=(gate(passed=False, warnings=()),)),
    "flaky": run_of(recorded("lamp", *BAD, *GOOD, *GOOD, repetitions=3, pass_runs=2)),
    "halted": run_of(
        recorded("lamp", *GOOD),
        passed=False,
        halted="the run halted on its budget (spent 1,204 of 1,000 tokens after 1 thread)",
        complete=False,
        selected=5,
    ),
    "incomplete": run_of(
        recorded("lamp", *GOOD),
        recorded("mug", *GOOD, match_mode=MatchMode.SUBSET),
        gates=(),
        complete=False,
        selected=0,
        ended=None,
        spent=Spent(),
    ),
    "empty": run_of(eval_sets=(), gates=(), command=(), agent="", made_by={}),
    "hostile": hostile_run(),
}
