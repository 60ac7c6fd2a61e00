"""The recordings beside the sample agents: one conversation, in every container of spans."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings.spans.making import calls, results
from tests.recordings.spans.test_span_truth import documents
from trajectory.recordings.formats import FORMATS

FOLDER = Path(__file__).parents[3] / "fixtures" / "recordings"
SAMPLES = {
    "otlp.jsonl": "otlp",
    "tempo.json": "tempo",
    "jaeger.json": "jaeger",
    "otel_console.jsonl": "otel-console",
    "phoenix.json": "phoenix",
    "flat_spans.json": "flat-spans",
    "langsmith.jsonl": "langsmith",
}


@pytest.mark.parametrize("file", SAMPLES)
def test_one_conversation_in_every_container(file: str) -> None:
    document = documents((FOLDER / file).read_text("utf-8"))
    (matching,) = (known for known in FORMATS if known.matches(document))
    reading = matching.read(document)
    assert (matching.name, reading.notes, reading.incomplete) == (SAMPLES[file], (), False)
    ((weather, clock),) = (thread.traces for thread in reading.threads if thread.id == "talk")
    assert (weather.query, weather.response) == ("What is the weather in Paris?", "It is 18 degrees.")
    assert (clock.query, clock.response) == ("And the time?", "It is noon.")
    assert calls(weather) == [("get_weather", {"city": "Paris"})]
    assert calls(clock) == [("now", {})]
    assert results(weather) == [("get_weather", '{"temperature": 18}', "call_1")]
    assert results(clock) == [("now", "12:00", "call_2")]
