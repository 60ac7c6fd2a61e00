"""Loading eval sets: what loads, what is refused, and with which words."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import trajectory
from tests.evalset.documents import TIME, eval_set_document, thread_document, trace_document
from trajectory.errors import EvalSetError
from trajectory.evalset import iter_conversation_threads, load_conversation_threads, load_eval_set

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[..., str]

CORPUS = os.environ.get("TRAJECTORY_CORPUS")


def refusal(path: str) -> list[str]:
    """Load a file that must be refused, and give the lines of the message."""
    with pytest.raises(EvalSetError) as caught:
        load_eval_set(path)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value).split("\n")


# ------------------------------------------------------------------------------------------------------- what loads


def test_a_whole_set(write: Write) -> None:
    document = eval_set_document(thread_document("a", trace_document()), thread_document("b"), created_on="x")
    loaded = load_eval_set(write(document))
    assert (loaded.id, loaded.name, loaded.description) == ("set", "n", "d")
    assert [thread.id for thread in loaded.threads] == ["a", "b"]
    assert loaded.threads[0].traces[0].query == "hi"
    assert (loaded.path, loaded.shape, loaded.notes) == ("set.json", "native", ())
    assert loaded.extras == {"created_on": "x"}


@pytest.mark.parametrize("threads", [(), (thread_document("a"),)])
def test_nothing_to_run_loads(write: Write, threads: tuple[Any, ...]) -> None:
    assert len(load_eval_set(write(eval_set_document(*threads))).threads) == len(threads)


def test_a_byte_order_mark_is_no_part_of_the_text(write: Write) -> None:
    assert load_eval_set(write(b"\xef\xbb\xbf" + json.dumps(eval_set_document()).encode())).id == "set"


def test_where_a_set_was_read_is_no_part_of_what_it_says(write: Write) -> None:
    document = eval_set_document(thread_document("a", trace_document()))
    assert load_eval_set(write(document, "one.json")) == load_eval_set(write(document, "two.json"))


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a/b", "a::b", "a[0]", "../x", "😀", "x" * 5000, "a\nb\u0000", "é", "constructor", "__class__"],
)
def test_a_thread_may_have_any_id(write: Write, name: str) -> None:
    assert list(load_conversation_threads(write(eval_set_document(thread_document(name))))) == [name]


@pytest.mark.parametrize("path_of", [str, Path, os.fspath])
def test_paths_of_every_kind(write: Write, path_of: Callable[[str], str]) -> None:
    assert load_eval_set(path_of(write(eval_set_document()))).id == "set"


def test_the_names_are_at_the_top_of_the_package() -> None:
    assert trajectory.load_eval_set is load_eval_set
    assert trajectory.load_conversation_threads is load_conversation_threads
    assert trajectory.EvalSet.__name__ == "EvalSet"


# ------------------------------------------------------------------------------------------------------------ notes


def test_what_an_editor_leaves_out_is_read_as_empty_and_noted(write: Write) -> None:
    loaded = load_eval_set(write({"id": "x", "threads": [{"id": "a", "traces": []}]}))
    assert (loaded.name, loaded.description, loaded.threads[0].description) == ("", "", "")
    assert loaded.notes == (
        "set.json: no 'name', read as empty",
        "set.json: no 'description', read as empty",
        "set.json: /threads/0: no 'description', read as empty",
    )


def test_the_name_of_an_older_thread_is_its_description(write: Write) -> None:
    loaded = load_eval_set(write(eval_set_document({"id": "a", "name": "greets", "traces": []})))
    assert loaded.threads[0].description == "greets"
    assert loaded.threads[0].extras == {"name": "greets"}
    assert loaded.notes == ()


def test_a_name_beside_a_description_is_one_more_key(write: Write) -> None:
    loaded = load_eval_set(write(eval_set_document(thread_document("a", name="n", description="d"))))
    assert (loaded.threads[0].description, loaded.threads[0].extras) == ("d", {"name": "n"})


def test_a_misspelt_extension_key_does_not_pass_unseen(write: Write) -> None:
    loaded = load_eval_set(write(eval_set_document(thread_document("a", tag=["x"], created_on=TIME), evalution={})))
    assert loaded.notes == (
        "set.json: the key 'evalution' has no effect; did you mean 'evaluation'?",
        "set.json: /threads/0: the key 'tag' has no effect; did you mean 'tags'?",
    )


# ---------------------------------------------------------------------------------------------- files that cannot be


def test_a_missing_file(write: Write) -> None:
    write(eval_set_document(), "smoke.evalset.json")
    assert refusal("smok.evalset.json") == [
        "smok.evalset.json: expected a file, found nothing of that name (did you mean 'smoke.evalset.json'?)"
    ]
    assert refusal("no/x.json") == [
        "no/x.json: expected a file, found nothing of that name (there is no directory 'no')"
    ]


def test_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets").mkdir()
    (tmp_path / "lines.jsonl").mkdir()
    assert refusal("sets") == ["sets: expected a file, found a directory (name a file inside it)"]
    assert refusal("lines.jsonl") == ["lines.jsonl: expected a file, found a directory (name a file inside it)"]


def test_a_file_that_may_not_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    name = write(eval_set_document())
    monkeypatch.setattr(Path, "read_bytes", forbidden)
    assert refusal(name) == [
        "set.json: expected a file that can be read, found one that may not be read (its permissions forbid it)"
    ]


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have(name: str) -> None:
    (line,) = refusal(name)
    assert "expected" in line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "set.json: expected a JSON document, found an empty file"),
        (b"\xef\xbb\xbf", "set.json: expected a JSON document, found an empty file"),
        (b" \n\t", "set.json: expected a JSON document, found nothing but white space"),
        ("{}".encode("utf-16"), "set.json: expected UTF-8 text, found what looks like UTF-16 or UTF-32 (save the file as UTF-8)"),
        ("{}".encode("utf-16-be"), "set.json: expected UTF-8 text, found what looks like UTF-16 or UTF-32 (save the file as UTF-8)"),
        ("{}".encode("utf-32"), "set.json: expected UTF-8 text, found what looks like UTF-16 or UTF-32 (save the file as UTF-8)"),
        (
            '{"a":\n "ü'.encode() + b'\xe9"}',
            "set.json:2:4: expected UTF-8 text, found the byte 0xE9 (save the file as UTF-8)",
        ),
        (b'\xef\xbb\xbf["\xff"]', "set.json:1:3: expected UTF-8 text, found the byte 0xFF (save the file as UTF-8)"),
        (b"hello", "set.json:1:1: expected a value, found 'hello'"),
    ],
)  # fmt: skip
def test_bytes_that_are_no_json(write: Write, content: bytes, message: str) -> None:
    assert refusal(write(content)) == [message]


# --------------------------------------------------------------------------------------------- documents that cannot be


def test_problems_deep_inside(write: Write) -> None:
    history = [
        {"role": "tool", "content": "x"},
        {"role": "assistant", "content": 5, "toolCalls": [{"name": "f", "arguments": "{}"}, {"nam": "f"}]},
        {},
        7,
    ]
    iterations = [
        {"history": history, "output": {"role": "user"}, "startTime": "yesterday", "endTime": [1]},
        {"history": [], "output": {"role": "function"}, "startTime": 5, "endTime": [1, 0.5, 0]},
    ]
    trace = trace_document(iterations=iterations, output=None, tools={}, toolCalls=None, usermessage=1)
    found = refusal(write(eval_set_document(thread_document("a", trace, 5))))
    base = "/threads/0/traces/0"
    assert [line.split(": ", 1)[1] for line in found] == [
        f"{base}/iterations/0/history/0/role expected the role system, user, assistant or function, found the string \"tool\" (did you mean 'function'?)",
        f"{base}/iterations/0/history/1/content expected a string, found the number 5",
        f'{base}/iterations/0/history/1/toolCalls/0/arguments expected an object, found the string "{{}}" (write the object itself, not its text)',
        f"{base}/iterations/0/history/1/toolCalls/1 expected the key 'name', found an object with the keys nam (is it what 'nam' should say?)",
        f"{base}/iterations/0/history/1/toolCalls/1/nam expected a key of a tool call, found the unknown key 'nam' (did you mean 'name'?)",
        f"{base}/iterations/0/history/2 expected the key 'role', found an empty object",
        f"{base}/iterations/0/history/3 expected a message with the role system, user, assistant or function, found the number 7",
        f'{base}/iterations/0/output/role expected the role assistant or function, found the string "user"',
        f'{base}/iterations/0/startTime expected a date and time of RFC 3339, such as 2026-08-01T09:00:00Z, found the string "yesterday"',
        f"{base}/iterations/0/endTime expected [whole seconds, fraction from 0 to below 1], within the years 1 to 9999, found [1]",
        f"{base}/iterations/1/output expected the key 'name', found an object with the keys role",
        f"{base}/iterations/1/startTime expected a date and time of RFC 3339, or [whole seconds, fraction], found the number 5",
        f"{base}/iterations/1/endTime expected [whole seconds, fraction from 0 to below 1], within the years 1 to 9999, found [1, 0.5, 0]",
        f"{base}/output expected a message with the role assistant, or the text of an error, found null",
        f"{base}/tools expected an array, found an empty object",
        f"{base}/toolCalls expected a value, or no such key, found null",
        f"{base}/usermessage expected a key of a trace, found the unknown key 'usermessage' (it has id, userMessage, iterations, output, tools, toolCalls, startTime, endTime)",
        "/threads/0/traces/1 expected an object, found the number 5",
    ]


def test_places_are_those_of_the_file(write: Write) -> None:
    text = '{"id": "x",\n "threads": [\n  {"id": 1, "traces": {}}]}'
    assert refusal(write(text)) == [
        "set.json:3:10: /threads/0/id expected a string, found the number 1",
        "set.json:3:23: /threads/0/traces expected an array, found an empty object",
    ]


@pytest.mark.parametrize("key", ["<user>", "a/b~c", "", "\u200b", "k" * 5000])
def test_any_unknown_key_is_named(write: Write, key: str) -> None:
    trace = trace_document(userMessage={"role": "user", "content": "x", key: {"role": "user"}})
    (line,) = refusal(write(eval_set_document(thread_document("a", trace))))
    pointer = key.replace("~", "~0").replace("/", "~1").replace("\u200b", "\\u200b")
    assert f"/userMessage/{pointer} expected a key of a user message" in line


def test_only_twenty_problems_are_put_into_words(write: Write) -> None:
    found = refusal(write(eval_set_document(*range(50))))
    assert len(found) == 21
    assert found[-1] == "... and 30 more problems"


def test_a_repeated_thread_id_names_both_places(write: Write) -> None:
    text = (
        '{"id": "x", "threads": [\n{"id": "a", "traces": []},\n{"id": "b", "traces": []},\n{"id": "a", "traces": []}]}'
    )
    assert refusal(write(text)) == [
        'set.json:4:8: /threads/2/id expected an id that no other thread has, found the string "a" (the first one stands at line 2, column 8)'
    ]


def test_what_evaluation_states_is_checked_at_loading(write: Write) -> None:
    thread = thread_document("a", evaluation={"match_mod": "STRICT", "min_pass_rate": 1})
    found = refusal(write(eval_set_document(thread, evaluation={"match_mode": "strct", "arguments": {"polic": 1}})))
    assert [line.split(": ", 1)[1].split(" (")[0] for line in found] == [
        "/threads/0/evaluation/match_mod expected a settings key, found the unknown key 'match_mod'",
        "/threads/0/evaluation/min_pass_rate expected a settings key, found the unknown key 'min_pass_rate'",
        '/evaluation/match_mode expected one of STRICT, IN_ORDER, UNORDERED, SUBSET, SUPERSET, found the string "strct"',
        "/evaluation/arguments/polic expected a settings key, found the unknown key 'polic'",
    ]  # fmt: skip
    assert "(did you mean 'match_mode'?)" in found[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evaluation": None}, "/threads/0/evaluation expected a value, or no such key, found null"),
        ({"evaluation": []}, "/threads/0/evaluation expected an object, found an empty array"),
        ({"tags": "smoke"}, '/threads/0/tags expected an array, found the string "smoke"'),
        ({"tags": ["x", 1]}, "/threads/0/tags/1 expected a string, found the number 1"),
        ({"initial_state": [1]}, "/threads/0/initial_state expected an object, found an array of 1 item"),
        ({"description": 5}, "/threads/0/description expected a string, found the number 5"),
    ],
)
def test_extension_keys_have_their_types(write: Write, changes: dict[str, Any], message: str) -> None:
    (line,) = refusal(write(eval_set_document(thread_document("a", **changes))))
    assert line.split(": ", 1)[1] == message


# ---------------------------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    ("document", "shape"),
    [
        ({"eval_set_id": "x", "eval_cases": []}, "Google ADK eval set"),
        ({"evalSetId": "x", "evalCases": []}, "Google ADK eval set"),
        ({"eval_cases": []}, "agents-cli dataset"),
        ([{"query": "x", "expected_tool_use": []}], "Google ADK list of turns (old)"),
        ([{"name": "x", "data": []}], "Google ADK list of named cases (old)"),
    ],
)
def test_other_shapes_are_known_by_what_they_hold(write: Write, document: object, shape: str) -> None:
    assert load_eval_set(write(document)).shape == shape


@pytest.mark.parametrize("document", [[], {}, "x", 5, None, True, [5], [[]]])
def test_json_of_no_known_shape_never_breaks_the_reader(write: Write, document: object) -> None:
    assert refusal(write(json.dumps(document)))[0].startswith("set.json:1:1: expected an eval set")


def test_lines_that_are_no_threads_are_refused_once(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    file.write_text('{"resourceSpans": []}\n' * 3, "utf-8")
    with pytest.raises(EvalSetError) as refused:
        load_eval_set(file)
    (problem,) = refused.value.problems
    assert (problem.line, problem.expected, problem.found) == (1, "a thread", "an object with the keys resourceSpans")
    assert "--recorded" in problem.hint


def test_json_of_no_known_shape_is_told_what_ruled_each_shape_out(write: Write) -> None:
    (line,) = refusal(write({"id": "x", "thread": []}))
    assert line.endswith("; recorded runs are given by --recorded, and `trajectory convert` makes eval sets of them)")
    place, found, *reasons = re.split(r", found | \(not |; not |; recorded|\)$", line)
    assert (place, found) == ("set.json:1:1: expected an eval set", "an object with the keys id, thread")
    assert reasons[:-2] == [
        "native: no key 'threads' (but 'thread')",
        "tRPC-Agent-Go eval set: no key 'evalSetId'",
        "Google ADK eval set: no key 'eval_set_id'",
        "agents-cli dataset: no key 'eval_cases'",
        "Google ADK list of turns (old): it is no array",
        "Google ADK list of named cases (old): it is no array",
    ]


# ------------------------------------------------------------------------------------------------- effective threads


def test_what_the_root_states_lies_under_what_the_thread_states(write: Write) -> None:
    root = {
        "match_mode": "SUBSET",
        "repeats": "ignore",
        "arguments": {"policy": "exact", "case_sensitive": False},
        "min_pass_rate": 0.5,
    }
    own = {"match_mode": "STRICT", "arguments": {"case_sensitive": True}, "must_pass": True}
    threads = thread_document("a", evaluation=own), thread_document("b"), thread_document("c", evaluation={})
    loaded = load_conversation_threads(write(eval_set_document(*threads, evaluation=root)))
    below = {key: value for key, value in root.items() if key != "min_pass_rate"}
    assert loaded["a"].evaluation == {
        "match_mode": "STRICT",
        "repeats": "ignore",
        "arguments": {"policy": "exact", "case_sensitive": True},
        "must_pass": True,
    }
    assert (loaded["b"].evaluation, loaded["c"].evaluation) == (below, below)


def test_policies_of_single_tools_lie_over_each_other_tool_by_tool(write: Write) -> None:
    root = {"arguments": {"tools": {"f": {"policy": "subset", "case_sensitive": False}, "g": {"policy": "ignore"}}}}
    own = {"arguments": {"tools": {"f": {"policy": "exact"}, "h": {}}}}
    loaded = load_conversation_threads(write(eval_set_document(thread_document("a", evaluation=own), evaluation=root)))
    assert loaded["a"].evaluation == {
        "arguments": {"tools": {"f": {"policy": "exact", "case_sensitive": False}, "g": {"policy": "ignore"}, "h": {}}}
    }


@pytest.mark.parametrize("tolerance", [2, -1, {"relative": 2}, {"relativ": 0}, "x"])
def test_a_wrong_setting_has_a_place_however_it_is_written(write: Write, tolerance: object) -> None:
    (line,) = refusal(write(eval_set_document(evaluation={"arguments": {"tolerance": tolerance}})))
    assert re.match(r"set.json:\d+:\d+: /evaluation/arguments/tolerance", line)


def test_nothing_stated_for_threads_leaves_them_as_they_are(write: Write) -> None:
    name = write(eval_set_document(thread_document("a"), evaluation={"min_pass_rate": 1}))
    assert load_conversation_threads(name)["a"].evaluation is None


# ------------------------------------------------------------------------------------------------------------- lines


def lines(*documents: object) -> str:
    return "".join(json.dumps(document) + "\n" for document in documents)


def test_a_file_of_lines_is_a_set_of_threads(write: Write) -> None:
    text = lines(thread_document("a", trace_document()), {"id": "b", "traces": []}).replace("\n", "\r\n\n")
    name = write("\ufeff" + text, "smoke.v2.jsonl")
    loaded = load_eval_set(name)
    assert (loaded.id, [thread.id for thread in loaded.threads]) == ("smoke.v2", ["a", "b"])
    assert loaded.notes == ("smoke.v2.jsonl:3: no 'description', read as empty",)
    assert list(iter_conversation_threads(name)) == list(load_conversation_threads(name).values())


def test_a_file_of_no_lines_holds_no_threads(write: Write) -> None:
    assert load_eval_set(write("", "x.jsonl")).threads == ()


def test_the_problems_of_all_lines_are_reported_together(write: Write) -> None:
    text = (
        lines(thread_document("a"), thread_document("b", tags=1))
        + '{"id": }\n'
        + lines(thread_document("a"), eval_set_document(), 5)
        + '"\xe9'
    )
    data = text.encode().replace("\xe9".encode(), b"\xe9") + b'\n{"id": "c", "tra'
    assert refusal(write(data, "x.jsonl")) == [
        "x.jsonl:2:54: /tags expected an array, found the number 1",
        "x.jsonl:3:8: /id expected a value, found '}'",
        'x.jsonl:4:8: /id expected an id that no other thread has, found the string "a" (the first one stands on line 1)',
        "x.jsonl:5:1: expected a conversation thread, found a whole eval set (each line of a .jsonl file is one thread; an eval set is a file of its own)",
        "x.jsonl:6:1: expected an object, found the number 5",
        "x.jsonl:7:2: expected UTF-8 text, found the byte 0xE9 (save the file as UTF-8)",
        "x.jsonl:8:13: expected a closing quote, found the end of the line (the text seems to be cut off)",
    ]


def test_threads_stream_up_to_the_line_that_is_wrong(write: Write) -> None:
    stream = iter_conversation_threads(write(lines(thread_document("a"), thread_document("b"), {"id": 1}), "x.jsonl"))
    assert [next(stream).id, next(stream).id] == ["a", "b"]
    with pytest.raises(EvalSetError, match=r"x.jsonl:3:8: /id expected a string"):
        next(stream)


def test_streaming_holds_one_thread_at_a_time(write: Write) -> None:
    trace = trace_document(output={"role": "assistant", "content": "x" * 10_000})
    name = write(lines(*(thread_document(str(number), trace) for number in range(500))), "x.jsonl")
    next(iter_conversation_threads(name))
    tracemalloc.start()
    assert sum(1 for _ in iter_conversation_threads(name)) == 500
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000 < Path(name).stat().st_size


# ------------------------------------------------------------------------------------------------------- at full size


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("content", [eval_set_document(), {}, "{"])
def test_the_collector_is_as_it_was(write: Write, content: object, enabled: bool) -> None:  # noqa: FBT001
    name = write(content)
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(EvalSetError) if content != eval_set_document() else contextlib.nullcontext():
            load_eval_set(name)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def test_fifty_megabytes(write: Write) -> None:
    call = {"name": "search", "arguments": {"q": "x" * 200, "n": 5}}
    trace = json.dumps(trace_document(toolCalls=[call] * 20))
    thread = '{"id": "%d", "description": "", "traces": [' + ", ".join([trace] * 20) + "]}"
    count = 50_000_000 // len(thread)
    text = '{"id": "x", "name": "", "description": "", "threads": [' + ",\n".join(thread % n for n in range(count))
    name = write(text + "]}")
    parsed = seconds(lambda: json.loads(text + "]}"))
    assert seconds(lambda: load_eval_set(name)) < 15 * parsed


def test_a_problem_at_the_end_of_megabytes(write: Write) -> None:
    thread = json.dumps(thread_document("%d", *[trace_document()] * 20))
    text = ",\n".join(thread % n for n in range(1000))
    name = write(f'{{"id": "x", "threads": [\n{text},\n5]}}')
    parsed = seconds(lambda: json.loads(f"[{text}]"))
    assert refusal(name) == ["set.json:1002:1: /threads/1000 expected an object, found the number 5"]
    assert seconds(lambda: refusal(name)) < 150 * parsed


# ----------------------------------------------------------------------------------------------------- the real file


@pytest.mark.skipif(CORPUS is None, reason="TRAJECTORY_CORPUS is not set")
def test_a_set_of_the_editor_loads_as_it_says() -> None:
    corpus = Path(CORPUS or "")
    loaded = load_eval_set(corpus / "ballerina" / "sessions.evalset.json")
    truth = json.loads((corpus / "truth" / "ballerina__sessions.evalset.json.json").read_text("utf-8"))
    assert loaded.notes == ()
    assert len(loaded.threads[0].traces[2].iterations[-1].history) == 12
    assert [
        {
            "id": thread.id,
            "turns": [
                {
                    "query": trace.query,
                    "response": trace.response,
                    "tool_calls": [
                        {"name": call.name, "arguments": call.arguments, "id": call.id} for call in trace.trajectory
                    ],
                }
                for trace in thread.traces
            ],
        }
        for thread in loaded.threads
    ] == [
        {
            "id": thread["id"],
            "turns": [
                turn
                | {
                    "tool_calls": [
                        {key: call[key] for key in ("name", "arguments", "id")} for call in turn["tool_calls"]
                    ]
                }
                for turn in thread["turns"]
            ],
        }
        for thread in truth["threads"]
    ]
