"""Record mode: what the agent does is written, atomically, never by surprise, and without secrets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.pytest_plugin.folder import bad, good
from tests.sets import TIME, thread
from trajectory import load_eval_set

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder
    from trajectory.conversation import ConversationThread

RUN = ("--evalset", "x.evalset.json")
XDIST = pytest.mark.parametrize("xdist", [(), ("-n", "2")], ids=["alone", "xdist"])
AGENT = """
from trajectory import AssistantMessage, FunctionMessage, ToolCall, Trace, UserMessage

def agent(query):
    if query.startswith("raise"):
        raise ValueError("out of paper")
    if query.startswith("malformed"):
        return {"output": "x", "tool_calls": [{"name": "look", "arguments": "{no"}]}
    failed = FunctionMessage(name="look", content="no such thing", error=True)
    found = FunctionMessage(name="look", content="Bearer abcdefgh12345678")
    calls = (
        ToolCall(name="look", arguments={"at": query, "api_key": "hunter2"}, id="1", result=found.model_copy(update={"id": "1"})),
        ToolCall(name="look", arguments={"at": "nothing"}, id="2", result=failed.model_copy(update={"id": "2"})),
    )
    return Trace(
        id="t", user_message=UserMessage(content=query), iterations=(), tools=(), tool_calls=calls,
        output=AssistantMessage(content="Ann saw " + query), start_time=(5, 0.0), end_time=(6, 0.0),
    )
"""
REPLAYING = """
from trajectory import RecordedToolError, recorded_tools

def look(at: str, api_key: str = "") -> str:
    raise AssertionError("live")

tools = recorded_tools([look])

def agent(query):
    seen = [tools[0](at=query, api_key="[masked: secret value]")]
    try:
        tools[0](at="nothing")
    except RecordedToolError as problem:
        seen.append(str(problem))
    calls = [{"name": "look", "arguments": {"at": query, "api_key": "[masked: secret value]"}}, {"name": "look", "arguments": {"at": "nothing"}}]
    return {"output": "|".join(seen), "tool_calls": calls}
"""


def unrecorded(identity: str, *queries: str, **keys: Any) -> dict[str, Any]:
    traces = [
        {
            "id": f"turn-{number}",
            "userMessage": {"role": "user", "content": query},
            "iterations": [],
            "output": {"role": "assistant", "content": None},
            "tools": [],
            "startTime": TIME,
            "endTime": TIME,
        }
        for number, query in enumerate(queries, start=1)
    ]
    return {"id": identity, "description": "", "traces": traces, **keys}


@pytest.fixture
def recording(folder: Folder) -> Folder:
    folder.write("looking.py", AGENT)
    new = unrecorded("new", "here", "there", evaluation={"match_mode": "SUBSET"}, note="kept")
    folder.eval_set([thread("old", good(1)), new], evaluation={"repetitions": 2}, owner="me")
    return folder


def threads(folder: Folder, name: str = "x.evalset.json") -> dict[str, ConversationThread]:
    return {one.id: one for one in load_eval_set(folder.path / name).threads}


@XDIST
def test_only_what_is_new_is_recorded(recording: Folder, xdist: tuple[str, ...]) -> None:
    before = threads(recording)["old"]
    result = recording.run(*RUN, *xdist, "--record", "new", agent="looking:agent")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            *([] if xdist else ["  recording new threads"]),
            "recording: 1/1 threads passed (100 %), required 100 %: PASSED",
            "recorded 1 of 2 threads into x.evalset.json",
            "  masked: 2 x bearer token, 4 x secret value",
        ]
    )
    found = threads(recording)
    assert found["old"] == before
    first, second = found["new"].traces
    assert [call.arguments for call in first.trajectory] == [
        {"at": "here", "api_key": "[masked: secret value]"},
        {"at": "nothing"},
    ]
    assert [call.result and call.result.content for call in second.trajectory] == [
        "Bearer [masked: bearer token]",
        "no such thing",
    ]
    assert found["new"].failed_calls == ("/traces/0/toolCalls/1", "/traces/1/toolCalls/1")
    assert found["new"].evaluation == {"match_mode": "SUBSET"}
    assert found["new"].extras == {"note": "kept"}
    document = json.loads((recording.path / "x.evalset.json").read_text(encoding="utf-8"))
    assert (document["owner"], document["evaluation"]) == ("me", {"repetitions": 2})


def test_what_was_recorded_answers_and_fails_again(recording: Folder) -> None:
    recording.run(*RUN, "--record", "new", agent="looking:agent")
    recording.write("replaying.py", REPLAYING)
    result = recording.run("x.evalset.json::new", agent="replaying:agent")
    assert result.ret == pytest.ExitCode.OK


def test_nothing_new_is_said_and_nothing_written(recording: Folder) -> None:
    recording.run(*RUN, "--record", "new", agent="looking:agent")
    before = (recording.path / "x.evalset.json").read_bytes()
    result = recording.run(*RUN, "--record", "new", agent="looking:agent")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*every thread is recorded already (--record all records them again)*"])
    assert (recording.path / "x.evalset.json").read_bytes() == before


def test_all_are_recorded_again_on_demand(recording: Folder) -> None:
    result = recording.run(*RUN, "--record", "all", agent="looking:agent")
    result.stdout.fnmatch_lines(["recorded 2 of 2 threads into *"])
    assert [call.name for call in threads(recording)["old"].traces[0].trajectory] == ["look", "look"]


def test_without_the_option_nothing_is_written(recording: Folder) -> None:
    before = (recording.path / "x.evalset.json").read_bytes()
    recording.run(*RUN, agent="looking:agent")
    assert (recording.path / "x.evalset.json").read_bytes() == before


@pytest.mark.parametrize(("query", "why"), [("raise", "out of paper"), ("malformed", "malformed arguments")])
def test_a_thread_that_cannot_be_recorded_stays_what_it_was(folder: Folder, query: str, why: str) -> None:
    folder.write("looking.py", AGENT)
    folder.eval_set([unrecorded("a", "here"), unrecorded("b", "here", query)])
    result = folder.run(*RUN, "--record", "new", agent="looking:agent")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"not recorded: turn 2: *{why}*"])
    result.stdout.fnmatch_lines(["recorded 1 of 2 threads into *"])
    found = threads(folder)
    assert found["a"].traces[0].response == "Ann saw here"
    assert found["b"].traces[0].response is None


def test_another_file_and_a_hook(recording: Folder) -> None:
    recording.write(
        "conftest.py", "def pytest_trajectory_redact(text):\n    return text.replace('Ann', '[somebody]')\n"
    )
    before = (recording.path / "x.evalset.json").read_bytes()
    result = recording.run(*RUN, "--record", "new", "--record-to", "y.evalset.json", agent="looking:agent")
    result.stdout.fnmatch_lines(["*by the hook*"])
    assert threads(recording, "y.evalset.json")["new"].traces[0].response == "[somebody] saw here"
    assert (recording.path / "x.evalset.json").read_bytes() == before
    again = recording.run(*RUN, "--record", "new", "--record-to", "y.evalset.json", agent="looking:agent")
    assert again.ret == pytest.ExitCode.USAGE_ERROR


def test_other_shapes_want_a_file_to_write(folder: Folder) -> None:
    folder.write("looking.py", AGENT)
    case = {"eval_id": "c", "conversation": [{"invocation_id": "i", "user_content": {"parts": [{"text": "here"}]}}]}
    folder.write("adk.evalset.json", json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
    result = folder.run("adk.evalset.json", "--record", "new", agent="looking:agent")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--record: adk.evalset.json is no file of the native shape*--record-to*"])
    result = folder.run("adk.evalset.json", "--record", "new", "--record-to", "n.evalset.json", agent="looking:agent")
    assert result.ret == pytest.ExitCode.OK
    assert len(threads(folder, "n.evalset.json")["c"].traces[0].trajectory) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--record-to", "y.json"), "*--record-to: say what to record*"),
        (("--record", "new", "--results", "r.json"), "*--record: not with --results*"),
        (("--record", "some"), "*invalid choice: 'some'*"),
    ],
)
def test_what_does_not_go_together(recording: Folder, options: tuple[str, ...], message: str) -> None:
    result = recording.run(*RUN, *options, agent="looking:agent")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_recording_is_not_recorded(recording: Folder) -> None:
    recording.eval_set({"t": bad(1)}, "r.evalset.json")
    result = recording.run(*RUN, "--record", "all", "--recorded", "r.evalset.json", agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--record: not with --recorded*"])
