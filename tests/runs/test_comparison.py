"""What changed since an accepted run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.made import made_run, made_thread
from trajectory.runs.comparison import Change, compare

ONE = [
    ("p", "p", Change.STILL_PASSING),
    ("p", "f", Change.NEWLY_FAILING),
    ("f", "p", Change.NEWLY_PASSING),
    ("f", "f", Change.STILL_FAILING),
    ("p", "e", Change.NO_VERDICT),
    ("e", "p", Change.NO_VERDICT),
    ("f", "e", Change.NO_VERDICT),
    ("s", "p", Change.NO_VERDICT),
    ("s", "s", Change.NO_VERDICT),
]
SEVERAL = [
    ("ppp", "ppp", Change.STILL_PASSING),
    ("fff", "fff", Change.STILL_FAILING),
    ("pp", "ff", Change.NEWLY_FAILING),  # two runs of each prove little, and one of each would count
    ("ff", "pp", Change.NEWLY_PASSING),
    ("ppp", "ppf", Change.FLAKY),
    ("ppf", "ppf", Change.FLAKY),
    ("ppf", "ppp", Change.FLAKY),
    ("p", "pf", Change.FLAKY),
    ("p", "ff", Change.NEWLY_FAILING),
    ("pppppppppp", "pffffffffp", Change.NEWLY_FAILING),  # 2 of 10 against 10 of 10
    ("ffffffffff", "ppppppppff", Change.FLAKY),  # passes far more often, and not often enough
    ("fffffffffp", "pppppppppp", Change.NEWLY_PASSING),
]


@pytest.mark.parametrize(("before", "now", "change"), ONE + SEVERAL)
def test_a_thread_changes(before: str, now: str, change: Change) -> None:
    comparison = compare(made_run(made_thread("t", now)), made_run(made_thread("t", before)))
    (found,) = comparison.changes
    assert (found.change, comparison.problems) == (change, ())
    assert (found.p_value is None) == (change is Change.NO_VERDICT or len(before) == len(now) == 1)


def test_what_may_be_chance_says_how_many_runs_would_tell() -> None:
    (found,) = compare(made_run(made_thread("t", "pppff")), made_run(made_thread("t", "p" * 10))).changes
    assert found.change is Change.FLAKY
    assert found.p_value is not None
    assert 0.05 < found.p_value < 0.1
    assert found.reason == f"3 of 5 runs passed, 10 of 10 did: may be chance, run {found.more_runs} more"
    passed = 3 * (5 + (found.more_runs or 0)) // 5
    longer = "p" * passed + "f" * (5 + (found.more_runs or 0) - passed)
    (later,) = compare(made_run(made_thread("t", longer)), made_run(made_thread("t", "p" * 10))).changes
    assert later.change is Change.NEWLY_FAILING


def test_no_number_of_runs_is_promised_where_none_would_tell() -> None:
    (found,) = compare(made_run(made_thread("t", "ppppf")), made_run(made_thread("t", "p"))).changes
    assert (found.change, found.more_runs) == (Change.FLAKY, None)
    assert found.reason == "4 of 5 runs passed, 1 of 1 did: may be chance"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"content_hash": "other"}, "the thread changed"),
        ({"settings_hash": "other"}, "its settings changed"),
        ({"content_hash": "other", "settings_hash": "other"}, "the thread and its settings changed"),
        ({"pass_runs": 1, "runs": "pf"}, "the share of its runs that must pass changed"),
    ],
)
def test_a_thread_that_was_changed_is_not_comparable(facts: dict[str, Any], reason: str) -> None:
    runs = facts.pop("runs", "pp")
    now = made_run(made_thread("t", runs, **facts), made_thread("other"))
    (found, _) = compare(now, made_run(made_thread("t", "pp"), made_thread("other"))).changes
    assert (found.change, found.reason) == (Change.NOT_COMPARABLE, reason)


def test_new_removed_and_left_out_threads_are_told_apart() -> None:
    before = made_run(made_thread("kept"), made_thread("gone", "f"), made_thread("left out"))
    now = made_run(made_thread("added"), made_thread("kept"), also=("left out",))
    comparison = compare(now, before)
    assert [(one.id, one.change, one.reason) for one in comparison.changes] == [
        ("added", Change.NEW, "is passed"),
        ("kept", Change.STILL_PASSING, ""),
        ("gone", Change.REMOVED, "was failed"),
        ("left out", Change.NOT_RUN, "was passed"),
    ]
    assert comparison.problems == ()


@pytest.mark.parametrize("facts", [{"complete": False}, {"halted": "the run halted on its budget"}])
def test_an_incomplete_baseline_is_a_problem(facts: dict[str, Any]) -> None:
    comparison = compare(made_run(made_thread("t")), made_run(made_thread("t"), **facts))
    assert comparison.problems == ("the baseline is incomplete",)


def test_a_baseline_of_another_eval_set_is_a_problem() -> None:
    comparison = compare(made_run(made_thread("t")), made_run(made_thread("u")))
    assert comparison.problems == ("no thread can be compared with the baseline: it has other threads",)
    changed = compare(made_run(made_thread("t", content_hash="new")), made_run(made_thread("t")))
    assert changed.problems == ("no thread can be compared with the baseline",)


RUNS = st.dictionaries(st.sampled_from("abcdef"), st.text("pfe", min_size=1, max_size=4), max_size=6)


@given(RUNS, RUNS)
def test_every_thread_of_both_runs_is_there_once(now: dict[str, str], before: dict[str, str]) -> None:
    comparison = compare(
        made_run(*(made_thread(name, runs) for name, runs in now.items())),
        made_run(*(made_thread(name, runs) for name, runs in before.items())),
    )
    assert sorted(one.id for one in comparison.changes) == sorted({*now, *before})
    assert sum(comparison.counts.values()) == len(comparison.changes)


@given(RUNS)
def test_a_run_is_no_worse_than_itself(runs: dict[str, str]) -> None:
    run = made_run(*(made_thread(name, letters) for name, letters in runs.items()))
    assert not compare(run, run).of(Change.NEWLY_FAILING, Change.NEWLY_PASSING, Change.NEW, Change.NOT_COMPARABLE)


@given(RUNS, RUNS, st.randoms())
def test_the_order_of_threads_changes_nothing(now: dict[str, str], before: dict[str, str], random: Any) -> None:
    threads = [made_thread(name, runs) for name, runs in now.items()]
    baseline = made_run(*(made_thread(name, runs) for name, runs in before.items()))
    shuffled = random.sample(threads, len(threads))
    one, other = compare(made_run(*threads), baseline), compare(made_run(*shuffled), baseline)
    assert {(c.id, c.change, c.p_value) for c in one.changes} == {(c.id, c.change, c.p_value) for c in other.changes}
