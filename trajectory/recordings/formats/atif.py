"""Trajectories in the Agent Trajectory Interchange Format (ATIF) of Harbor, all versions so far (1.0 to 1.8)."""

from __future__ import annotations

import re
from typing import Any, Final

from trajectory.recordings.beside import Beside, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    call_of,
    left_out,
    object_of,
    objects_of,
    records_of,
    result_of,
    says,
    texts_in,
    thread_of,
)
from trajectory.recordings.usage import read_usage

_VERSION: Final = re.compile(r"ATIF-v\d")


class _Atif:
    name = "atif"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is a trajectory, or a list of them."""
        records = records_of(document)
        return bool(records) and all(_is_trajectory(record) for record in records)

    def stands_alone(self, record: Any) -> bool:
        """Tell whether a record is a trajectory."""
        return isinstance(record, dict) and _is_trajectory(record)

    def read(self, document: Any) -> Reading:
        """Read each trajectory as a conversation; those of sub-agents are left out."""
        records = records_of(document)
        notes = [note for record in records for note in _notes(record)]
        threads = tuple(thread_of(_messages(record), _id(record)) for record in records)
        is_continued = any(record.get("continued_trajectory_ref") for record in records)
        return Reading(threads, tuple(notes), incomplete=is_continued)


def _is_trajectory(record: dict[str, Any]) -> bool:
    version = record.get("schema_version")
    return isinstance(version, str) and bool(_VERSION.match(version)) and isinstance(record.get("steps"), list)


def _id(record: dict[str, Any]) -> Any:
    return record.get("session_id") or record.get("trajectory_id")


def _notes(record: dict[str, Any]) -> tuple[str, ...]:
    steps = objects_of(record["steps"], "a step")
    unpaired = sum(result.get("source_call_id") is None for step in steps for result in _results(step))
    continued = record.get("continued_trajectory_ref")
    media = sum(len(_parts(step.get("message"), is_text=False) or ()) for step in steps)
    return (
        *left_out(media, "parts of messages", "they are no text"),
        *left_out(len(record.get("subagent_trajectories") or ()), "trajectories of sub-agents"),
        *left_out(sum(bool(step.get("is_copied_context")) for step in steps), "steps", "copies of earlier ones"),
        *left_out(unpaired, "observations", "they name no call"),
        *([f"the trajectory goes on in another file: {continued}"] if continued else []),
    )


def _messages(record: dict[str, Any]) -> list[Any]:
    messages: list[Any] = []
    agent = record.get("agent")
    model = agent.get("model_name") if isinstance(agent, dict) else None
    for step in objects_of(record["steps"], "a step"):
        if not step.get("is_copied_context"):
            messages += _step({"model_name": model, **step})
    return messages


def _step(step: dict[str, Any]) -> list[Any]:
    text, time = texts_in(_parts(step.get("message"), is_text=True)), time_of(step.get("timestamp"))
    if step.get("source") != "agent":
        return [Beside({"role": step.get("source"), "content": text}, time)]
    calls = [
        call_of(call, name="function_name", id="tool_call_id") for call in objects_of(step.get("tool_calls"), "a call")
    ]
    results = [
        result_of(result["source_call_id"], texts_in(result.get("content")))
        for result in _results(step)
        if result.get("source_call_id") is not None
    ]
    # A step that needed no model says so; whether it began or ended at its time is not said, so its results have none.
    took = (
        None if step.get("llm_call_count") == 0 else request_of(read_usage(step.get("metrics")), step.get("model_name"))
    )
    return [Beside(says(text, calls), time, took), *results]


def _parts(content: Any, *, is_text: bool) -> Any:
    """Take the parts of a content that are text, or the others; a content without parts is all text."""
    if isinstance(content, list):
        return [part for part in content if ("text" in object_of(part, "a part of a message")) is is_text]
    return content if is_text else None


def _results(step: dict[str, Any]) -> list[dict[str, Any]]:
    observation = object_of(step.get("observation") or {}, "an observation")
    return objects_of(observation.get("results"), "a result")


ATIF: Final = _Atif()
