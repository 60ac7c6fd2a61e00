"""A text that is no JSON to be trusted: each message says where, what was expected, what stood there, what to do."""

from __future__ import annotations

import pytest

from trajectory.errors import EvalSetError
from trajectory.evalset.document import Document, Finding


def problems(text: str) -> list[str]:
    with pytest.raises(EvalSetError) as caught:
        Document.read("f", text)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "f:1:1: expected a value, found 'hello'"),
        ("{'a': 1}", """f:1:2: expected a key in double quotes, found "'" (JSON strings stand in double quotes)"""),
        ("{// x\n}", "f:1:2: expected a key in double quotes, found '/' (JSON has no comments)"),
        ("[True]", "f:1:2: /0 expected a value, found 'True' (JSON writes true)"),
        ("[1,\n2,]", "f:2:3: /2 expected a value, found ']' (no comma follows the last item)"),
        ('{"a": 1,}', "f:1:9: expected a key in double quotes, found '}' (no comma follows the last key)"),
        ('{"a" 1}', "f:1:6: /a expected a colon after the key, found '1'"),
        ('{"a": 1 "b": 2}', "f:1:9: /a expected a comma or '}', found '\"'"),
        ("[[1}]", "f:1:4: /0/0 expected a comma or ']', found '}'"),
        ('{"a": [1,', "f:1:10: /a/1 expected a value, found the end of the file (the text seems to be cut off)"),
        ('{"a": "xy', "f:1:7: /a expected a closing quote, found the end of the file (the text seems to be cut off)"),
        ('{"a":', "f:1:6: /a expected a value, found the end of the file (the text seems to be cut off)"),
        (
            '["x\ny"]',
            "f:1:4: /0 expected no control character inside a string, found U+000A (a closing quote is missing, or a line break is not written as \\n)",
        ),
        ('["\\x41"]', "f:1:3: /0 expected a JSON escape sequence, found \\x (a backslash itself is written \\\\)"),
        ('["\\u12"]', "f:1:3: /0 expected a JSON escape sequence, found \\u (a backslash itself is written \\\\)"),
        (
            "{}\n{}",
            "f:2:1: expected nothing after the document, found '{' (a file of one document a line is named .jsonl)",
        ),
        ("[NaN]", "f:1:2: /0 expected a number, a string or null, found NaN (JSON has no such number)"),
        ("[-Infinity]", "f:1:2: /0 expected a number, a string or null, found -Infinity (JSON has no such number)"),
        ("[-1e400]", "f:1:2: /0 expected a number up to about 1.8e308 (a double), found -1e400"),
        (
            f"[{'9' * 5000}]",
            "f:1:2: /0 expected an integer of at most 4300 digits, found one of 5000 digits (use a string)",
        ),
        (
            '["\\ud83d"]',
            "f:1:2: /0 expected Unicode text, found half of a surrogate pair, \\ud83d (a character outside the BMP takes both halves)",
        ),
        (
            '{"a": 1,\n "a": 2}',
            "f:2:2: /a expected each key once in an object, found the key 'a' again (the first one stands at line 1, column 2)",
        ),
        ('["😀", x]', "f:1:7: /1 expected a value, found 'x'"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert problems(text) == [message]


def test_all_faults_up_to_the_first_that_ends_understanding() -> None:
    found = problems('{"a": NaN, "a": 1e999, "b": {"c": 1, "c": 2, "\\udc00": Infinity}, x, "d": NaN}')
    assert [line.split(" expected")[0] for line in found] == [
        "f:1:7: /a",
        "f:1:12: /a",
        "f:1:17: /a",
        "f:1:38: /b/c",
        "f:1:46: /b",
        "f:1:56: /b/?",
        "f:1:67:",
    ]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_without_end(opening: str) -> None:
    (found,) = problems(opening * 100_000)
    step = "a" if "a" in opening else "0"
    column = 200 * len(opening) + 1
    assert found == f"f:1:{column}: {f'/{step}' * 8} expected at most 200 levels of nesting, found one more"


def test_a_sound_text_read_where_no_stack_is_left_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_stack(text: str) -> None:
        raise RecursionError

    monkeypatch.setattr("trajectory.evalset.document.parse", no_stack)
    with pytest.raises(RecursionError):
        Document.read("f", "[]")


def test_a_finding_inside_a_shorthand_stands_where_the_shorthand_stands() -> None:
    document = Document.read("f", '{"a": {"tolerance": 2}}')
    (found,) = document.problems([Finding("/a/tolerance/relative/x", "x", "y")])
    assert str(found) == "f:1:21: /a/tolerance expected x, found y"


def test_findings_come_in_the_order_of_the_file_with_their_places() -> None:
    document = Document.read("f", '{"a": 1,\n "b": [true]}', line=5)
    found = document.problems(
        [Finding("/b/0", "x", "y", "z"), Finding("/a", "p", "q"), Finding("/b", "r", "", first="/a")]
    )
    assert [str(problem) for problem in found] == [
        "f:5:7: /a expected p, found q",
        "f:6:7: /b expected r, found  (the first one stands at line 5, column 7)",
        "f:6:8: /b/0 expected x, found y (z)",
    ]
