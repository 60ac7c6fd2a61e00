"""The recordings beside the sample agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings.spans.making import threads, weather
from tests.recordings.spans.test_span_dialects import check_langsmith
from tests.recordings.spans.test_span_truth import documents
from trajectory.recordings.formats import FORMATS

FOLDER = Path(__file__).parents[3] / "fixtures" / "recordings"


@pytest.mark.parametrize("name", ["weather.otlp.jsonl", "weather.jaeger.json", "weather.console.jsonl"])
def test_one_conversation_in_several_containers(name: str) -> None:
    document = documents((FOLDER / name).read_text("utf-8"))
    (matching,) = (known for known in FORMATS if known.matches(document))
    expected = threads(*weather(thread="weather"), *weather(thread="weather", trace="b2", at=100))
    assert matching.read(document).threads == expected


def test_runs_of_langsmith() -> None:
    check_langsmith(documents((FOLDER / "weather.langsmith.jsonl").read_text("utf-8")))
