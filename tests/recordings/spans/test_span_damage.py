"""Damaged recordings: whatever stands in them, a reader reads or says what is wrong, and never breaks down."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recordings.spans.containers import CONTAINERS
from tests.recordings.spans.making import weather
from tests.recordings.spans.test_span_dialects import ASKED, call_in_openinference, langsmith_runs, llm
from trajectory.conversation import ConversationThread
from trajectory.recordings.formats import FORMATS

JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 5, -1.5, "", "text", "{oops", [], [None], {}, {"a": 1}, [[{}]]]
)
CALLING = {"role": "assistant", "tool_calls": [call_in_openinference("f", "1", "{}")]}
DOCUMENTS = [
    *(write(*weather()) for writers in CONTAINERS.values() for write in writers),
    CONTAINERS["flat-spans"][0](llm(1, [ASKED], [CALLING])),
    langsmith_runs(),
]


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the way to everything inside a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in ((*way, key), *places(item, (*way, key)))]


def replaced(document: Any, way: tuple[Any, ...], junk: Any) -> Any:
    damaged = copy.deepcopy(document)
    inner = damaged
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = junk
    return damaged


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda _: "")
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_damage_is_read_over_or_told(document: Any, data: st.DataObject) -> None:
    damaged = replaced(document, data.draw(st.sampled_from(places(document))), data.draw(JUNK))
    for known in FORMATS:
        if known.matches(damaged):
            try:
                reading = known.read(damaged)
            except (TypeError, ValueError) as wrong:
                assert "expected" in str(wrong)  # noqa: PT017 - either outcome is fine, if it is worded
            else:
                assert all(isinstance(thread, ConversationThread) for thread in reading.threads)
