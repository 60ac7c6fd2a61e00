"""Items of the OpenAI Responses API: responses, requests with responses, and the sessions of the OpenAI Agents SDK.

One answer of the model is a run of items: its texts and the calls that it asks the client for. A tool that runs at the
provider is one item that is call and result at once. Calls and results belong together by ``call_id``, never by ``id``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from trajectory.json_values import describe
from trajectory.recordings.beside import Beside
from trajectory.recordings.formats.building import call_of, free_text_call, left_out, result_of, says, text_of, texts_in
from trajectory.recordings.formats.message_lists import Converted, MessageLists

if TYPE_CHECKING:
    from trajectory.conversation import ToolCall
    from trajectory.recordings.beside import Request

_SILENT: Final = ("reasoning", "mcp_list_tools", "compaction", "item_reference")
_AT_THE_PROVIDER: Final = ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call")
_NO_ARGUMENTS: Final = frozenset(
    {"type", "id", "call_id", "status", "output", "outputs", "result", "results", "container_id", "caller", "error"}
    | {"execution"}
)
_RESULTS: Final = ("output", "outputs", "result", "results", "tools")


def responses_items(items: list[dict[str, Any]]) -> Converted:
    """Make messages such as the reader of chat messages understands."""
    reader = ItemReader(items)
    for item in items:
        reader.read(item)
    return Converted(reader.finish(), reader.notes())


class ItemReader:
    """Puts the items of one answer together: its texts and calls stand in items of their own."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self._approved = [item.get("approval_request_id") for item in items if item.get("type") == "mcp_call"]
        self._messages: list[Any] = []
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._unknown: Counter[str] = Counter()
        self._time: str | None = None

    def read(self, item: dict[str, Any], time: str | None = None) -> None:
        """Read one item.

        Args:
            item: The item.
            time: When it was recorded.

        Raises:
            TypeError: It is not what its type says.
        """
        before, self._time = self._time, time
        kind = str(item.get("type", "message"))
        if kind == "message":
            self._message(item, before)
        elif kind.endswith("_output"):
            self._end_answer(before)
            failed = _failed(item, "apply_patch_call_output")
            self._messages.append(
                Beside(result_of(item.get("call_id"), _output(item), item.get("name"), error=failed), time)
            )
        elif kind == "mcp_call" or kind in _AT_THE_PROVIDER:
            self._provider_call(item)
        elif kind.endswith("_call") or kind == "program":
            self._calls.append(_client_call(item))
        elif kind == "mcp_approval_request":
            if item.get("id") not in self._approved:
                self._calls.append(call_of(item))
        elif kind not in _SILENT and kind != "mcp_approval_response":
            self._unknown[kind] += 1

    def note(self, request: Request) -> None:
        """Note what a request to the model took."""
        self._messages.append(Beside(request=request))

    def finish(self) -> list[Any]:
        """Give the messages."""
        self._end_answer(self._time)
        return self._messages

    def notes(self) -> tuple[str, ...]:
        """Say what was left out."""
        return left_out(self._unknown.total(), f"items of other kinds: {', '.join(sorted(self._unknown))}")

    def _message(self, item: dict[str, Any], before: str | None) -> None:
        text = _text(item.get("content"))
        if item.get("role") == "assistant":
            self._texts.append(text)
            return
        self._end_answer(before)
        self._messages.append(Beside({"role": item.get("role"), "content": text}, self._time))

    def _provider_call(self, item: dict[str, Any]) -> None:
        call = call_of(item) if item["type"] == "mcp_call" else _hosted_call(item, item.get("id"))
        self._calls.append(call)
        self._end_answer(self._time)
        if item.get("status") != "in_progress":
            failed = _failed(item, item["type"])
            self._messages.append(Beside(result_of(call.id, _output(item), call.name, error=failed), self._time))

    def _end_answer(self, time: str | None) -> None:
        if self._texts or self._calls:
            self._messages.append(Beside(says("".join(self._texts), self._calls), time))
        self._texts, self._calls = [], []


def _client_call(item: dict[str, Any]) -> ToolCall:
    kind = item["type"]
    identity = item["call_id"] if item.get("call_id") is not None else item.get("id")
    if kind == "function_call":
        return call_of(item, id="call_id")
    if kind == "custom_tool_call":
        return free_text_call(item.get("name"), item.get("input"), identity)
    return _hosted_call(item, identity)


def _hosted_call(item: dict[str, Any], identity: Any) -> ToolCall:
    """Read a call of a built-in tool: it is named after its type, and what is said beside are its arguments."""
    given = {key: value for key, value in item.items() if key not in _NO_ARGUMENTS}
    if isinstance(given.get("action"), dict):  # what a search found stands among what it was asked for
        given["action"] = {key: value for key, value in given["action"].items() if key != "sources"}
    arguments = {"arguments": given.get("arguments", given)} if given else {}
    return call_of({"name": item["type"].removesuffix("_call"), "id": identity, **arguments})


def _output(item: dict[str, Any]) -> str | None:
    action = item.get("action")
    beside = {**item, "results": item.get("results", action.get("sources"))} if isinstance(action, dict) else item
    found = next((beside[key] for key in _RESULTS if beside.get(key) is not None), None)
    if found is None and item.get("error") is not None:
        found = item["error"]
    if isinstance(found, list) and all(isinstance(part, dict) and "text" in part for part in found):
        return texts_in(found)
    return text_of(found)


def _failed(item: dict[str, Any], flagged: str) -> bool | None:
    """Tell whether a call failed, as items of one type say it; of others only a failure shows."""
    failed = item.get("status") == "failed" or item.get("error") is not None
    return failed if failed or item["type"] == flagged else None


def _text(content: Any) -> str:
    if not isinstance(content, str | list | None):
        raise TypeError(f"expected the content of a message, found {describe(content)}")
    parts = [content] if isinstance(content, str) else content or ()
    return "".join(part if isinstance(part, str) else _part_text(part) for part in parts)


def _part_text(part: Any) -> str:
    if not isinstance(part, dict):
        raise TypeError(f"expected a part of content, found {describe(part)}")
    found = next((part[key] for key in ("text", "refusal") if isinstance(part.get(key), str)), None)
    return found if found is not None else f"[{part.get('type')}]"


OPENAI_RESPONSES: Final = MessageLists("openai-responses", responses_items)
