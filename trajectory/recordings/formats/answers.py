"""Responses of the APIs of models, each the last message of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trajectory.recordings.beside import failed, request_of
from trajectory.recordings.formats.building import left_out
from trajectory.recordings.usage import read_usage

if TYPE_CHECKING:
    from trajectory.recordings.beside import Beside, Request

_SPELT_TWICE: Final = (("usageMetadata", "usage_metadata"), ("modelVersion", "model_version"))


class Answer(NamedTuple):
    """What a response holds.

    Attributes:
        messages: Its messages.
        notes: What of it is not read.
        request: The request that it answers.
        failure: The error in which it ended, to be put behind the messages.
    """

    messages: list[Any]
    notes: tuple[str, ...] = ()
    request: Request | None = None
    failure: Beside | None = None


def answer_of(value: Any, cost: object) -> Answer | None:
    """Read a response of one of the APIs: of OpenAI, Anthropic, Bedrock Converse and Gemini.

    Of a message of Anthropic, the message itself says what the request took.

    Args:
        value: Plain JSON.
        cost: What the request cost, where that stands beside it.

    Returns:
        The answer; ``None`` when it is no whole response.
    """
    if not isinstance(value, dict):
        return None
    request = request_of(read_usage(value.get("usage"), cost), value.get("model"))
    choices, output = value.get("choices"), value.get("output")
    if isinstance(candidates := value.get("candidates"), list) and candidates:
        return _first_candidate(value, candidates, cost)
    if isinstance(choices, list) and choices and all(isinstance(choice, dict) for choice in choices):
        messages = [choice["message"] for choice in choices[:1] if isinstance(choice.get("message"), dict)]
        notes = left_out(len(choices) - 1, "answers", "only a model's first one counts")
        return Answer(messages, notes, request) if messages else None
    if isinstance(output, dict) and is_message(output.get("message")) and "stopReason" in value:
        return Answer([output["message"]], (), request)
    if value.get("object") == "response" and isinstance(output, list):
        before = value.get("previous_response_id") or value.get("conversation")
        notes = ("what was said before this response is not in the file",) if before else ()
        return Answer(output, notes, request, _failure(value))
    is_anthropic = value.get("type") == "message" and value.get("role") == "assistant" and "uuid" not in value
    return Answer([value]) if is_anthropic and "stop_reason" in value else None


def _failure(response: dict[str, Any]) -> Beside | None:
    """Say in which error a response of OpenAI Responses ended, which is one all the same."""
    has_failed = response.get("error") is not None or response.get("status") == "failed"
    return failed(response.get("error"), "the response failed") if has_failed else None


def _first_candidate(value: dict[str, Any], candidates: list[Any], cost: object) -> Answer | None:
    """Read a response of Google's Gemini API."""
    content = candidates[0].get("content") if isinstance(candidates[0], dict) else None
    if not isinstance(content, dict):
        return None
    usage, model = (value.get(key, value.get(other)) for key, other in _SPELT_TWICE)
    notes = left_out(len(candidates) - 1, "answers", "only a model's first one counts")
    return Answer([{"role": "model", **content}], notes, request_of(read_usage(usage, cost), model))


def is_message(value: Any) -> bool:
    """Tell whether a value may be a message of any dialect."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("role"), str) or any(
        isinstance(value.get(key), str) for key in ("type", "kind", "part_kind")
    )
