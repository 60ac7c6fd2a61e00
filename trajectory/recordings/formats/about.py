"""What people should know of each format: how it is recognised, what it does not record, and what it was verified with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class About:
    """Facts about a format.

    Attributes:
        what: What it is.
        recognised: How it is told by its content.
        not_recorded: What recordings of it do not hold, or need not.
        verified: The programs and versions whose files it was verified with.
    """

    what: str
    recognised: str
    not_recorded: str
    verified: str


_NO_TIMES: Final = "times, errors of calls, usage"
_SPANS: Final = "arguments and texts, unless the instrumentation is told to keep content"

ABOUT: Final[Mapping[str, About]] = {
    "native": About(
        "the eval-set shapes of [Eval-set format](eval-set-format.md), also one thread a line",
        "`threads`, or `traces` on a line; the other shapes as eval sets",
        "errors of calls, usage",
        "editor files of Ballerina, ADK 2.13, tRPC-Agent-Go",
    ),
    "openai-chat": About(
        "OpenAI Chat Completions messages: lists, `{messages, tools}`, rows of datasets, logs of requests and responses, "
        "batches, streams",
        "messages with `role` and `content`, `tool_calls` with `function`, `role: tool`; or `choices` of a response",
        "errors of calls, times; usage but for logs of responses",
        "openai 3.57, LiteLLM logs, Hugging Face rows",
    ),
    "anthropic": About(
        "Anthropic Messages, requests, responses and streams",
        "content blocks `tool_use` and `tool_result`",
        "times; usage but for responses",
        "anthropic 2.14",
    ),
    "langchain": About(
        "LangChain message dumps: `dict`, constructor and plain forms, LangGraph states",
        "messages with `type` human, ai, tool; `lc` constructors; a state with `messages` of these",
        "times",
        "langchain-core 1.8, langgraph 1.2",
    ),
    "openai-responses": About(
        "OpenAI Responses items, which are also the items of Agents SDK sessions; responses and streams",
        "items `function_call` and `function_call_output`, or a `response` object with `output`",
        _NO_TIMES,
        "openai 3.57, openai-agents 0.24",
    ),
    "openai-agents-trace": About(
        "exported traces of the OpenAI Agents SDK",
        "`object` trace and trace.span with `span_data`",
        "conversation ids, unless a group is set",
        "openai-agents 0.24",
    ),
    "adk-session": About(
        "Google ADK sessions",
        "`events` whose `content` has `parts`, with `author`; or a list of such events",
        "errors of calls",
        "google-adk 2.13",
    ),
    "claude-code": About(
        "Claude Code transcripts",
        "records with `sessionId`, `uuid`, `type` user or assistant and a `message`",
        "the system prompt",
        "transcripts of 2025 and 2026",
    ),
    "claude-stream": About(
        "what Claude Code prints as `stream-json`",
        "records with `session_id` and `type` system, assistant, user, result",
        "times of turns",
        "claude-agent-sdk 0.2",
    ),
    "codex": About(
        "Codex rollouts",
        "`session_meta` and `response_item` records; in old rollouts items behind what is said of the session",
        "errors of calls",
        "Codex CLI rollouts of 2025",
    ),
    "codex-exec": About(
        "what `codex exec --json` prints",
        "`thread.started`, `turn.started` and `item.completed` records",
        "what the user said",
        "our own files, by its documentation",
    ),
    "pydantic-ai": About(
        "Pydantic AI message history",
        "messages of `kind` request and response with `parts` of `part_kind`",
        "conversation ids, errors but for retries",
        "pydantic-ai-slim 2.68",
    ),
    "atif": About(
        "Agent Trajectory Interchange Format (also written)",
        "`schema_version` ATIF-v1 and `steps`",
        "errors of calls",
        "harbor 0.26, ATIF 1.0 to 1.8",
    ),
    "strands": About(
        "messages of Strands, which are those of Bedrock Converse, and responses of that",
        "content blocks `toolUse` and `toolResult`",
        "times, conversation ids, usage",
        "strands-agents 1.62",
    ),
    "strands-session": About(
        "the folder of a Strands session store",
        "`session.json` with agents and their messages beside it",
        "usage",
        "strands-agents 1.62",
    ),
    "tau-bench": About(
        "tau-bench results",
        "`task_id`, `reward` and `traj`",
        "errors of calls, times",
        "results published with tau-bench",
    ),
    "tau2-bench": About(
        "tau2 results",
        "`simulations` with `messages` beside `tasks` and `info`",
        "nothing that is compared",
        "results published with tau2-bench",
    ),
    "tau2": About(
        "messages of tau2 by themselves",
        "messages with `role`, `turn_idx` and `tool_calls` that name a `requestor`",
        "conversation ids",
        "results published with tau2-bench",
    ),
    "inspect-ai": About(
        "Inspect logs, JSON and `.eval`",
        "`eval` and `samples` with `messages`; an archive with `header.json`",
        "nothing that is compared",
        "inspect-ai 0.3.285",
    ),
    "gemini-cli": About(
        "Gemini CLI sessions",
        "`sessionId` and `messages` of `type` user and gemini, as one document or as lines",
        "the system prompt",
        "files of 2025 and 2026",
    ),
    "google-contents": About(
        "contents of Google's Gemini API: lists, requests and responses, checkpoints of chats with the Gemini CLI",
        "messages with `role` and `parts` such as `text`, `functionCall` and `functionResponse`",
        "errors of calls, times; usage but for responses",
        "google-genai 3.6, by its types",
    ),
    "openhands": About(
        "OpenHands events",
        "events with `kind` such as MessageEvent, ActionEvent and ObservationEvent",
        "usage of single requests",
        "openhands-sdk 1.58",
    ),
    "openhands-v0": About(
        "OpenHands events before its software agent SDK",
        "events with `action` or `observation` and `source`",
        "errors but for failed commands",
        "OpenHands 0.x files",
    ),
    "swe-agent": About(
        "SWE-agent trajectories",
        "`history` with messages that name an `agent` or a `message_type`",
        "calls of agents that act by commands in their texts, errors of calls, usage of single turns",
        "trajectories published with SWE-agent",
    ),
    "mini-swe-agent": About(
        "mini-SWE-agent trajectories",
        "`messages` beside a name of the format that begins with mini-swe-agent",
        "calls of agents that act by commands in their texts, errors of calls, usage of single turns",
        "mini-swe-agent 2.4",
    ),
    "smolagents": About(
        "smolagents memory steps",
        "steps with `step_number`, `tool_calls` and `observations`, after a `task`",
        "results of single calls in one step",
        "smolagents 1.26",
    ),
    "vercel-ai": About(
        "Vercel AI SDK messages, those of models and of interfaces",
        "parts `tool-call` and `tool-result`, or `tool-NAME` with a `state`",
        "times, usage",
        "ai 4 to 6",
    ),
    "ag-ui": About(
        "AG-UI events",
        "events of `type` RUN_STARTED, TOOL_CALL_START, TEXT_MESSAGE_CONTENT and so on",
        "what the user said, unless a snapshot tells; errors of calls",
        "ag-ui-protocol 1.0",
    ),
    "mcp-log": About(
        "JSON-RPC logs of MCP",
        "`jsonrpc` records with `tools/call`",
        "what the user said and the model answered",
        "mcp 2.3",
    ),
    "otlp": About(
        "OTLP/JSON trace exports",
        "`resourceSpans`",
        _SPANS,
        "OpenTelemetry GenAI 1.3b0, OpenInference, OpenLLMetry 0.62, google-adk 2.13",
    ),
    "tempo": About("traces as Grafana Tempo answers them", "`batches` of spans", _SPANS, "Tempo's form of OTLP"),
    "jaeger": About("Jaeger JSON", "`data` with `spans` and `processes`", _SPANS, "Jaeger exports of kagent"),
    "otel-console": About(
        "the dump of OpenTelemetry's console exporter",
        "spans with `context.trace_id` of the form 0x..., one after the other",
        _SPANS,
        "opentelemetry-sdk 1.45",
    ),
    "phoenix": About(
        "spans as Phoenix exports them", "`context.span_id` and flat `attributes.*` keys", _SPANS, "Phoenix exports"
    ),
    "flat-spans": About(
        "plain lists of spans, such as the rows of Logfire",
        "a list of spans with ids, names and attributes",
        _SPANS,
        "dumps of OpenTelemetry and OpenInference test exporters",
    ),
    "langsmith": About(
        "LangSmith runs, as a tree or a list",
        "runs with `run_type`, `inputs` and `outputs`",
        "conversation ids, unless they stand in the metadata",
        "langsmith 0.15",
    ),
}
"""The facts by the name of the format."""


def formats_table(names: Iterable[str]) -> str:
    """Write the table of formats in Markdown.

    Args:
        names: The formats, in order; one of another distribution, of which no facts are known, stands with its name.

    Returns:
        The table.
    """
    lines = ["| format | what it is | recognised by | not recorded | verified with |", "|---|---|---|---|---|"]
    for name in names:
        about = ABOUT.get(name, About("", "", "", ""))
        lines.append(f"| `{name}` | {about.what} | {about.recognised} | {about.not_recorded} | {about.verified} |")
    return "\n".join(lines)
