"""One item per conversation thread, and everything with which pytest selects items."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

THREE = {"one": good(1), "two": good(2), "three": good(3)}


def test_one_line_per_thread_and_green(folder: Folder) -> None:
    folder.eval_set(THREE)
    result = folder.run("--evalset", "x.evalset.json")
    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "passed  one *1 turn, 1 call",
            "passed  two *1 turn, 1 call",
            "passed  three *1 turn, 1 call",
            "tool trajectory: 3/3 threads passed (100 %), required 100 %: PASSED",
        ]
    )


def test_evalset_alone_runs_those_threads_alone(folder: Folder) -> None:
    folder.eval_set(THREE)
    folder.pytester.makepyfile("def test_of_the_suite(): assert False")
    folder.run("--evalset", "x.evalset.json").assert_outcomes(passed=3)


def test_testpaths_do_not_count_as_paths_given(folder: Folder) -> None:
    folder.eval_set(THREE)
    folder.write("tests/test_suite.py", "def test_of_the_suite(): assert False")
    folder.pytester.makeini("[pytest]\ntestpaths = tests")
    folder.run("--evalset", "x.evalset.json").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    "words",
    [
        ["x.evalset.json"],
        ["./x.evalset.json"],
        ["no/../x.evalset.json"],
        ["--evalset", "x.evalset.json", "x.evalset.json"],
    ],
)
def test_an_eval_set_may_be_given_as_a_path(folder: Folder, words: list[str]) -> None:
    folder.eval_set(THREE)
    folder.run(*words).assert_outcomes(passed=3)


def test_evalset_repeated_and_as_glob(folder: Folder) -> None:
    folder.eval_set({"a": good(1)}, name="sets/a.evalset.json")
    folder.eval_set({"b": good(1)}, name="sets/b.evalset.json")
    folder.eval_set({"c": good(1)}, name="c.json")
    folder.run("--evalset", "sets/*.evalset.json", "--evalset", "c.json").assert_outcomes(passed=3)


def test_a_glob_that_the_shell_expanded_means_the_same(folder: Folder) -> None:
    folder.eval_set({"a": good(1)}, name="a.evalset.json")
    folder.eval_set({"b": good(1)}, name="b.evalset.json")
    folder.run("--evalset", "a.evalset.json", "b.evalset.json").assert_outcomes(passed=2)


def test_the_same_file_twice_is_run_once(folder: Folder) -> None:
    folder.eval_set(THREE)
    folder.run("--evalset", "x.evalset.json", "--evalset", f"../{folder.path.name}/x.evalset.json").assert_outcomes(
        passed=3
    )


def test_collect_only_lists_the_node_ids_and_needs_no_agent(folder: Folder) -> None:
    folder.eval_set(THREE)
    result = folder.run("--evalset", "x.evalset.json", "--co", "-q", agent=None)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["x.evalset.json::one", "x.evalset.json::two", "x.evalset.json::three"])


def test_select_by_node_id(folder: Folder) -> None:
    folder.eval_set(THREE)
    folder.run("x.evalset.json::two").assert_outcomes(passed=1)


def test_select_by_keyword(folder: Folder) -> None:
    folder.eval_set(THREE)
    folder.run("--evalset", "x.evalset.json", "-k", "two or three").assert_outcomes(passed=2, deselected=1)


def test_select_by_tag_with_m_and_k(folder: Folder) -> None:
    folder.eval_set([thread("one", good(1), tags=["smoke", "slow-one"]), thread("two", good(2))])
    for words in (["-m", "smoke"], ["-k", "smoke"], ["-m", "slow-one"], ["-m", "evalset and smoke"]):
        folder.run("--evalset", "x.evalset.json", "--strict-markers", *words).assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize("tag", ["skip", "xfail", "skipif", "usefixtures", "_private", "with space"])
def test_a_tag_never_changes_an_outcome(folder: Folder, tag: str) -> None:
    folder.eval_set([thread("one", bad(1), tags=[tag])])
    folder.run("--evalset", "x.evalset.json", "--strict-markers").assert_outcomes(failed=1)


def test_not_evalset_keeps_live_runs_out(folder: Folder) -> None:
    folder.eval_set(THREE)
    result = folder.run("x.evalset.json", "-m", "not evalset", "--strict-markers")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_evalset_tag_runs_only_the_threads_with_it(folder: Folder) -> None:
    folder.eval_set(
        [thread("one", good(1), tags=["smoke"]), thread("two", bad(2)), thread("three", good(3), tags=["x"])]
    )
    folder.run("--evalset", "x.evalset.json", "--evalset-tag", "smoke").assert_outcomes(passed=1)
    folder.run("--evalset", "x.evalset.json", "--evalset-tag", "smoke", "--evalset-tag", "x").assert_outcomes(passed=2)


def test_an_unknown_tag_is_a_usage_error(folder: Folder) -> None:
    folder.eval_set([thread("one", good(1), tags=["smoke"])])
    result = folder.run("--evalset", "x.evalset.json", "--evalset-tag", "smok")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --evalset-tag smok: no thread has this tag (did you mean 'smoke'[?])"])


def test_deselect(folder: Folder) -> None:
    folder.eval_set(THREE)
    folder.run("--evalset", "x.evalset.json", "--deselect", "x.evalset.json::one").assert_outcomes(
        passed=2, deselected=1
    )


def test_last_failed_runs_only_what_failed(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": bad(2), "three": good(3)})
    folder.run("--evalset", "x.evalset.json", "--lf").assert_outcomes(passed=2, failed=1)
    folder.run("--evalset", "x.evalset.json", "--lf").assert_outcomes(failed=1)


def test_xdist_gives_the_same(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": bad(2), "three": good(3)})
    alone = folder.run("--evalset", "x.evalset.json")
    spread = folder.run("--evalset", "x.evalset.json", "-n", "2")
    for result in (alone, spread):
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.assert_outcomes(passed=2, failed=1)
        result.stdout.fnmatch_lines(["tool trajectory: 2/3 threads passed (66.6 %), required 100 %: FAILED"])
    closing = [result.stdout.str().partition("conversation threads")[2] for result in (alone, spread)]
    assert closing[0].partition("rerun")[0] == closing[1].partition("rerun")[0]


def test_eval_sets_that_lie_in_a_folder_are_left_alone(folder: Folder) -> None:
    folder.eval_set(THREE, name="tests/x.evalset.json")
    folder.write("tests/other.evalset.json", json.dumps({"test_cases": []}))
    folder.write("tests/test_suite.py", "def test_of_the_suite(): pass")
    folder.run("tests").assert_outcomes(passed=1)
    folder.run().assert_outcomes(passed=1)


def test_the_ini_option_collects_those_of_a_folder(folder: Folder) -> None:
    folder.eval_set(THREE, name="tests/x.evalset.json")
    folder.pytester.makeini("[pytest]\ntrajectory_collect_evalsets = true")
    folder.run("tests").assert_outcomes(passed=3)


def test_a_bad_one_in_a_folder_is_a_collection_error_without_traceback(folder: Folder) -> None:
    folder.write("tests/other.evalset.json", json.dumps({"test_cases": []}))
    folder.pytester.makeini("[pytest]\ntrajectory_collect_evalsets = true")
    result = folder.run("tests")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.fnmatch_lines(["*other.evalset.json*expected*"])


ODD_IDS = [
    "with space",
    "a/b",
    "a::b",
    "::",
    "a[b]",
    "[",
    "100%",
    "%3A",
    "emoji 🦊",
    "é",
    "x" * 5000,
    "new\nline",
    "nul\x00",
    "\u202eright to left",
    "back\\slash",
    "-k",
    ".",
    "..",
    "",
]


@pytest.mark.parametrize("identity", ODD_IDS, ids=range(len(ODD_IDS)))
def test_odd_ids_can_be_collected_selected_and_reported(folder: Folder, identity: str) -> None:
    folder.eval_set({identity: good(1), "other": good(2)})
    listed = folder.run("--evalset", "x.evalset.json", "--co", "-q").outlines
    node_id = next(line for line in listed if line.startswith("x.evalset.json::") and not line.endswith("::other"))
    result = folder.run(node_id, "--junitxml=junit.xml")
    result.assert_outcomes(passed=1)
    assert "<testcase" in (folder.path / "junit.xml").read_text(encoding="utf-8")


def test_odd_ids_do_not_become_one(folder: Folder) -> None:
    folder.eval_set({identity: good(number) for number, identity in enumerate(ODD_IDS)})
    folder.run("--evalset", "x.evalset.json").assert_outcomes(passed=len(ODD_IDS))


def test_odd_ids_cross_xdist(folder: Folder) -> None:
    folder.eval_set({identity: bad(number) for number, identity in enumerate(ODD_IDS)})
    folder.run("--evalset", "x.evalset.json", "-n", "2").assert_outcomes(failed=len(ODD_IDS))
