"""Argument policies as a user of pytest sets them: by option, ini file and eval set, per tool; and what is warned about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.pytest_plugin.folder import good
from tests.sets import thread

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RUN = ("--evalset", "x.evalset.json")


def recorded(**arguments: Any) -> Any:
    return {"a": [("add 1 1", [{"name": "add", "arguments": arguments}])]}


CASES = [
    ("policy", {"a": 7}, ("--arguments", "ignore"), "trajectory_arguments = ignore", {"policy": "ignore"}),
    ("superset", {"a": 1}, ("--arguments", "superset"), "trajectory_arguments = superset", {"policy": "superset"}),
    (
        "subset",
        {"a": 1, "b": 1, "c": 1},
        ("--arguments", "subset"),
        "trajectory_arguments = subset",
        {"policy": "subset"},
    ),
    (
        "paths",
        {"a": 5, "b": 6},
        ("--ignore-path", "/a", "--ignore-path", "/b"),
        "trajectory_ignore_paths =\n  /a\n  /b",
        {"ignore_paths": ["/a", "/b"]},
    ),
    ("relative", {"a": 1.05, "b": 1}, ("--tolerance", "0.1"), "trajectory_tolerance = 0.1", {"tolerance": 0.1}),
    (
        "absolute",
        {"a": 3, "b": 2},
        ("--tolerance", "absolute=2"),
        "trajectory_tolerance = absolute=2",
        {"tolerance": {"absolute": 2}},
    ),
]


@pytest.mark.parametrize(("arguments", "words", "ini", "stated"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_each_source_states_the_same(
    folder: Folder, arguments: Any, words: tuple[str, ...], ini: str, stated: dict[str, Any]
) -> None:
    folder.eval_set(recorded(**arguments))
    assert folder.run(*RUN).ret == 1
    assert folder.run(*RUN, *words).ret == 0
    folder.eval_set(recorded(**arguments), evaluation={"arguments": stated})
    assert folder.run(*RUN).ret == 0
    folder.eval_set([thread("a", recorded(**arguments)["a"], evaluation={"arguments": stated})])
    assert folder.run(*RUN).ret == 0
    folder.eval_set(recorded(**arguments))
    folder.pytester.makeini(f"[pytest]\n{ini}")
    assert folder.run(*RUN).ret == 0


def test_per_tool(folder: Folder) -> None:
    folder.eval_set(recorded(a=9), evaluation={"arguments": {"tools": {"add": {"policy": "ignore"}}}})
    assert folder.run(*RUN).ret == 0
    folder.eval_set(
        recorded(a=9), evaluation={"arguments": {"policy": "ignore", "tools": {"add": {"policy": "exact"}}}}
    )
    assert folder.run(*RUN).ret == 1


def test_the_policies_of_several_sources_are_laid_over_each_other(folder: Folder) -> None:
    states = {"arguments": {"ignore_paths": ["/b"]}}
    folder.eval_set([thread("a", recorded(a=1.05, b=9)["a"], evaluation=states)])
    assert folder.run(*RUN).ret == 1
    assert folder.run(*RUN, "--tolerance", "0.1").ret == 0


def test_ignored_tools(folder: Folder) -> None:
    folder.eval_set({"a": [("sub 1 1, add 1 1", [{"name": "add", "arguments": {"a": 1, "b": 1}}])]})
    assert folder.run(*RUN).ret == 1
    assert folder.run(*RUN, "--ignore-tool", "s*").ret == 0
    folder.pytester.makeini("[pytest]\ntrajectory_ignore_tools =\n  nothing\n  sub")
    assert folder.run(*RUN).ret == 0


def test_matchers_in_the_data(folder: Folder) -> None:
    matcher = recorded(a={"$jsonSchema": {"type": "integer", "maximum": 3}}, b=1)
    folder.eval_set(matcher, evaluation={"arguments": {"matchers": True}})
    assert folder.run(*RUN).ret == 0
    folder.eval_set(matcher)
    result = folder.run(*RUN)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["    note: *$jsonSchema is plain data here: arguments.matchers is not on"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--arguments", "exakt"),
            "--arguments: expected one of exact, *found the string \"exakt\" (did you mean 'exact'[?])",
        ),
        (("--ignore-path", "a"), "--ignore-path: expected a JSON Pointer such as */request_id*(did you mean '/a'[?])"),
        (("--tolerance", "abc"), '--tolerance: expected a number, found the string "abc"'),
        (("--tolerance", "2"), "--tolerance: expected a number less than 1, found the number 2.0"),
        (("--tolerance", "rel=1"), "--tolerance: expected a settings key, found the unknown key 'rel'*"),
        (
            ("--turn-timeout", "-1"),
            "--turn-timeout: expected a number greater than or equal to 0, found the number -1*",
        ),
        (("--turn-timeout", "soon"), '--turn-timeout: expected a number, found the string "soon"'),
        (("--max-errors", "1.5"), '--max-errors: expected a whole number, found the string "1.5"'),
        (("--repeats", "maybe"), '--repeats: expected one of count, ignore, found the string "maybe"'),
    ],
)
def test_a_wrong_option_is_a_usage_error(folder: Folder, words: tuple[str, ...], message: str) -> None:
    folder.eval_set({"a": good(1)})
    result = folder.run(*RUN, *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_settings_that_nothing_uses_are_warned_about(folder: Folder) -> None:
    policy = {"ignore_paths": ["/a", "/request_id"], "tools": {"ad": {"policy": "ignore"}}}
    folder.eval_set({"a": good(1)}, evaluation={"arguments": policy, "ignore_tools": ["think"]})
    result = folder.run(*RUN)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "warning: x.evalset.json: arguments.tools names the tool 'ad', which no recorded call uses (did you mean 'add'[?])*",
            "warning: x.evalset.json: ignore_tools names 'think', which no recorded call uses*",
            "warning: x.evalset.json: arguments.ignore_paths names /request_id, which no recorded call has*",
        ]
    )
    result.stdout.no_fnmatch_line("*names /a,*")


def test_the_header_says_what_is_in_force(folder: Folder) -> None:
    folder.eval_set({"a": good(1)}, evaluation={"arguments": {"policy": "exact"}})
    words = (
        "--arguments",
        "superset",
        "--ignore-path",
        "/x",
        "--tolerance",
        "0.5",
        "--ignore-tool",
        "t",
        "--repeats",
        "ignore",
    )
    result = folder.run(*RUN, *words, "--case-insensitive", "--max-errors", "2", "--min-pass-rate", "0.9")
    in_force = (
        "    STRICT, superset arguments, case ignored, 1 paths ignored, tolerance 0.5 "
        "relative, without t, repeats ignored, pass rate 0.9, 2 errors allowed (*overrides the eval set)"
    )
    result.stdout.fnmatch_lines(["trajectory *: agent little_agent:agent", in_force])


def test_teacher_forced_on_the_command_line(folder: Folder) -> None:
    folder.eval_set({"t": [*good(1), *good(2)]})
    result = folder.run("--evalset", "x.evalset.json", "--teacher-forced")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*this agent's sessions cannot be given a history*"])
    result.stdout.fnmatch_lines(["*teacher-forced, pass rate 1"])
