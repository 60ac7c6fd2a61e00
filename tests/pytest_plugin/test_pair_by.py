"""How recorded threads find their partners, in runs of pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import bad, good

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

RECORDED = ("--evalset", "x.evalset.json", "--recorded", "run.json")


@pytest.fixture
def renamed(folder: Folder) -> Folder:
    """A recording whose threads have ids of their own, and stand in another order."""
    folder.eval_set({"a": good(1), "b": bad(2)})
    folder.eval_set({"run-2": good(2), "run-1": good(1)}, name="run.json")
    return folder


@pytest.mark.parametrize("words", [(), ("--pair-by", "query"), ("-n", "2")])
def test_what_the_user_said_tells_which_thread_was_recorded(renamed: Folder, words: tuple[str, ...]) -> None:
    result = renamed.run(*RECORDED, *words, agent=None)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*2 recorded threads paired by what the user said: run-2 -> b, run-1 -> a"])
    result.stdout.fnmatch_lines(["rerun: *--pair-by query*" if "--pair-by" in words else "rerun: *"])


def test_by_id_alone_these_have_no_partner(renamed: Folder) -> None:
    result = renamed.run(*RECORDED, "--pair-by", "id", agent=None)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*has threads that no eval set knows of: run-2, run-1"])


def test_an_eval_set_that_is_collected_late_is_paired_as_well(renamed: Folder) -> None:
    result = renamed.run(".", "-o", "trajectory_collect_evalsets=true", "--recorded", "run.json", agent=None)
    result.assert_outcomes(passed=1, failed=1)


def test_a_way_that_is_none(renamed: Folder) -> None:
    result = renamed.run(*RECORDED, "--pair-by", "ordr", agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--pair-by: expected one of id, query, order, found 'ordr' (did you mean 'order'?)"])
