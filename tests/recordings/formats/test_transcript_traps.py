"""What naive readers of coding agents' transcripts get wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from trajectory.recordings.formats.claude_code import CLAUDE_CODE
from trajectory.recordings.formats.codex import CODEX
from trajectory.recordings.formats.gemini_cli import GEMINI_CLI

if TYPE_CHECKING:
    from trajectory.recordings.formats import Reading


def record(identity: str, after: str | None, kind: str, content: Any, **keys: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content} | ({"id": keys.pop("message")} if "message" in keys else {})
    return {"type": kind, "uuid": identity, "parentUuid": after, "sessionId": "s", "message": message} | keys


def tool(identity: str, name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": {}}


def result(identity: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": identity, "content": "ok"}]


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def told(reading: Reading) -> dict[str, list[tuple[str, str | None, list[str]]]]:
    return {
        thread.id: [(trace.query, trace.response, [call.name for call in trace.trajectory]) for trace in thread.traces]
        for thread in reading.threads
    }


def test_results_between_the_records_of_one_message() -> None:
    reading = CLAUDE_CODE.read(
        [
            record("1", None, "user", "go"),
            record("2", "1", "assistant", [tool("a", "f")], message="m"),
            record("3", "2", "user", result("a")),
            record("4", "2", "assistant", [tool("b", "g")], message="m"),
            record("5", "4", "user", result("b")),
            record("6", "5", "assistant", text("done"), message="n"),
        ]
    )
    assert told(reading) == {"s": [("go", "done", ["f", "g"])]}
    assert len(reading.threads[0].traces[0].iterations) == 2


def test_branches_that_were_given_up() -> None:
    reading = CLAUDE_CODE.read(
        [
            record("1", None, "user", "go"),
            record("2", "1", "assistant", text("lost"), message="m"),
            record("3", "1", "assistant", text("kept"), message="n"),
            record("4", "3", "user", "lost too"),
            record("5", "4", "assistant", [tool("a", "f")], message="o"),
            record("6", "3", "user", "again"),
            record("7", "6", "assistant", text("done"), message="p"),
        ]
    )
    assert told(reading) == {"s": [("go", "kept", []), ("again", "done", [])]}
    assert reading.notes == ("left out: 3 records (repeated, or on a branch that was given up)",)


def test_records_that_a_resumed_session_repeats() -> None:
    first = [record("1", None, "user", "go"), record("2", "1", "assistant", [tool("a", "f")], message="m")]
    reading = CLAUDE_CODE.read([*first, *first, record("3", "2", "user", result("a"), sessionId="t")])
    assert told(reading) == {"s": [("go", None, ["f"])]}


def test_two_sessions_in_one_file() -> None:
    reading = CLAUDE_CODE.read([record("1", None, "user", "a"), record("2", None, "user", "b", sessionId="t")])
    assert told(reading) == {"s": [("a", None, [])], "t": [("b", None, [])]}


CLEAR = "<command-name>/clear</command-name>"


def test_a_session_that_begins_with_a_clearing_has_its_own_name() -> None:
    caveat = record("0", None, "user", "Caveat: ...", isMeta=True)
    reading = CLAUDE_CODE.read([caveat, record("1", "0", "user", CLEAR), record("2", "1", "user", "go")])
    assert told(reading) == {"s": [("go", None, [])]}


def test_a_clearing_ends_a_conversation() -> None:
    before = [record("1", None, "user", "a"), record("2", "1", "user", CLEAR)]
    assert told(CLAUDE_CODE.read(before)) == {"s": [("a", None, [])]}
    assert told(CLAUDE_CODE.read([*before, record("3", "2", "user", "b")])) == {
        "s": [("a", None, [])],
        "s-2": [("b", None, [])],
    }
    unnamed = [one | {"sessionId": None} for one in (*before, record("3", "2", "user", "b"))]
    assert [thread.id for thread in CLAUDE_CODE.read(unnamed).threads] == ["", ""]


def test_messages_of_a_session_without_what_stands_around_them() -> None:
    skill = "Base directory for this skill: /skills/sums\n\nAdd."
    messages = [
        {"type": kind, "message": {"role": kind, "content": content}}
        for kind, content in (
            ("user", "go"),
            ("assistant", [tool("a", "Skill")]),
            ("user", result("a")),
            ("user", text(skill)),
            ("assistant", text("done")),
        )
    ]
    assert CLAUDE_CODE.matches({"messages": messages})
    reading = CLAUDE_CODE.read({"messages": messages})
    assert told(reading) == {"": [("go", "done", ["Skill"])]}


def test_sub_agents_stand_aside() -> None:
    reading = CLAUDE_CODE.read(
        [
            record("1", None, "user", "go"),
            record("2", None, "user", "sub-task", isSidechain=True),
            record("3", "2", "assistant", [tool("a", "f")], isSidechain=True),
            record("4", "1", "assistant", text("done")),
        ]
    )
    assert told(reading) == {"s": [("go", "done", [])]}
    assert reading.notes == ("left out: 2 records of sub-agents",)


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        ("<local-command-stdout>x</local-command-stdout>", {}),
        (" <system-reminder>x</system-reminder>", {}),
        ("expanded command", {"isMeta": True}),
        ("what happened so far", {"isCompactSummary": True}),
        (text("[Request interrupted by user]"), {}),
    ],
)
def test_what_the_program_puts_there_is_no_query(content: Any, keys: Any) -> None:
    reading = CLAUDE_CODE.read([record("1", None, "user", "go"), record("2", "1", "user", content, **keys)])
    assert told(reading) == {"s": [("go", None, [])]}
    assert reading.notes == ("left out: 1 user texts (the program put them there, not the user)",)


def test_a_reminder_beside_a_query_is_left_out_of_it() -> None:
    reminder = text("<system-reminder>x</system-reminder>")
    assert told(CLAUDE_CODE.read([record("1", None, "user", [*text("go"), *reminder])])) == {"s": [("go", None, [])]}


@pytest.mark.parametrize("message", ["error", {"role": "user"}, {"content": 5}, None])
def test_a_record_without_a_message_makes_the_recording_incomplete(message: Any) -> None:
    broken = {"type": "user", "uuid": "2", "sessionId": "s", "message": message}
    reading = CLAUDE_CODE.read([record("1", None, "user", "go"), broken])
    assert reading.incomplete
    assert reading.notes == ("left out: 1 records (they hold no message that can be read)",)


def test_a_codex_rollout_is_named_by_its_own_session() -> None:
    def meta(identity: str) -> Any:
        return {"type": "session_meta", "payload": {"id": identity}}

    item = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "go"}}
    reading = CODEX.read([meta("fork"), meta("parent"), item, {"type": "compacted", "payload": {"message": "x"}}])
    assert told(reading) == {"fork": [("go", None, [])]}
    assert reading.notes == ("left out: 1 summaries of what came before",)


def test_an_old_rollout_has_nothing_around_its_items() -> None:
    def says(role: str, words: str) -> Any:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}

    session = {"id": "s", "timestamp": "2025-08-01T10:00:00Z", "instructions": None}
    call = {"type": "function_call", "call_id": "1", "name": "shell", "arguments": "{}"}
    context = says("user", "<environment_context>x</environment_context>")
    document = [session, {"record_type": "state"}, context, says("user", "go"), call, says("assistant", "done")]
    assert CODEX.matches(document)
    assert told(CODEX.read(document)) == {"s": [("go", None, ["shell"])]}


def test_a_rewind_to_nowhere() -> None:
    with pytest.raises(ValueError, match=r"expected \$rewindTo to name an earlier message, found the string"):
        GEMINI_CLI.read([{"sessionId": "s", "projectHash": "h"}, {"$rewindTo": "x"}])


@pytest.mark.parametrize(
    "words", ["<user_shell_command>ls</user_shell_command>", "<environment_context>x</environment_context>"]
)
def test_what_codex_puts_there_is_no_query(words: str) -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in ("go", words)
    ]
    assert told(CODEX.read([{"type": "response_item", "payload": item} for item in items])) == {"": [("go", None, [])]}


@pytest.mark.parametrize(
    "content",
    [
        [*text("<ide_opened_file>The user opened a.py</ide_opened_file>"), *text("fix it")],
        "<ide_selection>a\nb</ide_selection>\n\n<ide_opened_file>a.py</ide_opened_file>fix it",
    ],
)
def test_what_an_editor_says_is_left_out_of_a_query(content: Any) -> None:
    reading = CLAUDE_CODE.read([record("1", None, "user", content), record("2", "1", "assistant", text("done"))])
    assert told(reading) == {"s": [("fix it", "done", [])]}


def test_a_summary_that_no_flag_marks_is_no_query() -> None:
    summary = "This session is being continued from a previous conversation that ran out of context. It was about x."
    reading = CLAUDE_CODE.read([record("1", None, "user", summary), record("2", "1", "user", "go")])
    assert told(reading) == {"s": [("go", None, [])]}
