"""Lines that a CI service reads: commands of our own, and none of a recording's."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajectory.workflow_commands import annotation, defuse

HOSTILE = st.text(st.sampled_from("ab:,%#[ \t\r\n\x1b\u202e"))


def forged(line: str) -> bool:
    """Whether a runner would take a line for a command: GitHub's old and new form, and that of Azure Pipelines."""
    return line.strip().startswith("::") or re.search(r"##(vso)?\[", line) is not None


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({}, "::error::no"),
        ({"file": "a.json", "line": 3, "column": 5}, "::error file=a.json,line=3,col=5::no"),
        ({"file": "a,b:c.json"}, "::error file=a%2Cb%3Ac.json::no"),
        ({"title": "thread a::b\n"}, "::error title=thread a%3A%3Ab%0A::no"),
    ],
)
def test_an_annotation(facts: dict[str, object], line: str) -> None:
    assert annotation("error", "no", **facts) == line  # type: ignore[arg-type]


def test_a_message_of_several_lines_is_one_line() -> None:
    assert annotation("notice", "a 100%\r\n::error::b") == "::notice::a 100%25%0D%0A::error::b"


@given(HOSTILE, HOSTILE, HOSTILE)
def test_an_annotation_is_one_command(message: str, file: str, title: str) -> None:
    line = annotation("warning", message, file=file, title=title)
    assert len(re.split(r"[\r\n]", line)) == 1
    assert re.fullmatch(r"::warning( (file=[^,:]*)?,?(title=[^,:]*)?)?::.*", line)


@given(HOSTILE)
@example("a\r::error::b")
def test_no_line_of_a_recording_is_a_command(text: str) -> None:
    assert not any(forged(line) for line in re.split(r"\r\n|\r|\n", defuse(text)))


@given(st.text())
def test_what_is_no_command_stays(text: str) -> None:
    harmless = text.replace(":", "").replace("#", "")
    assert defuse(harmless) == harmless
