"""Results of tau-bench and tau2-bench: conversations of an agent with a simulated user.

In tau2 the simulated user calls tools as well; these are no calls of the agent.
"""

from __future__ import annotations

from typing import Any, Final

from trajectory.recordings.beside import Beside, failed, request_of, time_of
from trajectory.recordings.formats.base import Reading
from trajectory.recordings.formats.building import (
    call_of,
    left_out,
    objects_of,
    records_of,
    result_of,
    says,
    thread_of,
)
from trajectory.recordings.formats.message_lists import Converted, MessageLists
from trajectory.recordings.usage import read_usage

_SIMULATION: Final = ("task_id", "termination_reason")
_WITHOUT_SIMULATIONS: Final = ("timestamp", "info", "tasks")
_SHAPES: Final = (_SIMULATION, _WITHOUT_SIMULATIONS)


class _TauBench:
    name = "tau-bench"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is the results of a run of tau-bench."""
        records = records_of(document)
        return bool(records) and all("task_id" in record and "traj" in record for record in records)

    def read(self, document: Any) -> Reading:
        """Read a conversation for each task, and for each further trial of it."""
        records = records_of(document)
        names = _names([str(record["task_id"]) for record in records], [record.get("trial") for record in records])
        return Reading(tuple(map(thread_of, [record["traj"] for record in records], names)))


class _Tau2:
    name = "tau2-bench"

    def matches(self, document: Any) -> bool:
        """Tell whether a document is the results of a run of tau2-bench, or simulations of one."""
        records = records_of(document)
        return bool(records) and all(
            isinstance(record.get("simulations"), list) or any(all(key in record for key in keys) for keys in _SHAPES)
            for record in records
        )

    def read(self, document: Any) -> Reading:
        """Read each simulation as a conversation; those of spoken conversations are left out."""
        records = records_of(document)
        listed = [record.get("simulations", [record] if _is_simulation(record) else []) for record in records]
        simulations = [one for some in listed for one in objects_of(some, "a simulation")]
        written = [one for one in simulations if isinstance(one.get("messages"), list)]
        conversations = [(one.get("id"), tau2_messages(objects_of(one["messages"], "a message"))) for one in written]
        threads = tuple(
            thread_of([*converted.messages, *_stopped(one)], name)
            for one, (name, converted) in zip(written, conversations, strict=True)
        )
        notes = dict.fromkeys(note for _, converted in conversations for note in converted.notes)
        spoken = left_out(len(simulations) - len(written), "simulations", "they are spoken, without messages")
        elsewhere = all("simulations" not in record and not _is_simulation(record) for record in records)
        apart = ["the simulations stand in other files, beside this one"] if elsewhere else []
        return Reading(threads, (*notes, *spoken, *apart), incomplete=bool(spoken) or elsewhere)


def _stopped(simulation: dict[str, Any]) -> list[Beside]:
    """Say in which error a simulation stopped, be it of the agent, of the simulated user or of what runs them."""
    reason = str(simulation.get("termination_reason"))
    return [failed(None, f"the simulation ended with {reason}")] if reason.endswith("_error") else []


def _is_simulation(record: dict[str, Any]) -> bool:
    return all(key in record for key in _SIMULATION)


def tau2_messages(messages: list[dict[str, Any]]) -> Converted:
    """Make messages such as the reader of chat messages understands, without what the simulated user did with tools."""
    listed = [objects_of(message.get("tool_messages"), "a message") or [message] for message in messages]
    single = [message for some in listed for message in some]
    kept = [record for message in single for record in _records(message)]
    calls = [
        call
        for message in single
        if message.get("role") == "user"
        for call in objects_of(message.get("tool_calls"), "a tool call")
    ]
    return Converted(kept, left_out(len(calls), "tool calls", "the simulated user made them"))


def _records(message: dict[str, Any]) -> list[Any]:
    role, content, time = message.get("role"), message.get("content"), time_of(message.get("timestamp"))
    if role == "tool":
        is_agents = message.get("requestor") != "user"
        result = result_of(message.get("id"), content, error=bool(message.get("error")))
        return [Beside(result, time)] if is_agents else []
    if role != "assistant":
        return [Beside({"role": role, "content": content}, time)] if content or not message.get("tool_calls") else []
    calls = objects_of(message.get("tool_calls"), "a tool call")
    took = request_of(read_usage(message.get("usage"), message.get("cost")), None)
    return [Beside(says(content, [call_of(call) for call in calls]), time, took)]


def _names(tasks: list[str], trials: list[Any]) -> list[str]:
    """Name conversations after their tasks; with the trial where a task was tried more than once."""
    return [
        f"{task}-trial-{trial}" if tasks.count(task) > 1 and trial is not None else task
        for task, trial in zip(tasks, trials, strict=True)
    ]


TAU_BENCH: Final = _TauBench()
TAU2_BENCH: Final = _Tau2()
TAU2_MESSAGES: Final = MessageLists("tau2", tau2_messages)
