"""What an item tells the process that decides about the run; it travels as text, also between xdist's processes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from trajectory.json_values import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

PROPERTY: Final = "trajectory"
ENTRY: Final = "trajectory_entry"
"""The property of a report that carries a thread's entry to the process that writes the results."""
RECORDED: Final = "trajectory_recorded"
"""The property of a report that carries a thread as it was recorded."""
WORK: Final = "trajectory_work"
"""Under this name a worker tells at its end what there was to do."""


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """Facts about one thread of a run.

    Attributes:
        group: What is gated together.
        thread_id: The thread's id.
        node_id: The item that replays it, when its eval set is given to pytest as a path.
        place: Its eval set and its place in there, to order threads by.
        selected: How many threads of the group this run was to do.
        min_pass_rate: The share of the group that must pass, as a decimal text.
        max_errors: How many of the group may end without a verdict.
        min_macro_f1: What the F1 of tool calls must be on average over the group, as a decimal text; empty for any.
        must_pass: It must pass whatever the rate.
        outcome: What came of it; empty when only pytest knows (an ordinary test).
        turns: How many turns it has.
        failing_turns: How many of them did not pass.
        nothing_to_check: Its verdicts hold only because a side was empty.
        calls: How many tool calls the agent made.
        runs: What came of each of its runs.
        pass_runs: How many of them must pass.
        repetitions: How many of them were asked for.
        halted: Why the run halted before the thread came to its end; empty when it did not.
        f1: The F1 of its tool calls, as an exact fraction; empty where there is none.
        tokens: How many tokens its runs have taken, as far as the agent said so.
        usd: How many US dollars they have cost, as far as that is known.
    """

    group: str
    thread_id: str
    node_id: str
    place: tuple[int, int]
    selected: int
    min_pass_rate: str
    max_errors: int
    must_pass: bool
    min_macro_f1: str = ""
    outcome: str = ""
    turns: int = 1
    failing_turns: int = 0
    nothing_to_check: bool = False
    calls: int = 0
    runs: tuple[str, ...] = ()
    pass_runs: int = 1
    repetitions: int = 1
    halted: str = ""
    f1: str = ""
    tokens: int = 0
    usd: float = 0.0

    def attach(self, item: pytest.Item) -> None:
        """Put the record on an item, in the place of one that an earlier try has left there."""
        item.user_properties[:] = [pair for pair in item.user_properties if pair[0] not in _NAMES]
        item.user_properties.append(("thread_id", printable(self.thread_id)))
        if self.outcome:
            item.user_properties.append(("outcome", str(self.outcome)))
        item.user_properties.append((PROPERTY, json.dumps({name: getattr(self, name) for name in self.__slots__})))


_NAMES: Final = {"thread_id", "outcome", PROPERTY}


def record_in(properties: Iterable[tuple[str, Any]]) -> ThreadRecord | None:
    """Find the record among the properties of a report."""
    texts = [value for name, value in properties if name == PROPERTY]
    return _read(texts[-1]) if texts else None


@lru_cache(maxsize=1)
def _read(text: str) -> ThreadRecord:
    """Read a record; the reports of one item, which follow each other, carry the same."""
    facts = json.loads(text)
    return ThreadRecord(**{**facts, "place": tuple(facts["place"]), "runs": tuple(facts["runs"])})


def strip(report: pytest.TestReport) -> None:
    """Take the record out of a report that was read, so that it does not turn up in JUnit XML."""
    report.user_properties = [pair for pair in report.user_properties if pair[0] not in {PROPERTY, ENTRY, RECORDED}]
