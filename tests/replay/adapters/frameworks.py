"""What the tests of all adapters share: the conversation that a scripted model has, and what must come of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.sets import call, conversation, eval_set_text
from trajectory.replay import as_agent, replay

if TYPE_CHECKING:
    from pathlib import Path

    from trajectory.conversation import ConversationThread, Trace
    from trajectory.replay import ThreadReplay

NAMED = "TRAJECTORY_ADAPTER"
"""Where this variable names an adapter, its framework must be there."""

WEATHER = conversation(
    "weather",
    [
        ("weather in Paris and Rome", [call("get_weather", city="Paris"), call("get_weather", city="Rome")]),
        ("fail please", [call("broken")]),
        ("how many turns", []),
    ],
)
"""The scripted model calls tools by what the user says, and answers with the number of user messages that it was given."""


_TURNS = [
    (trace.query, [{"name": c.name, "arguments": c.arguments} for c in trace.trajectory]) for trace in WEATHER.traces
]


def framework(module: str, name: str) -> Any:
    """Import a framework; skip the tests where it is absent, unless they are run for it."""
    if os.environ.get(NAMED) == name:
        return __import__(module)
    return pytest.importorskip(module)


def played(agent: Any, thread: ConversationThread = WEATHER, **options: Any) -> ThreadReplay:
    return replay(as_agent(agent), thread, turn_timeout=60, **options)


def turn(replayed: ThreadReplay, number: int) -> Trace:
    found = replayed.turns[number - 1]
    assert found.failure is None, (found.failure.text, found.failure.details)
    assert found.actual is not None
    return found.actual


def made(trace: Trace) -> list[tuple[str, Any]]:
    return [(one.name, one.arguments) for one in trace.trajectory]


def results(trace: Trace) -> list[tuple[str | None, bool | None] | None]:
    return [None if one.result is None else (one.result.content, one.result.error) for one in trace.trajectory]


def half_recorded(trace: Trace) -> ConversationThread:
    """Make a thread of the first turn, as it was replayed, whose second call was not recorded."""
    left = trace.changed(tool_calls=trace.trajectory[:1], iterations=())
    return WEATHER.model_copy(update={"traces": (left,)})


LIVE = ("turn 1: live calls, not answered by the recording: get_weather",)
"""What the replay of such a thread notes."""


def runs_in_pytest(pytester: pytest.Pytester, folder: Path) -> None:
    """Run the example of a framework the way that a user does."""
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", str(folder / "sample.evalset.json"))
    assert result.ret == pytest.ExitCode.OK, result.stdout.str()


def runs_by_name(pytester: pytest.Pytester, folder: Path, reference: str) -> None:
    """Run two threads of the conversation in two processes, with the agent of the example given by its name."""
    pytester.path.joinpath("two.evalset.json").write_text(eval_set_text({"a": _TURNS, "b": _TURNS}), encoding="utf-8")
    options = ("-o", f"pythonpath={folder}", "-p", "no:cacheprovider", "-n", "2")
    result = pytester.runpytest_subprocess("--evalset", "two.evalset.json", "--agent", reference, *options)
    result.assert_outcomes(passed=2)


def write_sample(folder: Path) -> None:
    """Write the eval set of an example; run by hand when the scripted conversation changes."""
    (folder / "sample.evalset.json").write_text(eval_set_text({"weather": _TURNS}) + "\n", encoding="utf-8")
