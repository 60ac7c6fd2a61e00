"""What span readers make of recordings of others, against what is known of these recordings."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.conversation import NOT_RECORDED, FunctionMessage, MalformedArguments
from trajectory.recordings.formats import FORMATS

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread, ToolCall, Trace
    from trajectory.recordings.formats import Reading

CORPUS = Path(os.environ.get("TRAJECTORY_CORPUS", ""))
FOLDERS = (
    "otlp_json",
    "openinference_flat_spans",
    "otel_genai_flat_spans",
    "jaeger_json",
    "otel_console_exporter",
    "langsmith",
)
TRUTHS = sorted(file for folder in FOLDERS for file in CORPUS.glob(f"truth/{folder}__*.json"))
RESPONSES = {
    # The file does not tell a thought from an answer: both are parts of plain text in one message.
    ("otlp_json/generated_google_adk_2.13.otlp.jsonl", "It is noon."): "thinking...It is noon.",
}

pytestmark = pytest.mark.skipif(not os.environ.get("TRAJECTORY_CORPUS"), reason="there is no corpus to read")


def documents(text: str) -> Any:
    """Read one JSON document, or a list of those that stand one after the other."""
    found, decoder, at = [], json.JSONDecoder(), 0
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        found.append(value)
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return found[0] if len(found) == 1 else found


def read(file: str) -> Reading:
    document = documents((CORPUS / file).read_text("utf-8"))
    (matching,) = (known for known in FORMATS if known.matches(document))
    return matching.read(document)


def described(thread: ConversationThread) -> dict[str, Any]:
    return {"id": thread.id or None, "turns": [described_turn(trace) for trace in thread.traces]}


def described_turn(trace: Trace) -> dict[str, Any]:
    shown = [record for iteration in trace.iterations for record in iteration.output]
    results = [call.result for call in trace.trajectory if call.result and call.result.content is not None]
    assert [record for record in shown if isinstance(record, FunctionMessage)] == results
    assert not trace.pairing.unpaired
    return {
        "query": trace.query or None,
        "response": trace.response,
        "tool_calls": [described_call(call) for call in trace.trajectory],
    }


def described_call(call: ToolCall) -> dict[str, Any]:
    arguments: Any = call.arguments
    state, raw = "object", None
    if isinstance(arguments, MalformedArguments):
        arguments, state, raw = None, "malformed", arguments.text
    elif arguments is NOT_RECORDED:
        arguments, state = None, "not_recorded"
    return {
        "name": call.name,
        "arguments": arguments,
        "arguments_state": state,
        "arguments_raw": raw,
        "id": call.id,
        "result_recorded": call.result is not None and call.result.content is not None,
        "error": call.result and call.result.error,
    }


def expected_turn(file: str, turn: dict[str, Any]) -> dict[str, Any]:
    keys = ("name", "arguments", "arguments_state", "arguments_raw", "id", "result_recorded", "error")
    return {
        "query": turn["query"],
        "response": RESPONSES.get((file, turn["response"]), turn["response"]),
        "tool_calls": [{key: call.get(key) for key in keys} for call in turn["tool_calls"]],
    }


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda file: file.stem)
def test_what_is_read_is_what_the_recording_says(truth: Path) -> None:
    known = json.loads(truth.read_text("utf-8"))
    expected = [
        {"id": thread["id"], "turns": [expected_turn(known["file"], turn) for turn in thread["turns"]]}
        for thread in known["threads"]
    ]
    reading = read(known["file"])
    assert [described(thread) for thread in reading.threads] == expected
    assert not reading.incomplete


@pytest.mark.parametrize("folder", FOLDERS)
def test_one_format_matches_every_file(folder: str) -> None:
    for file in sorted((CORPUS / folder).iterdir()):
        document = documents(file.read_text("utf-8"))
        assert len([known for known in FORMATS if known.matches(document)]) == 1, file.name
