"""Jobs that run ahead of those who ask for them."""

from __future__ import annotations

import contextvars
import threading
import time

import pytest

from trajectory.running import Ahead

WHERE: contextvars.ContextVar[str] = contextvars.ContextVar("where", default="nowhere")


def test_as_many_jobs_run_at_once_as_there_are_workers() -> None:
    ahead: Ahead[int] = Ahead(3)
    gate = threading.Barrier(3, timeout=5)
    for number in range(3):
        ahead.plan(number, lambda number=number: gate.wait() * 0 + number)  # type: ignore[misc]
    assert [ahead.take(number) for number in range(3)] == [0, 1, 2]
    ahead.stop()


def test_no_more_jobs_than_workers_run_at_once() -> None:
    ahead: Ahead[None] = Ahead(2)
    running, most, lock = 0, 0, threading.Lock()

    def job() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    for number in range(8):
        ahead.plan(number, job)
    for number in range(8):
        ahead.take(number)
    assert most == 2
    ahead.stop()


def test_a_result_is_handed_out_once() -> None:
    ahead: Ahead[str] = Ahead(1)
    ahead.plan("a", lambda: "x")
    ahead.plan("a", lambda: "never")
    assert ahead.planned("a")
    assert ahead.take("a") == "x"
    assert not ahead.planned("a")
    ahead.stop()


def test_what_a_job_raises_is_raised_to_who_takes_it() -> None:
    ahead: Ahead[None] = Ahead(1)

    def job() -> None:
        raise KeyError("nothing")

    ahead.plan("a", job)
    with pytest.raises(KeyError, match="nothing"):
        ahead.take("a")
    ahead.stop()


def test_a_job_sees_the_context_of_who_planned_it() -> None:
    ahead: Ahead[str] = Ahead(1)
    token = WHERE.set("here")
    ahead.plan("a", WHERE.get)
    WHERE.reset(token)
    assert ahead.take("a") == "here"
    ahead.stop()


def test_nothing_begins_after_the_stop() -> None:
    ahead: Ahead[object] = Ahead(1)
    done: list[int] = []
    hold = threading.Event()
    ahead.plan(0, lambda: hold.wait(5))
    for number in range(1, 4):
        ahead.plan(number, lambda number=number: done.append(number))  # type: ignore[misc]
    ahead.stop()
    ahead.plan(9, lambda: done.append(9))
    hold.set()
    ahead.take(0)
    time.sleep(0.05)
    assert done == []


def test_what_is_finished_is_handed_out_without_waiting() -> None:
    ahead: Ahead[int] = Ahead(2)
    hold = threading.Event()

    def fail() -> int:
        raise ValueError

    ahead.plan("hangs", lambda: hold.wait(5) * 0)
    ahead.plan("fails", fail)
    ahead.plan("done", lambda: 1)
    while not ahead._planned["done"].done():
        time.sleep(0.01)
    ahead.plan("never", lambda: 2)
    ahead.stop()
    assert [ahead.take_finished(key) for key in ("hangs", "fails", "done", "done", "unknown")] == [
        None, None, 1, None, None,
    ]  # fmt: skip
    hold.set()
