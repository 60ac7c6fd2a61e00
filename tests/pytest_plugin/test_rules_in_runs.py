"""Rules as a run states them: in the eval set, on a thread, on the command line, in the ini file, in a conftest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")


pytestmark = pytest.mark.usefixtures("own_rules")


def test_the_tool_trajectory_alone_is_not_named(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": bad(2)})
    result = folder.run(*RUN)
    result.stdout.fnmatch_lines(["tool trajectory: 1/2 threads passed*"])
    result.stdout.no_fnmatch_line("*rules*")
    result.stdout.no_fnmatch_line("*breached*")


@pytest.mark.parametrize("source", ["eval set", "thread", "option", "ini"])
def test_each_source_states_rules(folder: Folder, source: str) -> None:
    stated = ["tool_trajectory", {"length": {"max": 3}}]
    of_set: dict[str, Any] = {"evaluation": {"rules": stated}} if source == "eval set" else {}
    of_thread = {"evaluation": {"rules": stated}} if source == "thread" else {}
    folder.eval_set([thread("one", good(1), **of_thread)], **of_set)
    if source == "ini":
        folder.write("pytest.ini", "[pytest]\ntrajectory_rules =\n    tool_trajectory\n    length:max=3\n")
    options = ("--rule", "tool_trajectory", "--rule", "length:max=3") if source == "option" else ()
    result = folder.run(*RUN, *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["    rules tool trajectory, length, STRICT, exact arguments, pass rate 1"])
    result.stdout.fnmatch_lines(["length breached in turn 1 of 1", "length: the answer has 13 characters, not 1 to 3"])
    result.stdout.fnmatch_lines(["tool trajectory, length: 0/1 threads passed (0 %), required 100 %: FAILED"])


def test_a_thread_wins_over_its_set_and_the_command_line_over_both(folder: Folder) -> None:
    of_thread = {"evaluation": {"rules": [{"length": {"max": 20}}]}}
    folder.eval_set(
        [thread("own", bad(1), **of_thread), thread("other", bad(2))], evaluation={"rules": [{"length": {"max": 3}}]}
    )
    result = folder.run(*RUN)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["passed  own  *", "failed  other*"])
    result = folder.run(*RUN, "--rule", "length")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["    rules length, pass rate 1 (--rule overrides the eval set)"])


def test_the_agent_is_asked_once_whatever_the_number_of_rules(folder: Folder) -> None:
    folder.write(
        "counting.py",
        "asked = []\ndef agent(query):\n    asked.append(query)\n    print('asked', query)\n    return query\n",
    )
    folder.eval_set({"one": [("hello", [])]})
    result = folder.run(*RUN, "--rule", "length", "--rule", "no_loops", "-s", agent="counting:agent")
    assert sum(line.count("asked hello") for line in result.stdout.lines) == 1


@pytest.mark.parametrize("xdist", [(), ("-n", "2")])
def test_the_label_is_the_same_in_every_process(folder: Folder, xdist: tuple[str, ...]) -> None:
    own = {"evaluation": {"rules": ["length"]}}
    folder.eval_set([thread("one", good(1)), thread("two", bad(2), **own)])
    result = folder.run(*RUN, *xdist)
    result.stdout.fnmatch_lines(["tool trajectory, length: 2/2 threads passed (100 %), required 100 %: PASSED"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--rule", "lenght"),
            "--rule: expected the name of a rule, found the unknown rule 'lenght' (did you mean 'length'?)",
        ),
        (
            ("--rule", "length:mx=3"),
            "--rule: expected a settings key, found the unknown key 'mx' (did you mean 'max'?)",
        ),
        (("--rule", "length:max"), "rule 'length:max': expected NAME:KEY=VALUE,..., found 'max' without a value"),
        (("--rule", "length", "--rule", "length"), "--rule: expected each rule once, found the rule 'length' again"),
        (("--rule", ""), "--rule: expected the name of a rule, found the unknown rule ''"),
        (("-o", "trajectory_rules=lenght"), "trajectory_rules: expected the name of a rule, found the unknown rule"),
    ],
)
def test_a_wrong_rule_is_a_usage_error(folder: Folder, words: tuple[str, ...], message: str) -> None:
    folder.eval_set({"one": good(1)})
    result = folder.run(*RUN, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in "\n".join([*result.errlines, *result.outlines])


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (["lenght"], "/evaluation/rules/0 expected the name of a rule, found the unknown rule 'lenght' (did you mean"),
        ([{"length": {"mx": 1}}], "/evaluation/rules/0/length/mx expected a settings key, found the unknown key 'mx'"),
        ([], "/evaluation/rules expected a list of at least one rule, found an empty array"),
        (
            [{"content_safety": {"prohibited": [""]}}],
            "/prohibited/0 expected a text that is not empty, found the string",
        ),
    ],
)
def test_a_wrong_rule_in_a_file_is_said_with_its_place(folder: Folder, stated: Any, message: str) -> None:
    folder.eval_set({"one": good(1)}, evaluation={"rules": stated})
    result = folder.run(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = "\n".join([*result.errlines, *result.outlines])
    assert message in text
    place = next(line for line in text.splitlines() if message in line)
    assert place.removeprefix("ERROR: ").startswith("x.evalset.json:")
    assert place.split(":")[-3 if "ERROR" not in place else 2].strip().split(" ")[0].isdigit()


RULES = """
    from trajectory import Verdict, rule

    @rule("polite")
    def polite(expected, actual, settings):
        '''The agent says please.'''
        if "please" in actual.response:
            return Verdict.passed()
        return Verdict.failed("no please")

    @rule("careless")
    def careless(expected, actual, settings):
        pass
"""


def test_a_conftest_adds_rules(folder: Folder) -> None:
    folder.write("conftest.py", RULES)
    folder.eval_set({"good": [("please", [])], "bad": [("now", [])]}, evaluation={"rules": ["polite"]})
    result = folder.run("x.evalset.json")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["polite breached in turn 1 of 1", "polite: no please", "polite: 1/2 threads passed*"])


def test_a_rule_without_a_verdict_is_an_error(folder: Folder) -> None:
    folder.write("conftest.py", RULES)
    folder.eval_set({"one": [("please", [])]})
    result = folder.run("x.evalset.json", "--rule", "polite", "--rule", "careless", "--min-pass-rate", "0")
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["no verdict: turn 1 of 1: careless: the rule returned None, which is no verdict"])


def test_a_run_whose_rules_judge_nothing_is_no_pass(folder: Folder) -> None:
    folder.eval_set({"one": [("hello", [])]})
    result = folder.run(*RUN, "--rule", "valid_arguments")
    result.assert_outcomes(skipped=1)
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["  because nothing was evaluated"])


def test_the_rerun_command_keeps_the_rules(folder: Folder) -> None:
    folder.eval_set({"one": good(1)})
    result = folder.run(*RUN, "--rule", "length:min=1,max=3", "--rule", "exact_match")
    result.stdout.fnmatch_lines(["rerun: pytest *--rule length:min=1,max=3 --rule exact_match*"])


def test_a_thread_that_is_breached_as_a_whole_has_no_failing_turn(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(2)})
    result = folder.run(*RUN, "--rule", "content_coverage:required=goodbye", "--min-pass-rate", "0")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["tolerated one  1 turn, 1 call", "tolerated two  1 turn, 1 call"])
    result.stdout.fnmatch_lines(["content coverage: 0/2 threads passed (0 %), required 0 %: PASSED"])


BESIDE = """
from trajectory import Verdict, rule

@rule("says_done")
def says_done(expected, actual, settings):
    \"\"\"The agent has to be done.\"\"\"
    return Verdict.passed() if "done" in actual.response else Verdict.failed("not done")

def pytest_trajectory_agent():
    return lambda query: "done"
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--evalset", "sets/x.evalset.json"),
        ("--evalset=sets/*.evalset.json",),
        ("sets/x.evalset.json",),
        ("--evalset", "sets/x.evalset.json", "-n", "1"),
        ("--evalset", "sets/x.evalset.json", "test_it.py"),
    ],
)
def test_a_rule_in_the_conftest_beside_the_eval_set(folder: Folder, arguments: tuple[str, ...]) -> None:
    folder.write("sets/conftest.py", BESIDE)
    folder.write("test_it.py", "def test_it(conversation_thread):\n    assert conversation_thread.evaluation\n")
    folder.eval_set({"t": [("hello", [])]}, "sets/x.evalset.json", evaluation={"rules": ["says_done"]})
    result = folder.run(*arguments, agent=None)
    assert result.ret == pytest.ExitCode.OK


def test_a_rule_of_the_command_line_in_the_conftest_beside_the_eval_set(folder: Folder) -> None:
    folder.write("sets/conftest.py", BESIDE.replace("says_done", "says_it"))
    folder.eval_set({"t": [("hello", [])]}, "sets/x.evalset.json")
    result = folder.run("--evalset", "sets/x.evalset.json", "--rule", "says_it", agent=None)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["says it: 1/1 threads passed*"])
