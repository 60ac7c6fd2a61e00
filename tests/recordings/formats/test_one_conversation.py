"""One conversation, recorded in every format, is one conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trajectory.conversation import NOT_RECORDED, FunctionMessage, ToolCall, Trace
from trajectory.recordings import load_recordings
from trajectory.recordings.detection import known_formats

FOLDER = Path(__file__).parents[3] / "fixtures" / "recordings"
WEATHER = ToolCall(name="get_weather", arguments={"city": "Paris"}, id="call_1")
NOW = ToolCall(name="now", arguments={}, id="call_2")

WHOLE = {
    "openai_chat.json": ("openai-chat", "openai_chat"),
    "openai_chat_rows.jsonl": ("openai-chat", "talk"),
    "openai_chat_calls.jsonl": ("openai-chat", "openai_chat_calls"),
    "anthropic.json": ("anthropic", "anthropic"),
    "langchain_dump.json": ("langchain", "langchain_dump"),
    "langchain_dict.json": ("langchain", "langchain_dict"),
    "langchain_constructor.json": ("langchain", "langchain_constructor"),
    "openai_responses.json": ("openai-responses", "openai_responses"),
    "adk_session.json": ("adk-session", "talk"),
    "claude_code.jsonl": ("claude-code", "talk"),
    "claude_stream.jsonl": ("claude-stream", "talk"),
    "codex_old.jsonl": ("codex", "talk"),
    "codex.jsonl": ("codex", "talk"),
    "pydantic_ai.json": ("pydantic-ai", "talk"),
    "atif.json": ("atif", "talk"),
    "strands.json": ("strands", "strands"),
    "strands_session": ("strands-session", "talk"),
    "tau_bench.json": ("tau-bench", "7"),
    "tau2_bench.json": ("tau2-bench", "talk"),
    "tau2_messages.json": ("tau2", "tau2_messages"),
    "inspect_ai.json": ("inspect-ai", "talk_epoch_1"),
    "gemini_cli.json": ("gemini-cli", "talk"),
    "gemini_cli.jsonl": ("gemini-cli", "talk"),
    "openhands.jsonl": ("openhands", "openhands"),
    "openhands_v0.json": ("openhands-v0", "openhands_v0"),
    "swe_agent.traj": ("swe-agent", "swe_agent"),
    "google_contents.json": ("google-contents", "google_contents"),
    "mini_swe_agent.traj.json": ("mini-swe-agent", "mini_swe_agent.traj"),
    "vercel_ai_ui.json": ("vercel-ai", "vercel_ai_ui"),
    "vercel_ai_model.json": ("vercel-ai", "vercel_ai_model"),
    "ag_ui.jsonl": ("ag-ui", "talk"),
}
PARTS = {
    "codex_exec.jsonl": "codex-exec",
    "openai_agents_trace.jsonl": "openai-agents-trace",
    "mcp_log.jsonl": "mcp-log",
    "smolagents.json": "smolagents",
    "openai_response.json": "openai-responses",
    "anthropic_response.json": "anthropic",
}


def results(trace: Trace) -> list[tuple[str, Any, str | None]]:
    found = [
        output
        for iteration in trace.iterations
        for output in iteration.output
        if isinstance(output, FunctionMessage) and output.content is not None
    ]
    return [(one.name, as_value(one.content or ""), one.id) for one in found]


def as_value(text: str) -> Any:
    value = json.loads(text) if text.startswith("{") else text
    return next(iter(value.values())) if isinstance(value, dict) else value


@pytest.mark.parametrize("file", WHOLE)
def test_the_whole_conversation(file: str) -> None:
    recordings = load_recordings(FOLDER / file)
    (thread,) = recordings.threads
    assert (recordings.format, thread.id) == WHOLE[file]
    assert not recordings.incomplete
    weather, clock = thread.traces
    assert (weather.query, weather.response) == ("What is the weather in Paris?", "It is 18 degrees.")
    assert (clock.query, clock.response) == ("And the time?", "It is noon.")
    assert (weather.trajectory, clock.trajectory) == ((WEATHER,), (NOW,))
    assert results(weather) == [("get_weather", 18, "call_1")]
    assert results(clock) == [("now", "12:00", "call_2")]
    assert weather.iterations[0].output[0].content == "Let me look."  # type: ignore[union-attr]


@pytest.mark.parametrize("file", PARTS)
def test_what_a_recording_leaves_out_is_said(file: str) -> None:
    recordings = load_recordings(FOLDER / file)
    (thread,) = recordings.threads
    assert recordings.format == PARTS[file]
    assert thread.traces[0].trajectory[0].name in ("get_weather", "now")
    assert any("is not in the file" in note or "are in such a log" in note for note in recordings.notes) or (
        file == "smolagents.json"
    )


def test_a_trace_export_is_in_the_order_of_the_starts() -> None:
    (trace,) = load_recordings(FOLDER / "openai_agents_trace.jsonl").threads[0].traces
    assert [call.name for call in trace.trajectory] == ["get_weather", "now"]
    assert (trace.query, trace.response) == ("", None)


def test_arguments_that_an_mcp_log_does_not_hold_were_not_recorded() -> None:
    (trace,) = load_recordings(FOLDER / "mcp_log.jsonl").threads[0].traces
    assert [call.arguments for call in trace.trajectory] == [{"city": "Paris"}, NOT_RECORDED]
    assert results(trace)[0] == ("now", -32602, "2")


def test_a_final_answer_is_a_call_and_the_answer() -> None:
    (trace,) = load_recordings(FOLDER / "smolagents.json").threads[0].traces
    assert [call.name for call in trace.trajectory] == ["get_weather", "final_answer"]
    assert trace.response == "It is 18 degrees."


def test_logs_of_model_calls_that_repeat_each_other_are_one_conversation() -> None:
    notes = load_recordings(FOLDER / "openai_chat_calls.jsonl").notes
    assert [note.split(": ", 1)[1] for note in notes] == [
        "left out: 3 logs of model calls (a later one repeats them)",
    ]


@pytest.mark.parametrize("file", [*WHOLE, *PARTS])
def test_exactly_one_format_fits(file: str) -> None:
    if file == "strands_session":
        return
    text = (FOLDER / file).read_text("utf-8")
    value = [json.loads(line) for line in text.splitlines()] if file.endswith("l") else json.loads(text)
    assert sum(known.matches(value) for known in known_formats()) == 1


def test_every_format_has_a_sample() -> None:
    sampled = {name for name, _ in WHOLE.values()} | set(PARTS.values())
    of_spans = {
        "otlp",
        "tempo",
        "jaeger",
        "otel-console",
        "phoenix",
        "flat-spans",
        "langsmith",
    }  # theirs is in ../spans
    assert {known.name for known in known_formats()} == sampled | of_spans
