"""The command that replays eval sets into an agent, for those without pytest."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

import pytest

from tests.command_line import Desk, bad, good, journal_lines, outcomes, untimed, wait_for
from tests.pytest_plugin.folder import AGENT
from trajectory.runs import JOURNAL_SUFFIX, load_run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]
ABC = {"a": good(1), "b": good(2), "c": good(3)}
MINE = """
import json, time
from trajectory import AssistantMessage, ToolCall, Trace, Usage, UserMessage

def log(query):
    with open("asked.txt", "a") as stream:
        stream.write(query + "\\n")

def logging(query):
    log(query)
    return agent(query)

def hangs(query):
    time.sleep(60)

def naps(query):
    log(query)
    time.sleep(0.05)
    return agent(query)

def costs(query):
    answer = logging(query)
    return Trace(
        id="t", user_message=UserMessage(content=query), iterations=(), tools=(), start_time=(0, 0.0), end_time=(0, 0.0),
        output=AssistantMessage(content="done"), models=("m",), tool_calls=tuple(ToolCall.read(call) for call in answer["tool_calls"]),
        usage=Usage(60, 40, cost_usd=None if query.startswith("add 3") else 0.5),
    )

class Moody:
    tries = 0

    def start_session(self):
        return self

    def send(self, query):
        Moody.tries += 1
        return agent("add 0 0" if Moody.tries == 2 else query)

moody = Moody()
nothing = None
number = 5

def kind(prompt):
    return json.dumps({"score": 0.9, "reasoning": "helps"})

def harsh(prompt):
    return json.dumps({"score": 0.2, "reasoning": "is no help"})

def down(prompt):
    raise ConnectionError("no route to host")
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("little_agent", "broken"):  # the module of an earlier test
        monkeypatch.delitem(sys.modules, name, raising=False)
    desk = Desk(tmp_path, monkeypatch, capsys)
    desk.write("little_agent.py", AGENT + MINE)
    desk.eval_set(ABC)
    return desk


def run(agent: str, *words: str, sets: Sequence[str] = ("x.evalset.json",)) -> tuple[str, ...]:
    return ("run", *sets, "--agent", f"little_agent:{agent}", *words)


def asked(desk: Desk) -> list[str]:
    file = desk.folder / "asked.txt"
    return file.read_text("utf-8").splitlines() if file.exists() else []


# ------------------------------------------------------------------------------------------------------------ the agent


def test_the_sample(desk: Desk) -> None:
    shutil.copy(ROOT / "evalsets" / "sample.evalset.json", desk.folder)
    said = desk.run("run", "sample.evalset.json", "--agent", "fixtures.sample_agent:SampleAgent")
    assert said.code == 0
    assert "trajectory 0.1.0: agent fixtures.sample_agent:SampleAgent" in said.out
    desk.write("old.py", "from fixtures.sample_agent import SampleAgent\nagent = SampleAgent(forgetful=True)\n")
    said, report = desk.report("run", "sample.evalset.json", "--agent", "old:agent")
    assert said.code == 1
    assert set(outcomes(report).values()) == {"passed", "failed"}
    assert "rerun: trajectory run sample.evalset.json --agent old:agent --thread " in said.out


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("nomod:agent", "the agent's module 'nomod' is not found, neither installed nor under"),
        ("little_agent:agnt", "there is no 'agnt' in little_agent (did you mean 'agent'?)"),
        ("little_agent", "the agent 'little_agent' is not named as module:attribute (such as 'little_agent:agent')"),
        ("little_agent.py:agent", "did you mean 'little_agent:agent'?"),
        ("", "the agent '' is not named as module:attribute\n"),
        ("little_agent:nothing", "is None"),
        ("little_agent:number", "a value of type int is no agent"),
        ("broken:agent", "the agent's module 'broken' cannot be imported"),
        ("http://localhost", "the agent: expected an address with a model"),
    ],
)
def test_an_agent_that_is_none(desk: Desk, agent: str, message: str) -> None:
    desk.write("broken.py", "import sys\nsys.exit(0)\n")
    said = desk.run("run", "x.evalset.json", "--agent", agent)
    assert message in said.err
    assert (said.code, said.out) == (2, "")


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("none", "no verdict: turn 1 of 1: the agent returned None; understood are"),
        ("hangs", "the agent did not answer within 0.2 s (--turn-timeout)"),
        ("agent", "the agent raised ValueError: out of paper"),
    ],
)
def test_an_agent_that_gives_no_answer_passes_nothing(desk: Desk, agent: str, message: str) -> None:
    desk.eval_set({"a": [("raise", [])]})
    said = desk.run(*run(agent, "--turn-timeout", "0.2", "--match-mode", "SUBSET", "--min-pass-rate", "0"))
    assert said.code == 3
    assert message in said.words
    assert "NOT EVALUATED: 1 error" in said.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run",), "Missing argument 'EVALSET...'"),
        (("run", "x.evalset.json"), "Missing option '--agent'"),
        (run("agent", sets=("y.evalset.json",)), "y.evalset.json: does not exist"),
        (run("agent", "--repetitions", "0"), "--repetitions: "),
        (
            run("agent", "--repetitions", "2", "--pass-runs", "3"),
            "pass_runs: expected at most as many as repetitions (2)",
        ),
        (run("agent", "--budget-usd", "-1"), "--budget-usd: "),
        (run("agent", "--turn-timeout", "soon"), "--turn-timeout: "),
        (run("agent", "--concurrency", "0"), "--concurrency: "),
        (run("agent", "--prices", "none.json"), "none.json: the prices cannot be read"),
        (run("agent", "--rule", "helpfulness"), "the rule helpfulness asks an LLM judge"),
        (run("agent", "--rule", "helpfulness", "--judge", "little_agent:mild"), "there is no 'mild' in little_agent"),
        (run("agent", "--resume"), "--resume: name the results to go on with by --results FILE"),
        (run("agent", "--recorded", "run.jsonl"), "--recorded"),
    ],
)
def test_bad_input(desk: Desk, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], message: str) -> None:
    for name in [name for name in os.environ if name.startswith("TRAJECTORY_")]:
        monkeypatch.delenv(name)
    said = desk.run(*words)
    assert message in said.words
    assert (said.code, said.out) == (2, "")
    assert asked(desk) == []


# -------------------------------------------------------------------------------------------- repetitions, several at once


def test_repetitions(desk: Desk) -> None:
    desk.eval_set({"a": good(1)})
    said = desk.run(*run("moody", "--repetitions", "3", "--pass-runs", "2", "--results", "run.json"))
    assert said.code == 0
    assert "2 of 3 runs, 2 must: flaky" in said.words
    (entry,) = load_run(desk.folder / "run.json").threads
    assert [one.outcome for one in entry.runs] == ["passed", "failed", "passed"]


def test_threads_at_once_are_reported_alike(desk: Desk) -> None:
    desk.eval_set({f"t{n}": (bad if n == 3 else good)(n) for n in range(12)})
    one, alone = desk.report(*run("agent", "--turn-timeout", "30"))
    four, together = desk.report(*run("agent", "--turn-timeout", "30", "--concurrency", "4"))
    assert (one.code, four.code) == (1, 1)
    assert untimed(one.out)[:-1] == untimed(four.out)[:-1]  # but for the command that runs it again
    assert alone["threads"] == together["threads"]
    assert list(outcomes(alone)) == [f"t{n}" for n in range(12)]


# ------------------------------------------------------------------------------------------------------ budgets, resuming


@pytest.mark.parametrize("concurrency", ["1", "2"])
@pytest.mark.parametrize(("budget", "limit"), [("--budget-usd", "0.4"), ("--budget-tokens", "90")])
def test_a_run_that_halts_is_never_green(desk: Desk, budget: str, limit: str, concurrency: str) -> None:
    desk.eval_set({f"t{n}": good(10 + n) for n in range(8)})
    words = (budget, limit, "--concurrency", concurrency, "--min-pass-rate", "0", "--max-errors", "9")
    said = desk.run(*run("costs", *words, "--results", "run.json"))
    assert said.code == 3
    assert "!!! the run halted on its budget (spent " in said.out
    kept = load_run(desk.folder / "run.json")
    assert kept.halted
    assert not kept.complete
    assert 0 < sum(entry.outcome == "passed" for entry in kept.threads) < 8
    assert desk.run("report", "run.json").code == 3


def test_only_what_is_missing_is_run_again(desk: Desk) -> None:
    results = ("--results", "run.json", "--resume")
    assert desk.run(*run("costs", "--budget-usd", "0.6", *results)).code == 3
    assert asked(desk) == ["add 1 1", "add 2 1"]
    said = desk.run(*run("costs", *results))
    assert (said.code, asked(desk)) == (0, ["add 1 1", "add 2 1", "add 3 1"])
    assert desk.run(*run("costs", *results)).code == 0
    assert len(asked(desk)) == 3
    desk.eval_set({**ABC, "b": bad(2)})
    assert desk.run(*run("costs", *results)).code == 1  # it changed, so it is run
    assert asked(desk)[3:] == ["add 2 1"]
    assert desk.run(*run("costs", *results, "--match-mode", "SUBSET")).code == 1
    assert len(asked(desk)) == 7
    assert [entry.id for entry in load_run(desk.folder / "run.json").threads] == ["a", "b", "c"]


def test_threads_without_a_verdict_are_run_again(desk: Desk) -> None:
    desk.eval_set({"a": good(1), "b": [("raise", [])], "c": bad(3)})
    results = ("--results", "run.json", "--resume")
    assert desk.run(*run("logging", *results)).code == 3
    assert desk.run(*run("logging", *results)).code == 3
    assert asked(desk) == ["add 1 1", "raise", "add 3 1", "raise"]


def test_results_of_another_agent_are_not_taken_up(desk: Desk) -> None:
    assert desk.run(*run("agent", "--results", "run.json")).code == 0
    said = desk.run(*run("logging", "--results", "run.json", "--resume"))
    assert said.code == 2
    assert "holds results of agent little_agent:agent, and this run is of agent little_agent:logging" in said.err
    desk.write("run.json", "{}")
    assert desk.run(*run("agent", "--results", "run.json", "--resume")).code == 2


def test_prices(desk: Desk) -> None:
    desk.write("prices.json", json.dumps({"m": {"input": 1000, "output": 1000}}))
    said = desk.run(*run("costs", "--prices", "prices.json"))
    assert said.code == 0
    assert "300 tokens, 1.1 USD" in said.out  # what the agent itself says, and the price of what it does not


# -------------------------------------------------------------------------------------------------------------- results


def test_results_on_a_full_disk_are_no_pass(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def full(path: Path, mode: str = "r", *args: Any, **keys: Any) -> Any:
        if mode == "ab" and path.name.endswith(JOURNAL_SUFFIX):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, mode, *args, **keys)

    monkeypatch.setattr(Path, "open", full)
    said = desk.run(*run("agent", "--results", "run.json"))
    assert said.code == 3
    assert "!!! the results could not be written into" in said.out
    assert "No space left on device" in said.words


def test_an_interrupted_run_keeps_what_finished(desk: Desk) -> None:
    desk.eval_set({f"t{n}": good(n) for n in range(200)})
    words = [sys.executable, "-m", "trajectory.cli", *run("naps", "--results", "run.json")]
    with subprocess.Popen(
        words, cwd=desk.folder, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True
    ) as process:
        wait_for(lambda: journal_lines(desk.folder / f"run.json{JOURNAL_SUFFIX}") > 3)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert err == "interrupted\n"
    assert "the run is not complete" in out
    kept = load_run(desk.folder / "run.json")
    assert 0 < len(kept.threads) < 200
    assert all(entry.outcome == "passed" for entry in kept.threads)


def test_who_reads_may_have_had_enough(desk: Desk) -> None:
    """``trajectory run ... | head`` comes to the same, and still writes its reports."""
    desk.eval_set({"a": bad(1)})
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "trajectory.cli", *run("agent", "--report", "report.json")]
    ended = subprocess.run(words, cwd=desk.folder, stdout=write, stderr=PIPE, text=True, check=False)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert (desk.folder / "report.json").exists()


# --------------------------------------------------------------------------------------------------------------- judges


@pytest.mark.parametrize(
    ("judge", "code", "message"),
    [
        ("kind", 0, "helpfulness: 3/3 threads passed"),
        ("harsh", 1, "the score is 0.2, at least 0.8 required"),
        ("down", 3, "the judge cannot be reached: ConnectionError: no route to host"),
    ],
)
def test_judges(desk: Desk, judge: str, code: int, message: str) -> None:
    words = ("--rule", "helpfulness", "--judge", f"little_agent:{judge}")
    said = desk.run(*run("agent", *words))
    assert message in said.words
    assert said.code == code


def test_answers_of_a_judge_are_kept(desk: Desk) -> None:
    words = ("--rule", "helpfulness", "--judge-cache", "answers", "--judge", "little_agent:kind")
    assert desk.run(*run("agent", *words)).code == 0
    desk.write("little_agent.py", AGENT + MINE.replace("helps", "other words"))
    del sys.modules["little_agent"]
    assert desk.run(*run("agent", *words, "--report", "report.md")).code == 0
    assert "other words" not in (desk.folder / "report.md").read_text("utf-8")


# ------------------------------------------------------------------------------------------------------ several eval sets


def test_an_eval_set_that_states_its_own_rate_is_gated_alone(desk: Desk) -> None:
    desk.eval_set({"d": bad(4), "e": good(5)}, "y.evalset.json", evaluation={"min_pass_rate": 0.5})
    said = desk.run(*run("agent", sets=("*.evalset.json",)))
    assert said.code == 0
    assert "tool trajectory: 3/3 threads passed (100 %), required 100 %: PASSED" in said.words
    assert "tool trajectory (y.evalset.json): 1/2 threads passed (50 %), required 50 %: PASSED" in said.words
    header = said.out.partition("thread d")[0].split("y.evalset.json (native)")[1]
    assert "pass rate 0.5" in header
    said = desk.run(*run("agent", "--min-pass-rate", "1", sets=("*.evalset.json",)))
    assert said.code == 1
    assert "tool trajectory: 4/5 threads passed (80 %), required 100 %: FAILED" in said.words


def test_two_eval_sets_of_one_id(desk: Desk) -> None:
    desk.eval_set({"d": good(4)}, "y.evalset.json")
    said, report = desk.report(*run("agent", sets=("x.evalset.json", "y.evalset.json")))
    assert said.code == 0
    assert list(outcomes(report)) == ["a", "b", "c", "d"]
    desk.eval_set({"a": good(4)}, "y.evalset.json")
    said = desk.run(*run("agent", sets=("x.evalset.json", "y.evalset.json")))
    assert (said.code, said.out) == (2, "")
    assert "the thread id 'a' stands in x.evalset.json and in y.evalset.json" in said.err


def test_an_eval_set_that_is_named_twice_is_run_once(desk: Desk) -> None:
    said = desk.run(*run("logging", sets=("x.evalset.json", "./x.evalset.json", "*.evalset.json")))
    assert said.code == 0
    assert "3/3 threads passed" in said.out
    assert len(asked(desk)) == 3


def test_one_empty_eval_set_among_others(desk: Desk) -> None:
    desk.eval_set({}, "y.evalset.json")
    said = desk.run(*run("agent", sets=("*.evalset.json",)))
    assert (said.code, said.out) == (2, "")
    assert "y.evalset.json: the eval set has no threads" in said.err
