"""Conversation threads: what was said and done, as frozen records.

The names and the JSON shape are those of the native eval-set format: a *conversation thread* holds *traces*, a trace is
one user turn, an *iteration* is one round of reasoning and acting inside it. In code the fields have Python names
(``user_message``), in files the names of the format (``userMessage``).
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from trajectory.messages import (
    ROLES,
    AssistantMessage,
    IterationOutput,
    Message,
    SystemMessage,
    TraceOutput,
    UserMessage,
)
from trajectory.pairing import Pairing, calls_in, messages_of_turn, pair_results, said_in
from trajectory.records import TRUSTED_JSON, InCode, Optional, PlainObject, Record, in_code
from trajectory.times import Time, moment
from trajectory.tool_calls import (
    NOT_RECORDED,
    Arguments,
    FunctionMessage,
    MalformedArguments,
    NotRecorded,
    ToolCall,
    ToolSchema,
    read_arguments,
)
from trajectory.usage import Usage

if TYPE_CHECKING:
    from trajectory.json_values import JsonObject

__all__ = [
    "NOT_RECORDED",
    "ROLES",
    "TRUSTED_JSON",
    "Arguments",
    "AssistantMessage",
    "ConversationThread",
    "FunctionMessage",
    "Iteration",
    "IterationOutput",
    "MalformedArguments",
    "Message",
    "NotRecorded",
    "Optional",
    "PlainObject",
    "PromptTrace",
    "Record",
    "SystemMessage",
    "Time",
    "ToolCall",
    "ToolSchema",
    "Trace",
    "TraceOutput",
    "Usage",
    "UserMessage",
    "moment",
    "read_arguments",
]


def _says_its_role(value: object, info: ValidationInfo) -> object:
    """Refuse a message of a file that leaves its role out; where only one role can stand, nothing else would notice."""
    if info.context is TRUSTED_JSON and isinstance(value, dict) and "role" not in value:
        raise PydanticCustomError("user_role", "expected a message with the role user")
    return value


def _one_or_many(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value,)


class Iteration(Record):
    """One round of reasoning and acting.

    Attributes:
        history: The messages that the model was given.
        output: What came of it: messages, or the text of an error.
        start_time: When it began.
        end_time: When it ended.
    """

    history: tuple[Message, ...]
    output: Annotated[tuple[IterationOutput, ...], BeforeValidator(_one_or_many)]
    start_time: Time
    end_time: Time


class Trace(Record):
    """One user turn with all that the agent did.

    Attributes:
        id: Names the turn; may repeat between threads.
        user_message: What the user said.
        iterations: The rounds of the agent.
        output: The agent's answer; a plain string is the error in which the turn ended.
        tools: The tools that the model was told about.
        tool_calls: The calls of this turn; ``None`` when they are not listed apart from the iterations.
        start_time: When the turn began.
        end_time: When it ended.
        usage: What the models took in this turn, where that is known.
        models: The names of the models that answered in this turn, where they are known.
    """

    id: str
    user_message: Annotated[UserMessage, BeforeValidator(_says_its_role)]
    iterations: tuple[Iteration, ...]
    output: TraceOutput
    tools: tuple[ToolSchema, ...]
    tool_calls: Optional[tuple[ToolCall, ...]] = None
    start_time: Time
    end_time: Time
    usage: InCode[Usage] = in_code("usage")
    models: InCode[tuple[str, ...]] = in_code("models")

    @property
    def states_expectation(self) -> bool:
        """Whether the calls of this turn are stated. Stated may also be that there are none."""
        return True

    @property
    def query(self) -> str:
        """What the user said."""
        return self.user_message.content

    @property
    def response(self) -> str | None:
        """What the agent answered; ``None`` for no text, or when the turn ended in an error."""
        return None if isinstance(self.output, str) else self.output.content

    @property
    def error(self) -> str | None:
        """The error in which the turn ended, if it did."""
        return self.output if isinstance(self.output, str) else None

    @property
    def trajectory(self) -> tuple[ToolCall, ...]:
        """The tool calls of this turn: `tool_calls`, or else those that the iterations show; each with its result."""
        return self.pairing.calls

    @property
    def pairing(self) -> Pairing:
        """The calls of this turn with their results, and the results that belong to no call."""
        # Every rule asks for it. It is kept beside the fields that it rests on, for a copy may have others.
        kept = self.__dict__.get("_pairing")
        if kept is not None and kept[0] is self.tool_calls and kept[1] is self.iterations:
            pairing: Pairing = kept[2]
            return pairing
        made = self._paired()
        self.__dict__["_pairing"] = (self.tool_calls, self.iterations, made)
        return made

    def _paired(self) -> Pairing:
        if not self.iterations:
            return Pairing(self.tool_calls or ())
        outputs, history = [iteration.output for iteration in self.iterations], self.iterations[-1].history
        # Each iteration's own output is the authority on calls. Some writers keep only results there.
        calls = self.tool_calls if self.tool_calls is not None else calls_in(chain.from_iterable(outputs))
        if not calls and self.tool_calls is None:
            calls = calls_in(messages_of_turn(history))
        return pair_results(calls, said_in(outputs, history))


class PromptTrace(Trace):
    """A user turn of which nobody stated what the agent should call: it is replayed, and nothing is concluded.

    The native format cannot say this: there, a turn without calls expects none.
    """

    @property
    def states_expectation(self) -> bool:
        """Whether the calls of this turn are stated: they are not."""
        return False


class ConversationThread(Record):
    """One conversation: the turns of one session, in order.

    The record is open: keys that the format does not know are kept in `extras`.

    Attributes:
        id: Names the thread; unique within a run.
        description: What it is about.
        traces: The user turns.
        evaluation: How this thread is to be evaluated, as stated in the file (see `trajectory.settings`).
        tags: Words to select threads by.
        initial_state: The state in which the session starts.
        failed_calls: JSON Pointers to the calls that failed when they were recorded, such as ``/traces/0/toolCalls/1``.
        expected_final_state: What the state of the session is to hold in the end.
        final_state: The state in which the session ended, where a recording tells.
    """

    model_config = ConfigDict(extra="allow")

    id: str
    description: str = ""
    traces: tuple[Trace, ...]
    evaluation: Optional[PlainObject] = None
    tags: tuple[str, ...] = ()
    initial_state: Optional[PlainObject] = Field(default=None, alias="initial_state")
    failed_calls: tuple[str, ...] = Field(default=(), alias="failed_calls")
    expected_final_state: Optional[PlainObject] = Field(default=None, alias="expected_final_state")
    final_state: InCode[PlainObject] = in_code("final_state")

    @property
    def extras(self) -> JsonObject:
        """The keys that the format does not know, with their values."""
        return dict(self.model_extra or {})
