"""Hermetic tools: the recorded results of an eval set answer instead of the live tools."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_type_hints

from pydantic import TypeAdapter

from trajectory.errors import ConfigurationError
from trajectory.json_values import describe, plain_json
from trajectory.replay.adapters.registry import adapted_tool
from trajectory.replay.recorded_turn import CURRENT_TURN, ReplayMiss

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajectory.conversation import FunctionMessage

OnMiss: TypeAlias = Literal["error", "live"]


class RecordedToolError(Exception):
    """A tool failed when it was recorded; it fails again, with the recorded text."""


class GoLive(Exception):  # noqa: N818 - a way out, no error
    """A call has no recording, and is to go to the live tool."""


def recorded_tools(tools: Any, *, on_miss: OnMiss = "error") -> Any:
    """Wrap tools so that, while a thread is replayed, the recorded results of its turns answer instead of them.

    A call is answered by the recording of the same thread and turn: by the tool's name and the arguments, under the
    argument policy in force; calls that were recorded several times answer in the recorded order. A recorded failure
    fails again.

    Args:
        tools: The tools: a mapping of names to functions or to tool objects of a framework that an adapter knows, or a
            list of them. Functions may be async.
        on_miss: What a call without a recording is: ``"error"``, a `ReplayMiss` that leaves the turn without a verdict;
            or ``"live"``, a call of the tool itself, which the report names.

    Returns:
        The wrapped tools, a dict for a mapping and else a list.

    Raises:
        ConfigurationError: Something is no tool.
    """
    if on_miss not in {"error", "live"}:
        raise ConfigurationError(f"on_miss: expected 'error' or 'live', found {describe(on_miss)}")
    if isinstance(tools, Mapping):
        return {name: _wrapped(name, tool, on_miss) for name, tool in tools.items()}
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise ConfigurationError(f"recorded_tools: expected a mapping or a list of tools, found {describe(tools)}")
    return [_wrapped(None, tool, on_miss) for tool in tools]


def recorded_answer(name: str, arguments: dict[str, Any], on_miss: OnMiss = "error") -> str:
    """Answer a call by the recording of the turn that is being replayed.

    Args:
        name: The tool's name.
        arguments: The arguments by name.
        on_miss: What a call without a recording is.

    Returns:
        What the tool gave back when it was recorded.

    Raises:
        RecordedToolError: The call failed then.
        ReplayMiss: It has no recording.
        GoLive: It has none, and the tool itself is to be called.
    """
    return _content(_recorded(name, arguments, on_miss=on_miss))


def _wrapped(name: str | None, tool: Any, on_miss: OnMiss) -> Any:
    if (made := adapted_tool(tool, functools.partial(recorded_answer, on_miss=on_miss))) is not None:
        return made
    if not callable(tool):
        raise ConfigurationError(f"recorded_tools: expected a function or a tool, found {_kind_of(tool)}")
    return _function(name or str(getattr(tool, "__name__", type(tool).__name__)), tool, on_miss)


def _kind_of(tool: Any) -> str:
    """Name an object by its type."""
    return f"a {type(tool).__module__}.{type(tool).__qualname__}"


def _function(name: str, tool: Callable[..., Any], on_miss: OnMiss) -> Callable[..., Any]:
    signature, read = inspect.signature(tool), _reader(tool)

    def respond(positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        arguments = _arguments(signature, positional, named)
        return read(_recorded(name, arguments, on_miss=on_miss))

    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def respond_async(*positional: Any, **named: Any) -> Any:
            try:
                return respond(positional, named)
            except GoLive:
                return await tool(*positional, **named)

        return respond_async

    @functools.wraps(tool)
    def respond_now(*positional: Any, **named: Any) -> Any:
        try:
            return respond(positional, named)
        except GoLive:
            return tool(*positional, **named)

    return respond_now


def _arguments(signature: inspect.Signature, positional: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Give the arguments of a call by their names, as a model would have stated them."""
    bound = signature.bind(*positional, **named)
    arguments: dict[str, Any] = {}
    for key, value in bound.arguments.items():
        if signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            arguments |= value
        else:
            arguments[key] = value
    return {key: plain_json(value) for key, value in arguments.items()}


def _recorded(name: str, arguments: dict[str, Any], *, on_miss: OnMiss) -> FunctionMessage:
    turn = CURRENT_TURN.get()
    if turn is None:
        raise ReplayMiss(f"the recorded tool {name!r} was called outside of a turn that is replayed")
    result = turn.answer(name, arguments)
    if result is not None:
        return result
    if on_miss == "live":
        turn.went_live(name)
        raise GoLive
    raise turn.miss(name, arguments)


def _content(result: FunctionMessage) -> str:
    if result.error:
        raise RecordedToolError(result.content or "")
    return result.content or ""


def _reader(tool: Callable[..., Any]) -> Callable[[FunctionMessage], Any]:
    """Give what reads a recorded text as what the tool says that it returns.

    Without an annotation, the text of a JSON object or array is read as such, and every other text is left as it is.
    """
    try:
        returned = get_type_hints(tool).get("return", Any)
    except Exception:  # noqa: BLE001 - names that cannot be resolved here say nothing
        returned = Any
    if returned is str:
        return _content
    if returned is Any:
        return lambda result: _structured(_content(result))
    adapter = TypeAdapter(returned)

    def read(result: FunctionMessage) -> Any:
        text = _content(result)
        try:
            return adapter.validate_json(text)
        except ValueError:
            return adapter.validate_python(text)

    return read


def _structured(text: str) -> Any:
    if text.lstrip()[:1] not in {"{", "["}:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
