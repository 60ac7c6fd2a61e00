"""Repetitions as a user of pytest meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])
MOODY = """
import collections
import little_agent

class Moody:
    tries = collections.Counter()

    def start_session(self, session_id):
        return self

    def send(self, query):
        self.tries[query] += 1
        fails = self.tries[query] == 2 and query.startswith("add 2")
        return little_agent.agent("add 0 0" if fails else query)

moody = Moody()
"""


@XDIST
def test_every_thread_is_labelled_and_the_set_estimated(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({"good": good(1), "moody": good(2), "bad": bad(3)})
    folder.write("moods.py", MOODY)
    result = folder.run(*RUN, *xdist, "--repetitions", "3", "--pass-runs", "2", agent="moods:moody")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "passed  good * 3 of 3 runs passed, 2 must: stable pass",
            "passed  moody * 2 of 3 runs passed, 2 must: flaky",
            "failed  bad * 0 of 3 runs passed, 2 must: stable fail",
            "tool trajectory: 2/3 threads passed (66.6 %), required 100 %: FAILED",
            "  over 3 runs: pass@1 55.5 %, pass@3 66.6 %, pass^3 33.3 %; pass rate within 20.7 % to 93.8 % (95 %)",
        ]
    )
    result.stdout.fnmatch_lines(["note: this is run 1: 0 of 3 runs passed, 2 must: stable fail"])
    if not xdist:
        result.stdout.fnmatch_lines(["*, 3 runs each, 2 must pass, pass rate 1"])


def test_all_runs_must_pass_unless_stated(folder: Folder) -> None:
    folder.eval_set({"moody": good(2)})
    folder.write("moods.py", MOODY)
    result = folder.run(*RUN, "--repetitions", "2", agent="moods:moody")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["note: this is run 2: 1 of 2 runs passed, 2 must: flaky"])


def test_a_thread_states_its_own_policy(folder: Folder) -> None:
    own = thread("moody", good(2), evaluation={"repetitions": 3, "pass_runs": 2})
    folder.eval_set([thread("good", good(1)), own])
    folder.write("moods.py", MOODY)
    result = folder.run(*RUN, agent="moods:moody")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["passed  moody * 2 of 3 runs passed, 2 must: flaky"])
    result.stdout.no_fnmatch_line("*over * runs*")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--repetitions", "0"), "*--repetitions: expected * greater than or equal to 1*"),
        (("--repetitions", "two"), "*--repetitions: expected *found the string*two*"),
        (("--pass-runs", "2"), "*thread t: pass_runs: expected at most as many as repetitions (1), found 2*"),
    ],
)
def test_what_cannot_hold_is_refused_before_the_agent_runs(
    folder: Folder, options: tuple[str, ...], message: str
) -> None:
    folder.eval_set({"t": good(1)})
    result = folder.run(*RUN, *options, agent="little_agent:none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
