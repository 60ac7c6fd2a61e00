"""The records of a conversation: what they hold, what they refuse, and what can be read off them."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trajectory.conversation import (
    NOT_RECORDED,
    TRUSTED_JSON,
    AssistantMessage,
    ConversationThread,
    FunctionMessage,
    Iteration,
    MalformedArguments,
    Message,
    PromptTrace,
    Record,
    SystemMessage,
    ToolCall,
    Trace,
    UserMessage,
    moment,
    read_arguments,
)

TIME = "2026-08-01T09:00:00Z"
CALL = ToolCall(name="search", arguments={"q": "x"})
OTHER = ToolCall(name="open", arguments={"n": 1})


def trace(**changes: Any) -> Trace:
    values: dict[str, Any] = {
        "id": "t",
        "user_message": UserMessage(content="hi"),
        "iterations": (),
        "output": AssistantMessage(content="hello"),
        "tools": (),
        "start_time": TIME,
        "end_time": TIME,
    }
    return Trace(**values | changes)


def iteration(*output: AssistantMessage | FunctionMessage | str, history: tuple[Message, ...] = ()) -> Iteration:
    return Iteration(history=history, output=output, start_time=TIME, end_time=TIME)


def asks(*calls: ToolCall) -> AssistantMessage:
    return AssistantMessage(tool_calls=calls)


def read(record: type[Record], document: object) -> Any:
    return record.model_validate(document, by_alias=True, by_name=False, context=TRUSTED_JSON)


# --------------------------------------------------------------------------------------------------------- trajectory


def test_listed_calls_are_the_trajectory_whatever_the_iterations_show() -> None:
    assert trace(tool_calls=(OTHER,), iterations=(iteration(asks(CALL)),)).trajectory == (OTHER,)
    assert trace(tool_calls=(), iterations=(iteration(asks(CALL)),)).trajectory == ()


def test_nothing_listed_and_no_iterations_means_no_calls() -> None:
    assert trace().trajectory == ()


def test_calls_that_only_the_iterations_show() -> None:
    found = trace(iterations=(iteration(asks(CALL, OTHER)), iteration("it broke"), iteration(asks(CALL)))).trajectory
    assert found == (CALL, OTHER, CALL)


def test_calls_that_only_the_last_history_shows_begin_behind_the_last_user_message() -> None:
    answer = FunctionMessage(name="search", content="1")
    history = (
        SystemMessage(content="s"),
        UserMessage(content="earlier"),
        asks(OTHER),
        UserMessage(content="hi"),
        asks(CALL),
        answer,
    )
    assert trace(iterations=(iteration(answer), iteration(answer, history=history))).trajectory == (CALL,)


def test_query_response_and_error() -> None:
    assert (trace().query, trace().response, trace().error) == ("hi", "hello", None)
    assert (trace(output="boom").response, trace(output="boom").error) == (None, "boom")


def test_a_prompt_is_no_turn_that_expects_no_calls() -> None:
    plain = trace()
    prompt = PromptTrace(**dict(plain))
    assert (plain.states_expectation, prompt.states_expectation) == (True, False)
    assert prompt != plain
    assert ConversationThread(id="a", traces=(prompt,)).traces == (prompt,)


# --------------------------------------------------------------------------------------------------------------- read

ARGUMENTS = {"a": [1, {"b": None}]}


@pytest.mark.parametrize(
    "form",
    [
        ToolCall(name="f", arguments=ARGUMENTS, id="c1"),
        {"name": "f", "arguments": ARGUMENTS, "id": "c1"},
        {"name": "f", "args": ARGUMENTS, "id": "c1", "type": "tool_call"},
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": [1, {"b": null}]}'}},
        {"id": "c1", "function": {"name": "f", "arguments": ARGUMENTS}},
    ],
)
def test_every_form_of_a_call_reads_alike(form: Any) -> None:
    assert ToolCall.read(form) == ToolCall(name="f", arguments=ARGUMENTS, id="c1")


def test_a_call_shares_nothing_with_what_it_was_read_from() -> None:
    arguments: dict[str, Any] = {"a": [1]}
    call = ToolCall.read({"name": "f", "arguments": arguments})
    arguments["a"].append(2)
    assert call.arguments == {"a": [1]}


@pytest.mark.parametrize("form", [None, 5, "f", [], {}, {"arguments": {}}, {"name": 5}, {"function": "f"}])
def test_what_is_no_call_is_refused(form: Any) -> None:
    with pytest.raises(TypeError, match="a tool call"):
        ToolCall.read(form)


@pytest.mark.parametrize("nothing", [None, "", {}, "{}", "null", " {} "])
def test_no_arguments_are_one_thing(nothing: object) -> None:
    assert read_arguments(nothing) == {}


@pytest.mark.parametrize(
    ("given_arguments", "reason"),
    [
        ("{", "not JSON"),
        ("[1]", "an array of 1 item is not an object"),
        ("5", "the number 5 is not an object"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"a": NaN}', "nan is not a JSON number"),
        ("[" * 100_000, "not JSON"),
        ([1], "not an object"),
        ({"a": {1, 2}}, "type set is not JSON at /a"),
        ({1: 2}, "not a string"),
    ],
)
def test_malformed_arguments_say_why(given_arguments: object, reason: str) -> None:
    found = read_arguments(given_arguments)
    assert isinstance(found, MalformedArguments)
    assert reason in found.reason


def test_malformed_arguments_keep_the_text() -> None:
    assert read_arguments("oops").text == "oops"  # type: ignore[union-attr]


def test_arguments_that_were_not_recorded_stay_so() -> None:
    assert ToolCall(name="f", arguments=NOT_RECORDED).arguments is NOT_RECORDED


# ----------------------------------------------------------------------------------------------- frozen, extras, nulls


def test_records_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        CALL.name = "other"  # type: ignore[misc]


def test_a_closed_record_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        read(UserMessage, {"role": "user", "content": "x", "id": "1"})


def test_a_message_of_a_file_says_its_role() -> None:
    document = trace().model_dump(by_alias=True, exclude_none=True) | {"userMessage": {"content": "hi"}}
    with pytest.raises(ValidationError, match="the role user"):
        read(Trace, document)


def test_a_file_uses_the_names_of_the_format() -> None:
    with pytest.raises(ValidationError, match="toolCalls"):
        read(AssistantMessage, {"role": "assistant", "toolCalls": [{"nam": "f"}]})
    with pytest.raises(ValidationError, match="Extra inputs"):
        read(AssistantMessage, {"role": "assistant", "tool_calls": []})


def test_a_thread_keeps_what_the_format_does_not_know() -> None:
    document = {"id": "a", "traces": [], "created_on": "x", "copy": 1, "__class__": 2, "": None, "initialState": 3}
    extras = {key: value for key, value in document.items() if key not in ("id", "traces")}
    assert read(ConversationThread, document).extras == extras


def test_the_extension_keys_of_a_thread_are_spelled_as_in_the_format() -> None:
    document = {"id": "a", "traces": [], "evaluation": {"x": 1}, "tags": ["t"], "initial_state": {"y": 2}}
    thread = read(ConversationThread, document)
    assert (thread.evaluation, thread.tags, thread.initial_state) == ({"x": 1}, ("t",), {"y": 2})
    assert thread.extras == {}


@pytest.mark.parametrize(
    ("record", "document"),
    [
        (AssistantMessage, {"role": "assistant", "content": None, "toolCalls": None}),
        (FunctionMessage, {"role": "function", "name": "f", "content": None}),
        (ToolCall, {"name": "f", "arguments": None}),
    ],
)
def test_nulls_that_the_format_allows(record: type[Record], document: object) -> None:
    assert read(record, document) is not None


@pytest.mark.parametrize(
    ("record", "document"),
    [
        (UserMessage, {"role": "user", "content": None}),
        (UserMessage, {"role": "user", "content": "x", "name": None}),
        (FunctionMessage, {"role": "function", "name": "f", "id": None}),
        (ToolCall, {"name": "f", "id": None}),
        (ConversationThread, {"id": "a", "traces": [], "evaluation": None}),
        (ConversationThread, {"id": "a", "traces": [], "initial_state": None}),
    ],
)
def test_nulls_that_the_format_refuses(record: type[Record], document: object) -> None:
    with pytest.raises(ValidationError):
        read(record, document)


def test_one_output_of_an_iteration_reads_as_a_list_of_one() -> None:
    document = {"history": [], "output": {"role": "assistant"}, "startTime": TIME, "endTime": TIME}
    assert read(Iteration, document).output == (AssistantMessage(),)
    assert read(Iteration, document | {"output": "broke"}).output == ("broke",)


# -------------------------------------------------------------------------------------------------------------- times


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2026-08-01T09:00:00Z", datetime(2026, 8, 1, 9, tzinfo=UTC)),
        ("2026-08-01t09:00:00.25z", datetime(2026, 8, 1, 9, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-08-01T09:00:00.123456789+02:00", datetime(2026, 8, 1, 7, 0, 0, 123_457, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("9999-12-31T23:59:59.9999999Z", datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        ((1_785_574_802, 0.25), datetime(2026, 8, 1, 9, 0, 2, 250_000, tzinfo=UTC)),
        ((-1, 0.5), datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)),
        ((253_402_300_799, 0.9999999), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    ],
)
def test_moments(time: Any, expected: datetime) -> None:
    assert moment(trace(start_time=time).start_time) == expected


@pytest.mark.parametrize(
    "time",
    [
        "",
        "2026-08-01",
        "2026-08-01T09:00:00",
        "2026-08-01 09:00:00Z",
        "2026-02-30T09:00:00Z",
        "2026-08-01T24:00:00Z",
        "2026-08-01T09:00:00Z\n",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        (1, 1.0),
        (1, -0.1),
        (1.5, 0.0),
        (True, 0.0),
        (1,),
        (1, 0.0, 0),
        (10**400, 0.0),
        (253_402_300_800, 0.0),
        5,
        None,
    ],
)
def test_what_is_no_time_is_refused(time: Any) -> None:
    with pytest.raises(ValidationError):
        trace(start_time=time)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_what_was_written(time: datetime) -> None:
    assert moment(trace(start_time=time.isoformat()).start_time) == time


@pytest.mark.parametrize(
    ("record", "document"),
    [
        (ToolCall, {"name": "a", "result": {"role": "function", "name": "a"}}),
        (ToolCall, {"name": "a", "<result>": {"role": "function", "name": "a"}}),
        (ToolCall, {"name": "a", "<agent>": "b"}),
        (FunctionMessage, {"role": "function", "name": "a", "error": True}),
        (FunctionMessage, {"role": "function", "name": "a", "<error>": True}),
        (ConversationThread, {"id": "t", "traces": [], "<final_state>": {}}),
    ],
)
def test_what_only_recordings_tell_stands_in_no_file(record: type[Record], document: object) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        read(record, document)


def test_records_of_sound_parts_are_the_same_records() -> None:
    """They are made without being looked at, so they have to come out no other way."""
    looked_at = AssistantMessage(content="x", tool_calls=(ToolCall(name="f", arguments={"a": 1}),))
    sound = AssistantMessage.of_sound(content="x", tool_calls=(ToolCall.of_sound(name="f", arguments={"a": 1}),))
    assert (sound, sound.model_dump(), sound.model_dump_json()) == (
        looked_at,
        looked_at.model_dump(),
        looked_at.model_dump_json(),
    )
    assert (sound.model_fields_set, repr(sound)) == (looked_at.model_fields_set, repr(looked_at))
    assert sound.model_copy(update={"content": "y"}).content == "y"
    assert copy.deepcopy(sound) == pickle.loads(pickle.dumps(sound)) == looked_at  # noqa: S301 - its own
