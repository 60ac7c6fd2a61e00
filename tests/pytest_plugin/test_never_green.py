"""What has turned other checkers green by accident (outcomes, section 7)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import eval_set_text, thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")


def test_no_threads(folder: Folder) -> None:
    folder.eval_set({})
    result = folder.run(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: x.evalset.json: the eval set has no threads*"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--evalset", "nothing/*.json"), "--evalset nothing/[*].json: matches no file*"),
        (("--evalset", "y.evalset.json"), "--evalset y.evalset.json: does not exist*did you mean 'x.evalset.json'*"),
        (("--evalset", "."), ".: expected a file, found a directory*"),
        (("--evalset", ""), "*"),
    ],
)
def test_no_file(folder: Folder, words: tuple[str, ...], message: str) -> None:
    folder.eval_set({"a": good(1)})
    result = folder.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_everything_deselected(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    assert folder.run(*RUN, "-k", "no_such_name").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_thread_without_traces_is_skipped_and_named(folder: Folder) -> None:
    folder.eval_set({"empty": [], "good": good(1)})
    result = folder.run(*RUN)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["skipped empty*", "tool trajectory: 1/1 threads passed (100 %), 1 skipped, required 100 %: PASSED"]
    )


def test_turns_that_state_no_expectation_are_skipped_but_replayed(folder: Folder) -> None:
    def case(identity: str, *turns: dict[str, object]) -> dict[str, object]:
        return {"eval_id": identity, "conversation": list(turns)}

    def turn(query: str, **keys: object) -> dict[str, object]:
        return {"user_content": {"role": "user", "parts": [{"text": query}]}, **keys}

    calls = {"tool_uses": [{"name": "add", "args": {"a": 1, "b": 1}}]}
    cases = [case("silent", turn("hello")), case("half", turn("hello"), turn("add 1 1", intermediate_data=calls))]
    folder.write("x.evalset.json", json.dumps({"eval_set_id": "s", "eval_cases": cases}))
    result = folder.run(*RUN)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["  x.evalset.json (*ADK*", "skipped silent*", "passed  half*"])
    folder.write("x.evalset.json", json.dumps({"eval_set_id": "s", "eval_cases": cases[:1]}))
    assert folder.run(*RUN).ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("xdist", [(), ("-n", "1")])
def test_nothing_evaluated_at_all(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({"empty": []})
    result = folder.run(*RUN, *xdist)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because nothing was evaluated"])


def test_two_threads_with_one_id_across_files(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    folder.eval_set({"a": good(2)}, name="y.evalset.json")
    result = folder.run(*RUN, "--evalset", "y.evalset.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: the thread id 'a' stands in x.evalset.json and in y.evalset.json"])


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        ({"match_mod": "STRICT"}, "*/evaluation/match_mod expected *did you mean 'match_mode'*"),
        ({"match_mode": "SUPERSETT"}, "*/evaluation/match_mode expected *did you mean 'SUPERSET'*"),
        ({"min_pass_rate": 80}, "*/evaluation/min_pass_rate expected a number from 0 to 1*"),
        ({"must_pass": True}, "*/evaluation/must_pass expected *"),
        ({"arguments": {"polici": "exact"}}, "*/evaluation/arguments/polici expected *did you mean 'policy'*"),
    ],
)
def test_a_misspelt_setting(folder: Folder, evaluation: dict[str, object], message: str) -> None:
    folder.eval_set({"a": good(1)}, evaluation=evaluation)
    result = folder.run(*RUN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: x.evalset.json:[0-9]*:[0-9]*: {message}"])


def test_a_recording_that_lacks_a_thread(folder: Folder) -> None:
    folder.eval_set({"a": good(1), "b": good(2)})
    folder.eval_set({"a": good(1)}, name="run.json")
    result = folder.run(*RUN, "--recorded", "run.json", agent=None)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*no verdict: turn 1 of 1: the recording run.json has no thread 'b'*"])


def test_a_recording_with_a_thread_too_many(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    folder.eval_set({"a": good(1), "stray": good(2)}, name="run.json")
    result = folder.run(*RUN, "--recorded", "run.json", agent=None)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because the recording run.json has threads that no eval set knows of: stray"])
    assert folder.run(*RUN, "--recorded", "run.json", "--allow-unmatched", agent=None).ret == pytest.ExitCode.OK


def test_a_recording_with_fewer_or_more_turns(folder: Folder) -> None:
    one, two = good(1), [*good(1), *good(2)]
    folder.eval_set({"a": two})
    folder.eval_set({"a": one}, name="run.json")
    fewer = folder.run(*RUN, "--recorded", "run.json", agent=None)
    fewer.assert_outcomes(errors=1)
    fewer.stdout.fnmatch_lines(["*no verdict: turn 2 of 2: the recording run.json ends after 1 of the turns"])
    folder.eval_set({"a": one})
    folder.eval_set({"a": two}, name="run.json")
    more = folder.run(*RUN, "--recorded", "run.json", agent=None)
    more.assert_outcomes(failed=1)
    more.stdout.fnmatch_lines(["turn 2 (trace turn-2) is in the recording only", "user: add 2 1", "+ add*"])


def test_a_truncated_recording(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    line = json.dumps(json.loads(eval_set_text({"a": good(1)}))["threads"][0])
    folder.write("run.jsonl", f"{line}\n{line[:40]}")
    result = folder.run(*RUN, "--recorded", "run.jsonl", agent=None)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  note: *run.jsonl*", "*FAILED", "  because the recording run.jsonl is incomplete*"])


def test_a_recording_in_the_format_of_another_tool(folder: Folder) -> None:
    folder.eval_set({"run": [("add 1 1", [{"name": "add", "arguments": {"a": 1, "b": 1}}])]})
    function = {"name": "add", "arguments": '{"a": 1, "b": 1}'}
    messages = [
        {"role": "user", "content": "add 1 1"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": "2"},
        {"role": "assistant", "content": "2"},
    ]
    folder.write("run.json", json.dumps(messages))
    result = folder.run(*RUN, "--recorded", "run.json", agent=None)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["trajectory *: the recording run.json (*openai*)"])


def test_a_recording_of_another_conversation(folder: Folder) -> None:
    folder.eval_set({"a": [("hello", [])]})
    folder.eval_set({"a": [("bye", [])]}, name="run.json")
    result = folder.run(*RUN, "--recorded", "run.json", agent=None)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['*turn 1 of the recording run.json answers another query: the string "bye"'])


def test_a_recorded_turn_that_ended_in_an_error(folder: Folder) -> None:
    folder.eval_set({"a": [("hello", [])]})
    recorded = json.loads(eval_set_text({"a": [("hello", [])]}))
    recorded["threads"][0]["traces"][0]["output"] = "quota exceeded"
    folder.write("run.json", json.dumps(recorded))
    result = folder.run(*RUN, "--recorded", "run.json", "--match-mode", "SUBSET", agent=None)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the turn ended in an error: quota exceeded*"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('boom')", "*the agent raised ValueError: boom"),
        ("raise SystemExit(0)", "*the agent raised SystemExit: 0"),
        ("import pytest; pytest.skip('no')", "*the agent raised Skipped: no"),
        ("import pytest; pytest.fail('no')", "*the agent raised Failed: no"),
        ("import asyncio; raise asyncio.CancelledError", "*the agent raised CancelledError"),
        ("raise KeyboardInterrupt", "*the agent raised KeyboardInterrupt"),
        ("import time; time.sleep(30)", "*the agent did not answer within 0.5 s (--turn-timeout)"),
        ("return None", "*the agent returned None; understood are*"),
        ("return ''", "*the agent returned no text and no tool call"),
        ("return '  '", "*the agent returned no text and no tool call"),
        ("return 5", "*the agent returned the number 5; understood are*"),
        ("return object()", "*the agent returned a object; understood are*"),
        ("return []", "*the agent returned an empty array; understood are*"),
        ("return {}", "*the agent returned an empty object; understood are*"),
        ("return {'answr': 'x'}", "*the agent returned an object with the keys answr; understood are*"),
        ("return {'output': 'x', 'tool_cals': []}", "*did you mean 'tool_calls'*"),
        ("return {'output': 'x', 'tool_calls': [5]}", "*tool_calls: expected a tool call, found the number 5*"),
        ("return (x for x in 'ab')", "*the agent returned a generator; understood are*"),
        ("return asyncio.sleep", "*the agent returned a function; understood are*"),
    ],
)
@pytest.mark.parametrize("mode", ["SUBSET", "SUPERSET"])
def test_a_dead_agent_passes_nothing(folder: Folder, body: str, message: str, mode: str) -> None:
    folder.eval_set({"a": [("hello", [])]})
    folder.write("mine.py", f"import asyncio\ndef agent(query):\n    {body}")
    result = folder.run(*RUN, "--match-mode", mode, "--turn-timeout", "0.5", agent="mine:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*trajectory/*.py*")


def test_turns_before_a_crash_keep_their_results_and_later_ones_are_not_run(folder: Folder) -> None:
    folder.eval_set({"a": [*bad(1), ("raise", []), *good(2)]})
    result = folder.run(*RUN)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "no verdict: turn 2 of 3: the agent raised ValueError: out of paper",
            "turn 1 of 3 (trace turn-1)",
            "turn 2 of 3 (trace turn-2)",
            "user: raise",
            "no verdict: the agent raised ValueError: out of paper",
            '  at little_agent.py:* in agent: raise ValueError("out of paper")',
            "turn 3 of 3: not run",
        ]
    )


def test_all_failing_turns_are_reported(folder: Folder) -> None:
    folder.eval_set({"a": [*bad(1), *good(2), *bad(3)]})
    result = folder.run(*RUN)
    result.stdout.fnmatch_lines(["turns 1, 3 of 3 differ", "turn 1 of 3 (trace turn-1)", "turn 3 of 3 (trace turn-3)"])


@pytest.mark.parametrize("xdist", [(), ("-n", "1")])
def test_a_run_cut_short_by_x(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({f"t{number}": bad(number) if number == 0 else good(number) for number in range(5)})
    result = folder.run(*RUN, *xdist, "-x", "--min-pass-rate", "0.1")
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["  because the run was cut short: * of 5 threads came to an end"])


@pytest.mark.parametrize("xdist", [(), ("-n", "1")])
def test_a_group_that_was_never_reached(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({"a": bad(1)}, evaluation={"min_pass_rate": 0})
    folder.eval_set({"b": good(1)}, name="y.evalset.json", evaluation={"min_pass_rate": 1})
    result = folder.run(*RUN, "--evalset", "y.evalset.json", "-x", *xdist)
    assert result.ret != pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "tool trajectory (x.evalset.json): 0/1 threads passed (0 %), required 0 %: PASSED",
            "tool trajectory (y.evalset.json): 0/0 threads passed, required 100 %: FAILED",
            "  because the run was cut short: 0 of 1 threads came to an end",
        ]
    )


def test_an_interrupted_run_keeps_what_finished(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(2)})
    folder.write(
        "conftest.py",
        """
        def pytest_runtest_setup(item):
            if item.name == "two":
                raise KeyboardInterrupt
        """,
    )
    result = folder.pytester.runpytest_subprocess(*RUN, "--agent", "little_agent:agent")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["passed  one*", "*FAILED", "  because the run was cut short: 1 of 2 threads*"])


def test_a_worker_that_dies(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": [("die", [])], "three": good(3)})
    folder.write(
        "mine.py",
        "import os, little_agent\ndef agent(query):\n    return os._exit(1) if query == 'die' else little_agent.agent(query)",
    )
    result = folder.run(*RUN, "-n", "1", "--min-pass-rate", "0.1", "--max-errors", "5", agent="mine:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  because the run was cut short: 2 of 3 threads came to an end"])


def test_a_rerun_that_turns_green_is_shown_as_flaky(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": bad(2)})
    folder.write(
        "mine.py",
        """
        from little_agent import agent as right
        seen = []
        def agent(query):
            seen.append(query)
            return right(query) if len(seen) > 1 else "no calls"
        """,
    )
    result = folder.run(*RUN, "--reruns", "1", agent="mine:agent")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["tool trajectory: 1/2 *FAILED", "  warning: one is flaky: failed, then passed"])


def test_an_agent_that_remembers_the_last_session_is_noticed(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(1)})
    folder.write(
        "mine.py",
        """
        from little_agent import agent as right
        class Agent:
            def __init__(self):
                self.heard = []
            def __call__(self, query):
                self.heard.append(query)
                return right(query) if len(self.heard) == 1 else "I remember"
        shared = Agent()
        """,
    )
    folder.run(*RUN, agent="mine:Agent").assert_outcomes(passed=2)
    folder.run(*RUN, agent="mine:shared").assert_outcomes(passed=1, failed=1)


def test_an_empty_side_is_marked_as_nothing_to_check(folder: Folder) -> None:
    folder.eval_set({"chat": [("hello", [])]})
    for mode in ("SUBSET", "SUPERSET", "IN_ORDER"):
        result = folder.run(*RUN, "--match-mode", mode)
        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines(["  warning: nothing to check in chat*"])


def test_malformed_arguments_count_and_are_shown(folder: Folder) -> None:
    folder.eval_set({"a": [("hello", [{"name": "pay"}])]})
    folder.write(
        "mine.py",
        """
        def agent(query):
            function = {"name": "pay", "arguments": "{'amount': 5"}
            return [{"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}]
        """,
    )
    result = folder.run(*RUN, agent="mine:agent")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["note: call 1 has malformed arguments: the text is not JSON*"])


def test_an_unused_eval_set_is_an_error(folder: Folder) -> None:
    folder.eval_set({"a": good(1)})
    folder.write("test_suite.py", "def test_of_the_suite(): pass")
    for xdist in ((), ("-n", "1")):
        result = folder.run("test_suite.py", *RUN, *xdist)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stdout.fnmatch_lines(["x.evalset.json was given with --evalset, and no item and no test used it*"])


def test_an_initial_state_that_the_agent_cannot_take(folder: Folder) -> None:
    folder.eval_set([thread("a", good(1), initial_state={"cart": []})])
    result = folder.run(*RUN)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the thread states an initial_state, and a callable agent takes none*"])
