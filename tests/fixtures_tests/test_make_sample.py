"""The committed recordings are what the sample agent does today."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from fixtures.make_sample import RECORDED_RUN, SAMPLE, SCRIPTS, recorded_run, render, sample
from trajectory.conversation import TRUSTED_JSON, ConversationThread, Trace, moment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def loaded(document: dict[str, Any]) -> dict[str, ConversationThread]:
    threads = [
        ConversationThread.model_validate(thread, by_alias=True, by_name=False, context=TRUSTED_JSON)
        for thread in document["threads"]
    ]
    return {thread.id: thread for thread in threads}


SAMPLE_THREADS = loaded(json.loads(SAMPLE.read_text("utf-8")))
RECORDED_THREADS = loaded(json.loads(RECORDED_RUN.read_text("utf-8")))
TRACES = [trace for thread in SAMPLE_THREADS.values() for trace in thread.traces]


@pytest.mark.parametrize(("path", "make"), [(SAMPLE, sample), (RECORDED_RUN, recorded_run)])
def test_the_committed_file_is_what_the_agent_does_today(path: Path, make: Callable[[], dict[str, Any]]) -> None:
    assert path.read_bytes() == render(make()).encode()


def test_recording_twice_gives_the_same_bytes() -> None:
    assert render(sample()) == render(sample())


def test_the_layout_is_that_of_other_writers() -> None:
    text = SAMPLE.read_text("utf-8")

    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert list(json.loads(text)) == ["id", "name", "description", "threads"]


def test_the_threads_have_speaking_ids_descriptions_and_tags() -> None:
    assert list(SAMPLE_THREADS) == [script.id for script in SCRIPTS]
    for thread in SAMPLE_THREADS.values():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", thread.id)
        assert thread.description.endswith(".")
        assert thread.tags
        assert 1 <= len(thread.traces) <= 4
        assert not thread.extras


def test_trace_ids_are_unique() -> None:
    assert set(Counter(trace.id for trace in TRACES).values()) == {1}


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.id)
def test_every_trace_is_complete(trace: Trace) -> None:
    last = trace.iterations[-1]

    assert trace.response
    assert trace.output == last.output[0]
    assert trace.trajectory == trace.model_copy(update={"tool_calls": None}).trajectory
    assert last.history[0].role == "system"
    assert [message for message in last.history if message.role == "user"][-1] == trace.user_message
    for earlier, later in pairwise(trace.iterations):
        assert later.history[: len(earlier.history) + 1] == (*earlier.history, earlier.output[0])


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.id)
def test_every_call_fits_the_schema_of_its_tool(trace: Trace) -> None:
    schemas = {tool.name: tool.parameters_schema for tool in trace.tools}
    for call in trace.trajectory:
        jsonschema.validate(call.arguments, schemas[call.name] or {})


def test_time_only_goes_forward() -> None:
    for thread in SAMPLE_THREADS.values():
        times = [
            moment(time)
            for trace in thread.traces
            for time in (
                trace.start_time,
                *(time for iteration in trace.iterations for time in (iteration.start_time, iteration.end_time)),
                trace.end_time,
            )
        ]
        assert times == sorted(times)


def test_the_sample_shows_what_suites_are_made_of() -> None:
    counts = [len(trace.trajectory) for trace in TRACES]
    contents = [
        json.loads(message.content or "")
        for trace in TRACES
        for message in trace.iterations[-1].history
        if message.role == "function"
    ]

    assert 0 in counts
    assert max(counts) > 1
    assert any("error" in content for content in contents)
    assert any("items" in json.dumps(call.arguments) for trace in TRACES for call in trace.trajectory)


def test_the_recorded_run_differs_in_one_argument_of_one_turn_and_one_call_of_another() -> None:
    def said(thread: ConversationThread) -> list[list[tuple[str, Any]]]:
        return [[(call.name, call.arguments) for call in trace.trajectory] for trace in thread.traces]

    assert list(RECORDED_THREADS) == list(SAMPLE_THREADS)
    differing = {name for name in SAMPLE_THREADS if said(SAMPLE_THREADS[name]) != said(RECORDED_THREADS[name])}
    assert differing == {"order-two-lamps"}
    expected, actual = (said(threads["order-two-lamps"]) for threads in (SAMPLE_THREADS, RECORDED_THREADS))
    assert actual[0] == expected[0]
    ((_, wrong),) = [call for call in actual[1] if call not in expected[1]]
    ((name, right),) = [call for call in expected[1] if call not in actual[1]]
    assert name == "place_order"
    assert wrong == {**right, "delivery": {**right["delivery"], "speed": "standard"}}
    assert actual[2] == [("list_orders", {}), *expected[2]]
