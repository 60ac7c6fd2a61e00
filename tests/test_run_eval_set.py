"""Runs from code: the same as from the command line, to be asked as often as wanted."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.command_line import Desk, bad, good
from tests.pytest_plugin.folder import AGENT
from tests.sets import thread
from trajectory import (
    AgentError,
    ConfigurationError,
    EvaluationError,
    TrajectoryMismatch,
    assert_passes,
    load_eval_set,
    run_eval_set,
)
from trajectory.prices import Prices
from trajectory.runs import JOURNAL_SUFFIX, RunFile, load_run

if TYPE_CHECKING:
    from trajectory.runs import ThreadEntry

ABC = {"a": good(1), "b": good(2), "c": good(3)}
X = "x.evalset.json"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "little_agent", raising=False)
    desk = Desk(tmp_path, monkeypatch, capsys)
    desk.write("little_agent.py", AGENT)
    desk.eval_set(ABC)
    desk.lines(ABC)
    return desk


def agent(query: str) -> dict[str, Any]:
    _, a, b = query.split()
    return {"output": "done", "tool_calls": [{"name": "add", "arguments": {"a": int(a), "b": int(b)}}]}


async def agent_async(query: str) -> dict[str, Any]:
    await asyncio.sleep(0)
    return agent(query)


class Sessions:
    def start_session(self) -> Sessions:
        return self

    def send(self, query: str) -> dict[str, Any]:
        return agent(query)


def came_to(run: RunFile) -> dict[str, str]:
    return {entry.id: str(entry.outcome) for entry in run.threads}


# --------------------------------------------------------------------------------------------------- what is run by what


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (agent, f"agent {__name__}:agent"),
        (agent_async, f"agent {__name__}:agent_async"),
        (Sessions, f"agent {__name__}:Sessions"),
        (Sessions(), f"agent {__name__}:Sessions"),
        ("little_agent:agent", "agent little_agent:agent"),
    ],
)
def test_agents(desk: Desk, given: Any, shown: str) -> None:
    run = run_eval_set(X, given)
    assert (run.agent, came_to(run)) == (shown, dict.fromkeys(ABC, "passed"))
    assert run.complete
    assert_passes(run)


def test_eval_sets(desk: Desk) -> None:
    desk.eval_set({"d": good(4)}, "y.evalset.json")
    loaded = load_eval_set(X)
    one: list[Any] = [X, Path(X), loaded, [X], (loaded,), [X, Path(X)]]
    for given in one:
        assert list(came_to(run_eval_set(given, agent))) == ["a", "b", "c"]
    more: list[Any] = [["y.evalset.json", X], "*.evalset.json", [load_eval_set("y.evalset.json"), loaded]]
    for several in more:
        assert sorted(came_to(run_eval_set(several, agent))) == ["a", "b", "c", "d"]


def test_eval_sets_from_code_that_share_a_name(desk: Desk) -> None:
    loaded = load_eval_set(X)
    others = tuple(one.model_copy(update={"id": f"other-{one.id}"}) for one in loaded.threads)
    run = run_eval_set([loaded, loaded.model_copy(update={"threads": others})], agent)
    assert len(run.threads) == 6
    assert len({one.path for one in run.eval_sets}) == 2
    with pytest.raises(
        ConfigurationError, match=r"the thread id 'a' stands in x.evalset.json and in x.evalset.json \(2\)"
    ):
        run_eval_set([loaded, loaded], agent)


def test_some_of_the_threads(desk: Desk) -> None:
    desk.eval_set([thread("a", good(1), tags=["smoke"]), thread("bb", good(2), tags=["smoke"]), thread("c", good(3))])
    assert list(came_to(run_eval_set(X, agent, tags=["smoke"]))) == ["a", "bb"]
    assert list(came_to(run_eval_set(X, agent, tags="smoke"))) == ["a", "bb"]
    assert list(came_to(run_eval_set(X, agent, threads="bb"))) == ["bb"]
    assert list(came_to(run_eval_set(X, agent, threads=iter(["c", "a"])))) == ["a", "c"]


def test_recordings(desk: Desk) -> None:
    desk.lines({"c": bad(3)}, "more.jsonl")
    desk.lines({"a": good(1), "r": good(2)})
    run = run_eval_set(X, recorded=["run.jsonl", Path("more.jsonl")])
    assert came_to(run) == {"a": "passed", "b": "passed", "c": "failed"}
    assert "1 recorded thread paired by what the user said: r -> b" in run.notes
    run = run_eval_set(X, recorded="run.jsonl", pair_by="id")
    assert came_to(run) == {"a": "passed", "b": "error", "c": "error"}
    assert run.breaches == ("the recording run.jsonl has threads that no eval set knows of: r",)
    assert run_eval_set(X, recorded="run.jsonl", pair_by="id", allow_unmatched=True).breaches == ()


def test_the_same_as_from_the_command_line(desk: Desk) -> None:
    assert desk.run("run", X, "--agent", "little_agent:agent", "--results", "run.json").code == 0
    by_command = load_run("run.json")
    by_code = run_eval_set(X, "little_agent:agent", results="code.json")
    assert load_run("code.json") == by_code
    assert not Path(f"code.json{JOURNAL_SUFFIX}").exists()
    for one, other in zip(by_command.threads, by_code.threads, strict=True):
        assert (one.content_hash, one.settings_hash, one.outcome) == (
            other.content_hash,
            other.settings_hash,
            other.outcome,
        )
    assert by_command.gates == by_code.gates


def test_inside_a_running_event_loop(desk: Desk) -> None:
    async def inside(given: Any) -> RunFile:
        return run_eval_set(X, given, concurrency=2)

    assert_passes(asyncio.run(inside(agent)))
    assert_passes(asyncio.run(inside(agent_async)))


# ------------------------------------------------------------------------------------------------------------- settings


def test_settings_win_over_those_of_the_eval_set(desk: Desk) -> None:
    desk.eval_set({"a": [(query, [*calls, {"name": "log"}]) for query, calls in good(1)]})
    assert came_to(run_eval_set(X, agent)) == {"a": "failed"}
    assert came_to(run_eval_set(X, agent, match_mode="SUBSET")) == {"a": "passed"}
    assert came_to(run_eval_set(X, agent, ignore_tools=["log"])) == {"a": "passed"}
    assert came_to(run_eval_set(X, agent, rules=[{"length": {"min": 1}}])) == {"a": "passed"}
    desk.eval_set(ABC, evaluation={"min_pass_rate": 0.5})
    assert [gate.min_pass_rate for gate in run_eval_set(X, agent).gates] == ["0.5"]
    assert [gate.min_pass_rate for gate in run_eval_set(X, agent, min_pass_rate=0.9).gates] == ["0.9"]
    assert [len(entry.runs) for entry in run_eval_set(X, agent, repetitions=2).threads] == [2, 2, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_pass_rat": 0.5}, "run_eval_set: /min_pass_rat: .*did you mean 'min_pass_rate'"),
        ({"min_pass_rate": 80}, "run_eval_set: /min_pass_rate: expected a number from 0 to 1"),
        ({"min_pass_rate": float("nan")}, "run_eval_set: /min_pass_rate: expected a number from 0 to 1"),
        ({"match_mode": "SUBSETT"}, "did you mean 'SUBSET'"),
        ({"arguments": {"polici": "exact"}}, "run_eval_set: /arguments/polici: .*did you mean 'policy'"),
        ({"rules": ["lenght"]}, "did you mean 'length'"),
        ({"repetitions": 2, "pass_runs": 3}, "pass_runs: expected at most as many as repetitions"),
    ],
)
def test_settings_that_make_no_sense(desk: Desk, settings: dict[str, Any], message: str) -> None:
    asked: list[str] = []
    with pytest.raises(ConfigurationError, match=message):
        run_eval_set(X, asked.append, **settings)
    assert asked == []


@pytest.mark.parametrize("name", ["repetitions", "pass_runs", "turn_timeout", "concurrency", "budget_usd"])
def test_settings_of_agents_say_nothing_of_recordings(desk: Desk, name: str) -> None:
    setting: dict[str, Any] = {name: 1}
    with pytest.raises(ConfigurationError, match=f"run_eval_set: {name}: says how an agent is run"):
        run_eval_set(X, recorded="run.jsonl", **setting)


def test_a_recording_is_one_run_however_often_agents_are_run(desk: Desk) -> None:
    desk.eval_set(ABC, evaluation={"repetitions": 5, "pass_runs": 4})
    run = run_eval_set(X, recorded="run.jsonl")
    assert [(len(entry.runs), entry.repetitions, entry.pass_runs) for entry in run.threads] == [(1, 1, 1)] * 3
    assert_passes(run)
    said = desk.run("check", X, "run.jsonl")
    assert said.code == 0
    assert "runs" not in said.out
    assert [len(entry.runs) for entry in run_eval_set(X, agent).threads] == [5] * 3


# ----------------------------------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("eval_set", "given", "message"),
    [
        (X, {}, "run_eval_set: give an agent, or recorded runs: one of them"),
        (X, {"agent": agent, "recorded": "run.jsonl"}, "give an agent, or recorded runs: one of them"),
        ("y.evalset.json", {"agent": agent}, "does not exist .*did you mean 'x.evalset.json'"),
        ([], {"agent": agent}, "run_eval_set: eval_set: expected a file or an EvalSet, or several, found none"),
        (5, {"agent": agent}, "eval_set: expected a file or an EvalSet, or several, found the number 5"),
        ([X, None], {"agent": agent}, "eval_set: expected a file or an EvalSet, or several, found null"),
        (b"x.evalset.json", {"agent": agent}, "eval_set: expected a file or an EvalSet"),
        ("", {"agent": agent}, "found an empty name"),
        (X, {"recorded": []}, "recorded: expected a file, a folder or a glob, or several, found none"),
        (X, {"recorded": 5}, "recorded: expected a file, a folder or a glob, or several, found the number 5"),
        (X, {"recorded": ""}, "found an empty name"),
        (X, {"recorded": "none.jsonl"}, "none.jsonl: expected a file, found nothing of that name"),
        (X, {"recorded": "run.jsonl", "pair_by": "ids"}, "run_eval_set: pair_by: .*did you mean 'id'"),
        (
            X,
            {"recorded": "run.jsonl", "pair_by": 5},
            "run_eval_set: pair_by: expected one of id, query, order, found 5",
        ),
        (X, {"agent": agent, "pair_by": "id"}, "pair_by and allow_unmatched: say something of recorded runs alone"),
        (X, {"agent": agent, "allow_unmatched": True}, "say something of recorded runs alone"),
        (X, {"agent": agent, "tags": "smoke"}, "smoke: no thread has this tag"),
        (X, {"agent": agent, "tags": 5}, "tags: expected a tag, or several, found the number 5"),
        (X, {"agent": agent, "threads": ["z"]}, "z: no thread has this id"),
        (X, {"agent": agent, "threads": [5]}, "threads: expected the id of a thread, or several, found the number 5"),
        (X, {"agent": agent, "resume": True}, "run_eval_set: resume: name the results"),
        (X, {"recorded": "run.jsonl", "results": "r.json", "resume": True}, "run_eval_set: resume: "),
        (X, {"agent": agent, "results": "no/such/r.json"}, "no/such/r.json: the results cannot be written"),
        (X, {"agent": agent, "prices": "none.json"}, "none.json: the prices cannot be read"),
        (X, {"agent": agent, "on_thread": 5}, "on_thread: expected a function, found the number 5"),
        (X, {"agent": agent, "rules": ["helpfulness"], "judge": 5}, "expected a judge"),
        (X, {"agent": agent, "rules": ["helpfulness"], "judge": "little_agent:judge"}, "there is no 'judge'"),
    ],
)
def test_wrong_input(desk: Desk, eval_set: Any, given: dict[str, Any], message: str) -> None:
    told: list[ThreadEntry] = []
    with pytest.raises(ConfigurationError, match=message):
        run_eval_set(eval_set, **{"on_thread": told.append, **given})
    assert told == []


@pytest.mark.parametrize("given", ["little_agent:agnt", "little_agent", "", "nomod:agent", 5, object()])
def test_what_is_no_agent(desk: Desk, given: Any) -> None:
    with pytest.raises(AgentError):
        run_eval_set(X, given)


# --------------------------------------------------------------------------------------------------- what comes of a run


def test_threads_that_fail_raise_nothing_until_somebody_asserts(desk: Desk) -> None:
    desk.eval_set({**ABC, "b": bad(2)})
    run = run_eval_set(X, agent)
    assert came_to(run) == {"a": "passed", "b": "failed", "c": "passed"}
    with pytest.raises(TrajectoryMismatch, match="2 of 3 threads passed, 3 must"):
        assert_passes(run)
    assert_passes(run, min_pass_rate=0.6)
    with pytest.raises(TrajectoryMismatch):
        assert_passes(run, min_pass_rate=0.6, must_pass=["b"])
    assert_passes(run_eval_set(X, agent, min_pass_rate=0.6))


def test_threads_without_a_verdict_raise_nothing_either(desk: Desk) -> None:
    run = run_eval_set(X, "little_agent:none")
    assert came_to(run) == dict.fromkeys(ABC, "error")
    with pytest.raises(EvaluationError):
        assert_passes(run)
    with pytest.raises(EvaluationError):
        assert_passes(run, min_pass_rate=0, max_errors=3)


def test_who_is_told_of_every_thread(desk: Desk) -> None:
    told: list[ThreadEntry] = []
    run = run_eval_set(X, agent, on_thread=told.append)
    assert tuple(told) == run.threads
    told.clear()
    desk.lines(dict(reversed(ABC.items())))
    run_eval_set(X, recorded="run.jsonl", on_thread=told.append)
    assert [entry.id for entry in told] == ["c", "b", "a"]


def test_who_raises_when_told_ends_the_run(desk: Desk) -> None:
    def tell(entry: ThreadEntry) -> None:
        if entry.id == "b":
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        run_eval_set(X, agent, on_thread=tell, results="run.json")
    kept = load_run("run.json")
    assert (list(came_to(kept)), kept.complete) == (["a", "b"], False)


def test_an_interrupted_run_is_kept_and_taken_up(desk: Desk) -> None:
    heard: list[str] = []

    def remembering(query: str) -> dict[str, Any]:
        heard.append(query)
        return agent(query)

    def interrupt(entry: ThreadEntry) -> None:
        if entry.id == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_eval_set(X, remembering, on_thread=interrupt, results="run.json")
    assert not load_run("run.json").complete
    heard.clear()
    run = run_eval_set(X, remembering, results="run.json", resume=True)
    assert_passes(run)
    assert list(came_to(run)) == ["a", "b", "c"]
    assert heard == ["add 3 1"]
    with pytest.raises(ConfigurationError, match="holds results of agent"):
        run_eval_set(X, agent_async, results="run.json", resume=True)


def test_a_run_that_halts_passes_nothing(desk: Desk) -> None:
    run = run_eval_set(X, agent, budget_seconds=1e-9)
    assert run.halted
    assert not run.complete
    with pytest.raises(EvaluationError, match="halted"):
        assert_passes(run)


def test_a_judge_is_an_object_or_a_name(desk: Desk) -> None:
    def judge(prompt: str) -> str:
        return '{"score": 0.9, "reasoning": "helps"}'

    assert_passes(run_eval_set(X, agent, rules=["helpfulness"], judge=judge, judge_cache="answers"))
    with pytest.raises(ConfigurationError, match="asks an LLM judge"):
        run_eval_set(X, agent, rules=["helpfulness"])


def test_prices_are_an_object_or_a_file(desk: Desk) -> None:
    table = {"m": {"input": 1, "output": 2}}
    desk.write("prices.toml", "[m]\ninput = 1\noutput = 2\n")
    for prices in (Prices.model_validate(table), "prices.toml", Path("prices.toml")):
        assert_passes(run_eval_set(X, agent, prices=prices, budget_usd=1.0))
