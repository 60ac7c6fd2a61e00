"""Files of others say what they say: each format against the truth files of the corpus."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.conversation import NOT_RECORDED, MalformedArguments
from trajectory.recordings import load_recordings

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall, Trace

CORPUS = os.environ.get("TRAJECTORY_CORPUS")
ZSTANDARD = ("inspect_ai/generated_0.3.285_mock.eval",)
FOLDERS = (
    "openai_chat",
    "hf_messages_tools",
    "anthropic_messages",
    "langchain",
    "openai_responses",
    "openai_agents_sdk",
    "adk_session",
    "claude_code",
    "codex_cli",
    "pydantic_ai",
    "atif",
    "strands",
    "tau_bench",
    "tau2_bench",
    "inspect_ai",
    "gemini_cli",
    "swe_agent",
    "smolagents",
    "vercel_ai_sdk",
    "mcp_log",
)


def truths() -> list[Path]:
    folder = Path(CORPUS or "nowhere") / "truth"
    return sorted(file for file in folder.glob("*.json") if file.name.split("__")[0] in FOLDERS)


def call_as_truth(call: ToolCall) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": call.name,
        "arguments": None,
        "id": call.id,
        "result_recorded": call.result is not None,
        "error": call.result.error if call.result else None,
    }
    if call.arguments is NOT_RECORDED:
        return found | {"state": "not_recorded"}
    if isinstance(call.arguments, MalformedArguments):
        return found | {"state": "malformed", "raw": call.arguments.text}
    return found | {"arguments": call.arguments, "state": "object"}


def expected_call(call: dict[str, Any]) -> dict[str, Any]:
    found = {key: call[key] for key in ("name", "arguments", "id", "result_recorded", "error")}
    # A result is recorded where an error is: the truth says so, and this file does not keep to it.
    found["result_recorded"] |= found["error"] is True
    state = call["arguments_state"]
    if state in ("malformed", "non_object"):
        return found | {"state": "malformed", "raw": call["arguments_raw"]}
    return found | {"state": state}


def turn_as_truth(trace: Trace) -> dict[str, Any]:
    return {
        "query": trace.query,
        "response": trace.response,
        "calls": [call_as_truth(call) for call in trace.trajectory],
    }


def expected_turn(turn: dict[str, Any]) -> dict[str, Any]:
    return {
        "query": turn["query"] or "",
        "response": turn["response"],
        "calls": [expected_call(call) for call in turn["tool_calls"]],
    }


@pytest.mark.skipif(CORPUS is None, reason="TRAJECTORY_CORPUS is not set")
@pytest.mark.parametrize("truth_file", [pytest.param(file, id=file.name) for file in truths()])
def test_a_file_says_what_it_says(truth_file: Path) -> None:
    truth = json.loads(truth_file.read_text("utf-8"))
    if truth["file"] in ZSTANDARD:
        pytest.importorskip("zstandard")
    recordings = load_recordings(Path(CORPUS or "") / truth["file"])
    assert [[turn_as_truth(trace) for trace in thread.traces] for thread in recordings.threads] == [
        [expected_turn(turn) for turn in thread["turns"]] for thread in truth["threads"]
    ]
    for found, thread in zip(recordings.threads, truth["threads"], strict=True):
        assert found.id == thread["id"] or (thread["id"] is None and found.id)


def test_there_are_truth_files(corpus: Path) -> None:
    assert {file.name.split("__")[0] for file in truths()} == set(FOLDERS)
