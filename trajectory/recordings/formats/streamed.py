"""Responses that came in pieces, as programs save them that stream: put together again.

These are chunks of Chat Completions, the events of Anthropic Messages, and those of OpenAI Responses, which hold the whole
response in the end.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from trajectory.recordings.formats.building import id_of, object_of, objects_of, texts_in

_CHUNK: Final = "chat.completion.chunk"
_OF_ANTHROPIC: Final = ("message_start", "message_delta", "message_stop", "ping", "error")
_BLOCK: Final = "content_block_"
_OF_RESPONSES: Final = "response."
_WHOLE: Final = ("response.completed", "response.incomplete", "response.failed")
_DELTAS: Final = {"text_delta": "text", "thinking_delta": "thinking"}


class Streamed(NamedTuple):
    """A response that came in pieces.

    Attributes:
        response: The response as it would have come at once.
        is_cut: Whether its end is not there.
    """

    response: dict[str, Any]
    is_cut: bool


def streamed_responses(document: Any) -> list[Streamed]:
    """Put responses together that a document holds in pieces.

    Args:
        document: Plain JSON.

    Returns:
        The responses, in the order in which they began; none when the document is no list of such pieces, or one of them
        is not what its type says.
    """
    try:
        return _put_together(document)
    except TypeError:
        return []


def _put_together(document: Any) -> list[Streamed]:
    if not isinstance(document, list) or not document or not _begins_a_stream(document[0]):
        return []
    if not all(isinstance(piece, dict) for piece in document):
        return []
    if all(piece.get("object") == _CHUNK for piece in document):
        return _chat_completions(document)
    kinds = [str(piece.get("type")) for piece in document]
    if all(kind in _OF_ANTHROPIC or kind.startswith(_BLOCK) for kind in kinds) and "message_start" in kinds:
        return _anthropic_messages(document)
    if all(kind.startswith(_OF_RESPONSES) for kind in kinds):
        return _responses(document)
    return []


def _begins_a_stream(piece: Any) -> bool:
    """Tell in a short time of most documents that they are no streams."""
    if not isinstance(piece, dict):
        return False
    kind = piece.get("type")
    return piece.get("object") == _CHUNK or (
        isinstance(kind, str) and (kind in _OF_ANTHROPIC or kind.startswith((_BLOCK, _OF_RESPONSES)))
    )


def _chat_completions(chunks: list[dict[str, Any]]) -> list[Streamed]:
    by_id: dict[str | None, list[dict[str, Any]]] = {}
    for chunk in chunks:
        by_id.setdefault(id_of(chunk.get("id")), []).append(chunk)
    return [_chat_completion(pieces) for pieces in by_id.values()]


def _chat_completion(chunks: list[dict[str, Any]]) -> Streamed:
    text, calls, ended = "", dict[Any, dict[str, Any]](), False
    whole: dict[str, Any] = {}
    for chunk in chunks:
        whole |= {key: chunk[key] for key in ("model", "usage") if chunk.get(key) is not None}
        for choice in objects_of(chunk.get("choices"), "a choice")[:1]:
            delta = object_of(choice.get("delta") or {}, "the delta of a choice")
            text += texts_in(delta.get("content"))
            ended = ended or choice.get("finish_reason") is not None
            for piece in objects_of(delta.get("tool_calls"), "a piece of a tool call"):
                _add_to_call(calls.setdefault(piece.get("index"), {"type": "function"}), piece)
    message = {"role": "assistant", "content": text or None, **({"tool_calls": list(calls.values())} if calls else {})}
    return Streamed({**whole, "object": "chat.completion", "choices": [{"message": message}]}, not ended)


def _add_to_call(call: dict[str, Any], piece: dict[str, Any]) -> None:
    given = object_of(piece.get("function") or {}, "the function of a tool call")
    function = call.setdefault("function", {"name": None, "arguments": ""})
    function["name"] = given.get("name") or function["name"]
    function["arguments"] += texts_in(given.get("arguments"))
    call["id"] = call.get("id") or piece.get("id")


def _anthropic_messages(events: list[dict[str, Any]]) -> list[Streamed]:
    found: list[Streamed] = []
    for event in events:
        kind = event["type"]
        if kind == "message_start":
            message = {**object_of(event.get("message"), "a message"), "content": list[Any](), "stop_reason": None}
            found.append(Streamed(message, is_cut=True))
        elif found and kind == "message_stop":
            found[-1] = found[-1]._replace(is_cut=False)
        elif found:
            _add_to_message(found[-1].response, event)
    return found


def _add_to_message(message: dict[str, Any], event: dict[str, Any]) -> None:
    blocks, kind = message["content"], event["type"]
    if kind == "content_block_start":
        blocks.append(dict(object_of(event.get("content_block"), "a block")))
    elif kind == "content_block_delta" and blocks:
        delta = object_of(event.get("delta"), "the delta of a block")
        key = _DELTAS.get(str(delta.get("type")))
        if key is not None:
            blocks[-1][key] = texts_in(blocks[-1].get(key)) + texts_in(delta.get(key))
        elif delta.get("type") == "input_json_delta":
            before = blocks[-1].get("input")
            blocks[-1]["input"] = (before if isinstance(before, str) else "") + texts_in(delta.get("partial_json"))
    elif kind == "message_delta":
        message |= {key: value for key, value in object_of(event.get("delta") or {}, "a delta").items() if value}
        usage = {**object_of(message.get("usage") or {}, "a usage"), **object_of(event.get("usage") or {}, "a usage")}
        message["usage"] = usage


def _responses(events: list[dict[str, Any]]) -> list[Streamed]:
    whole = [
        event["response"] for event in events if event["type"] in _WHOLE and isinstance(event.get("response"), dict)
    ]
    if whole:
        return [Streamed(response, is_cut=False) for response in whole]
    items = [event.get("item") for event in events if event["type"] == "response.output_item.done"]
    return [Streamed({"object": "response", "output": objects_of(items, "an item")}, is_cut=True)]
